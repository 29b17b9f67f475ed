// Checks of general.architecture, and of the keys that the architecture
// requires.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/model/foreign_layout.h"
#include "conformance/model/hparams.h"
#include "conformance/model/reason.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/model/tensor_table.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/required_keys.h"

namespace gguf {
namespace {

constexpr char kKey[] = "general.architecture";

// Requires the name of an architecture; shard-set-architecture covers later
// shards.
Reason OnlyWithName(const Model& model) {
  if (!model.is_whole()) return Reason::Silent();
  const KeyValue* kv = model.FindKey(kKey);
  if (kv == nullptr) return {"general.architecture is missing", Reason::kNotAbout};
  const auto name = model.file.String(*kv);
  if (name && !name->empty()) return {};
  return {name ? "general.architecture is empty" : "general.architecture is not a string",
          HasOwnLoader(model.kind().kind) ? Reason::kNotAbout : Reason::kUnjudged};
}

absl::string_view NameOf(const Model& model) { return *model.file.String(*model.FindKey(kKey)); }

// Reports the architecture's name.
void ReportName(const Model& model, Finder& find, absl::string_view format) {
  find(model.FindKey(kKey)->at_value(), format, {{"name", NameOf(model)}});
}

void ReportMissing(const Model& model, Finder& find) {
  find(AbsentKey(model, kKey), "is missing; the file has {count key|keys}",
       {{"count", model.file.key_count.value}});
}

void ArchitecturePresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const File& file = model.file;
  const KeyValue* kv = model.FindKey(kKey);
  if (kv != nullptr) {
    if (file.String(*kv) == "") find(kv->at_value(), "is empty", {});
    return;
  }
  // It may be among the keys that were not read.
  if (file.progress < Progress::kKeys) return;
  const KindFound& kind = model.kind();
  if (!model.is_whole() || kind.MayBe(GgufKind::kImportanceMatrix) ||
      kind.kind == GgufKind::kImageModel || model.hparams().Get(Symbol::kSplitNo).value_or(0) > 0) {
    return;
  }
  ReportMissing(model, find);
}

// Reports a name with other characters than those of the specification: one in
// the style of names that llama.cpp knows, with dashes or underscores, or another.
template <bool in_use>
void FindBadName(const CheckContext& context, Finder& find) {
  const absl::string_view name = NameOf(context.model);
  const auto consists_of = [&](absl::string_view marks) {
    return absl::c_all_of(name, [&](char c) {
      return absl::ascii_islower(c) || absl::ascii_isdigit(c) || absl::StrContains(marks, c);
    });
  };
  if (!consists_of("") && consists_of("-_") == in_use) {
    ReportName(context.model, find,
               in_use ? "is {name}, which has other characters than a to z and 0 to 9"
                      : "is {name}, which has other characters than a to z, 0 to 9, - and _");
  }
}

void ArchitectureKnown(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const uint16_t architecture = FindArchitecture(NameOf(model));
  // architecture-loadable reports names that only the specification has.
  if (IsIn(architecture, Group::kKnown) || IsIn(architecture, Group::kSpec)) {
    return;
  }
  // These are not of language models, nor adapters for one.
  const GgufKind kind = model.kind().kind;
  if (kind == GgufKind::kImageModel || kind == GgufKind::kControlVector ||
      kind == GgufKind::kSpeechModel) {
    return;
  }
  std::vector<absl::string_view> known;
  for (uint16_t i = 0; i < kArchitectures; ++i) {
    if (IsIn(i, Group::kKnown)) known.push_back(kArchitectureRows[i].name);
  }
  std::string meant = DidYouMean(NameOf(model), known);
  if (meant.empty()) meant = "; to check models of a newer architecture, update ggufcheck";
  find(model.FindKey(kKey)->at_value(), "is {name}, which llama.cpp {known} does not know{meant}",
       {{"name", NameOf(model)},
        {"known", Trusted{TablesVersion()}},
        {"meant", Trusted{meant}},
        {kWrite, Trusted{ClosestWord(NameOf(model), known)}}});
}

void LayoutOfUpstream(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const auto found = FindForeignLayout(model);
  if (!found) return;
  const ForeignLayout& row = *found->row;
  find(model.FindKey(kKey)->at_value(),
       absl::StrCat("is {name}, ", found->mark.empty() ? "the name" : "and {mark} is a mark",
                    " of a layout of {program}, in which {changes}: {program} translates it, "
                    "llama.cpp does not; use the upstream file",
                    row.projector ? " and its projector" : ""),
       {{"name", NameOf(model)},
        {"mark", Trusted{found->mark}},
        {"program", Trusted{row.program}},
        {"changes", Trusted{row.changes}}});
}

constexpr char kSpecification[] = "the specification";
constexpr char kLlamaCpp[] = "llama.cpp";
constexpr char kLlamaCpp2025[] = "llama.cpp of February 2025";

// Returns whether all tensors that the loader looks up have the shapes that
// follow from the hyperparameters, with 0 for absent ones.
bool ShapesFit(const Model& model) {
  if (!OnlyWithRoles(model).empty()) return false;
  const TensorTable& tensors = model.tensors();
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const TensorRole& role = model.tensor_roles().roles()[i];
    if (role.role != Role::kAskedFor || role.row->shape.any_shape) continue;
    for (uint32_t d = 0; d < role.row->shape.rank; ++d) {
      const Expr& expr = role.row->shape.dims[d];
      const int64_t found = d < tensors[i].rank() ? static_cast<int64_t>(tensors[i].dims[d]) : 1;
      if (!expr.empty() && model.hparams().Evaluate(expr, role.block) != found) return false;
    }
  }
  return true;
}

// Reports all missing keys, each with its type and who requires it.
template <RequiredBy by, const char* who>
void FindMissing(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const Hparams& hparams = model.hparams();
  const KeyValue& architecture = *hparams.architecture_key();
  const bool has_tensors = model.file.tensor_count.value > 0 || !model.tensors().empty();
  for (const RequiredKey& row : kRequiredKeys.Of(hparams.architecture())) {
    const bool is_loaded =
        by == RequiredBy::kLoader && row.by == RequiredBy::kTensors && has_tensors;
    if ((row.by != by && !is_loaded) || HasKey(model, row)) continue;
    if (!IsRequired(model, row.key, row.when, find)) continue;
    const std::string key = hparams.Expand(row.key);
    const std::string reason =
        row.when.empty() ? "" : absl::StrCat(" because of ", NamesIn(hparams, row.when));
    find(architecture.value, architecture.subject(),
         "is {architecture}, but the key {key} ({type}), which {who} requires{when}, is missing",
         {{"key", absl::string_view(key)},
          {"type", Trusted{row.type}},
          {"who", Trusted{who}},
          {"architecture", hparams.architecture_name()},
          {"when", Trusted{reason}},
          {"shapes", Trusted{row.by != RequiredBy::kTensors ? "any"
                             : ShapesFit(model)             ? "fit"
                                                            : "differ"}}});
  }
}

constexpr char kRepair[] =
    "Convert the model again with a newer converter, or add the key with the value from the "
    "original model's configuration.";

Reason OnlyWithLoader(const Model& model) {
  return IsIn(model.hparams().architecture(), Group::kLoader)
             ? Reason()
             : "llama.cpp has no loader for the architecture";
}

}  // namespace

constexpr RuleTable kArchitectureRules = {
    {.id = "architecture-present",
     .severities = Everywhere(kError),
     .summary = "A file shall have a non-empty general.architecture; only importance matrices, "
                "image models and shards after the first may lack the key.",
     .why = "Without it, no reader knows which keys and tensors to look for; some have crashed "
            "(CVE-2025-0312).",
     .repair = "Convert the model again, or add the key with the model's architecture.",
     .citation = "gguf.md, standardized key-value pairs, \"Required\": general.architecture "
                 "\"describes what architecture this model implements\".",
     .check = ArchitecturePresent},
    {.id = "image-architecture-present",
     .severities = {.upload = kNote, .spec = kError, .llama_cpp = kError},
     .summary = "An image model, too, shall have general.architecture.",
     .why = "stable-diffusion.cpp writes no keys. Both stable-diffusion.cpp and ComfyUI-GGUF "
            "recognize files without keys by their tensors; other readers cannot tell what such a "
            "file contains.",
     .repair = "Add the key with the model's architecture, such as flux or sdxl.",
     .citation = "gguf.md, standardized key-value pairs, \"Required\": general.architecture.",
     .since = "0.2.0",
     .requirements = {OnlyKind<GgufKind::kImageModel>},
     .check =
         [](const CheckContext& context, Finder& find) {
           if (context.model.FindKey(kKey) == nullptr) {
             ReportMissing(context.model, find);
           }
         }},
    {.id = "architecture-string",
     .severities = Everywhere(kError),
     .summary = "general.architecture shall be a string.",
     .why = "Readers refuse a value of any other type, or interpret its bytes as a string.",
     .repair = "Write the architecture's name as a string.",
     .citation = "gguf.md, standardized key-value pairs: \"general.architecture: string\".",
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue* kv = context.model.FindKey(kKey);
           // architecture-present reports a missing one.
           if (kv == nullptr || kv->type->kind == ValueKind::kString) return;
           find(kv->type_where(), kv->subject().Of("type"), "is {type}, not str",
                {{"type", Trusted{kv->type->name}}});
         }},
    {.id = "general-texts-strings",
     .severities = {.upload = kError, .safety = kError},
     .summary = "general.type, general.name and general.description shall be strings.",
     .why = "llama.cpp's loaders of adapters and projectors read them without a look at the type, "
            "and abort.",
     .repair = "Write the value as a string, or remove the key.",
     .citation = "Not in the specification for general.type; llama.cpp asserts the type of a value "
                 "that it reads (gguf_get_val_str).",
     .since = "0.2.0",
     .implied_by = {"key-type-loaded"},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const char* const key : {"general.type", "general.name", "general.description"}) {
             const KeyValue* kv = context.model.FindKey(key);
             if (kv == nullptr || kv->type->kind == ValueKind::kString) continue;
             find(kv->type_where(), kv->subject().Of("type"), "is {type}, not str",
                  {{"type", Trusted{kv->type->name}}});
           }
         }},
    {.id = "architecture-grammar",
     .severities = {.spec = kError},
     .summary = "An architecture's name shall contain no characters but lower-case letters, "
                "digits, dashes and underscores.",
     .why = "The name is the first segment of the model's keys.",
     .repair = "Choose a name of lower-case letters and digits only.",
     .citation = "gguf.md, general.architecture: \"All lowercase ASCII, with only `[a-z0-9]+` "
                 "characters allowed\".",
     .requirements = {OnlyWithName},
     .check = FindBadName<false>},
    {.id = "architecture-grammar-known",
     .severities = {.spec = kWarning},
     .summary = "An architecture's name should consist of lower-case letters and digits only.",
     .why = "The specification forbids dashes and underscores in the name, but a quarter of "
            "llama.cpp's architectures have them.",
     .repair = "No change is needed: readers look for the name as it is.",
     .citation = "gguf.md, general.architecture: \"only `[a-z0-9]+` characters allowed\"; "
                 "llama.cpp's names violate it.",
     .requirements = {OnlyWithName},
     .check = FindBadName<true>},
    {.id = "architecture-known",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kError},
     .summary = "general.architecture should be a name that llama.cpp or the specification knows.",
     .why = "llama.cpp refuses to load an architecture that it does not know.",
     .repair = "Correct the spelling. If the architecture is new, a newer llama.cpp may know it, "
               "and a newer ggufcheck may be able to check its models. The message names the "
               "version of llama.cpp that the tables of this ggufcheck follow.",
     .citation = "Not in the specification; the architectures of llama.cpp.",
     .requirements = {OnlyWithName},
     .check = ArchitectureKnown},
    {.id = "layout-of-upstream",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "A file shall have the layout that llama.cpp reads, not one that another program "
                "made for itself.",
     .why = "The program translates its layout when it loads the file. llama.cpp and the programs "
            "built on it refuse the file, or load it as another model.",
     .repair = "Use the file that is published for llama.cpp, with its projector if it has one. "
               "Whoever uses the other program alone needs no other file.",
     .citation = "Not in the specification; the layouts that Ollama translates and llama.cpp does "
                 "not. The rule is wrong about a model of another maker who chose the same names.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithName, OnlyFirstShard},
     .check = LayoutOfUpstream},
    {.id = "architecture-loadable",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "The architecture shall be one that llama.cpp can load.",
     .why = "llama.cpp has no code for models of this architecture and refuses them, although "
            "llama.cpp or the specification lists the name.",
     .repair = "Use a reader that supports the architecture.",
     .citation = "Not in the specification; the model classes of llama.cpp.",
     .requirements = {OnlyWithName},
     .check =
         [](const CheckContext& context, Finder& find) {
           if (NameOf(context.model) == "clip") return;  // Projectors have another loader.
           const uint16_t architecture = FindArchitecture(NameOf(context.model));
           // architecture-known reports the others.
           if (!IsIn(architecture, Group::kKnown) && !IsIn(architecture, Group::kSpec)) {
             return;
           }
           if (IsIn(architecture, Group::kLoader)) return;
           ReportName(context.model, find, "is {name}, which llama.cpp cannot load");
         }},
    {.id = "architecture-of-language-model",
     .severities = {.llama_cpp = kError},
     .summary = "general.architecture shall be the architecture of a language model.",
     .why = "llama.cpp runs no image models and few speech models, and refuses the others.",
     .repair = "Use a program that runs such models.",
     .citation = "Not in the specification; llama.cpp's list of architectures contains none for "
                 "image models and none of TTS.cpp's.",
     .requirements = {OnlyWithName},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const GgufKind kind = model.kind().kind;
           if (kind == GgufKind::kImageModel) {
             return ReportName(model, find, "is {name}, the architecture of an image model");
           }
           // architecture-loadable reports the names that llama.cpp knows.
           const uint16_t architecture = FindArchitecture(NameOf(model));
           if (kind == GgufKind::kSpeechModel && !IsIn(architecture, Group::kKnown) &&
               !IsIn(architecture, Group::kSpec)) {
             ReportName(model, find, "is {name}, the architecture of a speech model");
           }
         }},
    {.id = "spec-keys-present",
     .severities = {.spec = kError},
     .summary = "A model shall have the keys that the specification requires for its architecture.",
     .why = "A reader that follows the specification has no default for these keys.",
     .repair = kRepair,
     .citation = "gguf.md, LLM: \"If mentioned in an architecture's section, it is required for "
                 "that architecture\".",
     .requirements = {OnlyModels},
     .check = FindMissing<RequiredBy::kSpec, kSpecification>},
    {.id = "spec-unusual-keys-present",
     .severities = {.spec = kWarning},
     .summary = "A model should also have the keys that the specification requires but hardly any "
                "converter writes.",
     .why = "The specification lists falcon.attention.use_norm without a type, and gives two names "
            "to each of two keys of mpt; readers do not look for any of these keys.",
     .repair = "No change is needed for current readers.",
     .citation = "gguf.md, MPT and Falcon: attention.alibi_bias_max and clip_kqv (also "
                 "max_alibi_bias and clamp_kqv), attention.use_norm.",
     .requirements = {OnlyModels},
     .check = FindMissing<RequiredBy::kSpecShould, kSpecification>},
    {.id = "llama-cpp-keys-present",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary =
         "A model shall have the keys without which llama.cpp does not load its architecture.",
     .why = "llama.cpp stops at the first missing key, or assumes 0 for it and then refuses the "
            "shapes of the tensors.",
     .repair = kRepair,
     .citation = "Not in the specification; required by the model loader in llama.cpp.",
     .requirements = {OnlyModels, OnlyWithLoader},
     .check = FindMissing<RequiredBy::kLoader, kLlamaCpp>},
    {.id = "older-llama-cpp-keys-present",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "A model should have the keys that llama.cpp required until 2025.",
     .why = "llama.cpp of February 2025 refuses the model; later versions use defaults for these "
            "keys.",
     .repair = kRepair,
     .citation =
         "Not in the specification; the keys that llama.cpp's loader required in February 2025.",
     .requirements = {OnlyModels},
     .check = FindMissing<RequiredBy::kLoader2025, kLlamaCpp2025>},
};

}  // namespace gguf
