// Checks of conditions on keys: a model's hyperparameters, alone and in
// relation to each other, and the keys of files other than language models.
//
// The conditions are rows of tables/hparam_rules.tsv and kind_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "conformance/base/limits.h"
#include "conformance/base/name_hash.h"
#include "conformance/base/text.h"
#include "conformance/model/context_size.h"
#include "conformance/model/hparams.h"
#include "conformance/rules/architecture/hparam_arrays.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/graph_tensors.h"
#include "conformance/tables/hparam_rules.h"
#include "conformance/tables/kind_rules.h"

namespace gguf {
namespace {

// The stage at which llama.cpp meets what a row is about.
const char* StageOf(const HparamRow& row) { return WordOf(row.stage); }
const char* StageOf(const KindRuleRow&) { return WordOf(RunStage::kLoad); }

// Returns the texts that the condition of a row names for its key.
template <class Row>
std::vector<absl::string_view> TextsOf(const Row& row) {
  std::vector<absl::string_view> texts;
  for (uint32_t i = 0; i < row.holds.size; ++i) {
    const Op& op = row.holds.code[i];
    if (op.code == OpCode::kTextIs && op.number == static_cast<int64_t>(row.about)) {
      texts.push_back(op.text);
    }
  }
  return texts;
}

// Reports a row at the value of its key, or at block `i`'s if it has one for
// each.  The message may show {left}, {right}, {text}, {i} and {arch}; one of
// unused-keys-in-bounds names the rule of the row.
template <class Row>
void ReportRow(const Hparams& hparams, const Row& row, bool per_block, int64_t i, Finder& find) {
  const KeyValue& kv = *hparams.Key(row.about);
  const auto value = [&](const Expr& expr) {
    const auto number = expr.empty() ? std::nullopt : hparams.Evaluate(expr, i);
    return Trusted{number ? absl::StrCat(*number) : ""};
  };
  const bool is_own = find.rule().id == absl::string_view(row.rule);
  const absl::string_view text = hparams.Text(row.about).value_or("");
  const std::vector<absl::string_view> texts = TextsOf(row);
  find(per_block ? ElementOf(kv, i) : kv.at_value(),
       absl::StrCat(row.says, DidYouMean(text, texts), is_own ? "" : " ({rule})"),
       {{"left", value(row.left)},
        {"right", value(row.right)},
        {"text", text},
        {"arch", Trusted{Escape(hparams.architecture_name())}},
        {"rule", Trusted{row.rule}},
        {"i", i},
        {"stage", Trusted{StageOf(row)}},
        {kWrite, Trusted{ClosestWord(text, texts)}}});
}

// Checks a row's condition, if its key is present: once, or for each block.
// Returns whether it could.
template <class Row>
bool CheckRow(const Hparams& hparams, const Row& row, bool per_block, Finder& find) {
  if (hparams.Key(row.about) == nullptr) return true;
  bool is_known = true;
  int64_t blocks = 1;
  if (per_block) {
    blocks = std::min(hparams.Get(Symbol::kNLayerAll).value_or(1), hparams.most_blocks());
  }
  for (int64_t i = 0; i < blocks; ++i) {
    const auto holds = hparams.Evaluate(row.holds, i);
    is_known &= holds.has_value();
    if (holds.value_or(1) != 0) continue;
    ReportRow(hparams, row, per_block, i, find);  // The first is enough.
    break;
  }
  return is_known;
}

// The same for a row of the rule; reports a value that is not known.
template <class Row>
void CheckOwnRow(const Hparams& hparams, const Row& row, bool per_block, Finder& find) {
  if (find.rule().id != absl::string_view(row.rule)) return;
  if (CheckRow(hparams, row, per_block, find)) return;
  find.CannotCheck(absl::StrCat("a value of ", NamesIn(hparams, row.holds), " is not known"));
}

void CheckHparams(const Hparams& hparams, Finder& find) {
  for (const HparamRow& row : kHparamRules.Of(hparams.architecture())) {
    CheckOwnRow(hparams, row, row.per_block, find);
  }
}

void CheckHparams(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  if (!model.kind().Is(GgufKind::kProjector)) return CheckHparams(model.hparams(), find);
  for (const Encoder& encoder : model.encoders()) CheckHparams(*encoder.hparams, find);
}

// Reports the first block that lacks a tensor of tables/projectors.
void CheckGraphTensors(const CheckContext& context, Finder& find) {
  CheckHparams(context, find);
  for (const Component& component : ComponentsOf(context.model)) {
    for (const GraphTensor& row : kGraphTensors.Of(component.hparams.architecture())) {
      const absl::string_view name = row.name;
      const auto blocks = component.roles.CountOf(name.substr(0, name.find('%')));
      for (int64_t i = 0; i < std::min(blocks.value_or(1), kMostBlocks); ++i) {
        const bool needs = component.hparams.Evaluate(row.required, i) == 1;
        if (!needs || component.roles.Has(name, i)) continue;
        find(component.stated, "is {architecture}, but the tensor {tensor} is missing",
             {{"architecture", component.name}, {"tensor", component.hparams.Expand(name, i)}});
        break;
      }
    }
  }
}

void CheckKeysOfKind(const CheckContext& context, Finder& find) {
  for (const KindRuleRow& row : kKindRules) {
    if (!context.model.kind().Is(row.kind)) continue;
    CheckOwnRow(context.model.hparams(), row, false, find);
  }
}

// Also checks the keys that llama.cpp reads as u32 and refuses above INT32_MAX.
void CheckSizesOfProjector(const CheckContext& context, Finder& find) {
  CheckKeysOfKind(context, find);
  const Model& model = context.model;
  if (!model.kind().Is(GgufKind::kProjector)) return;
  constexpr TypeSet kU32 = TypeSet{1} << static_cast<uint32_t>(ValueType::kU32);
  for (const auto& [kv, row] : model.known_keys().rows()) {
    if (row == nullptr || !HasType(kv, kU32) || !model.known_keys().LoaderReads(*row)) continue;
    const uint64_t value = static_cast<uint64_t>(IntegerOf(model.file, kv).value_or(0));
    if (value <= INT32_MAX || (model.known_keys().LoaderTypes(*row) & kU32) == 0) continue;
    find(kv.at_value(), "is {value}, more than 2147483647", {{"value", value}});
  }
}

// Returns whether a careless reader allocates or indexes by what the row bounds.
template <class Row>
bool IsBound(const Row& row) {
  const Rule* rule = FindRule(row.rule);
  return rule != nullptr && rule->severities.safety == Severity::kError;
}

// An architecture whose hyperparameters a file has, known or not.
struct UsedArchitecture {
  absl::string_view name;      // Stands before the first dot of the keys.
  uint64_t longest_array = 1;  // Of its keys.
};

// Returns them in the order of the file.
std::vector<UsedArchitecture> ArchitecturesWithKeys(const File& file) {
  static const auto& keys = *[] {
    auto* all = new absl::flat_hash_set<absl::string_view>;
    for (const SymbolRow& row : kSymbolRows) {
      absl::string_view key = row.key;
      if (absl::ConsumePrefix(&key, "{arch}")) all->insert(key);
    }
    return all;
  }();
  NameMap<size_t> places;
  std::vector<UsedArchitecture> found;
  for (const KeyValue& kv : file.keys) {
    const absl::string_view key = kv.key.value;
    const size_t dot = std::min(key.find('.'), key.size());
    if (!keys.contains(key.substr(dot))) continue;
    const auto [place, is_new] = places.emplace(key.substr(0, dot), found.size());
    if (is_new) found.push_back({key.substr(0, dot)});
    uint64_t& longest = found[place->second].longest_array;
    longest = std::max(longest, kv.length);
  }
  return found;
}

void UnusedKeysInBounds(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const bool is_model = OnlyModels(model).empty();
  for (const UsedArchitecture& used : ArchitecturesWithKeys(model.file)) {
    PollDeadline();
    if (is_model && used.name == model.hparams().architecture_name()) continue;
    // A file may have thousands of architectures that do not exist.  Their rows
    // speak of no tensors, so that all blocks beyond the arrays are equal.
    const bool is_known = FindArchitecture(used.name) < kArchitectures;
    const auto longest = static_cast<int64_t>(std::min<uint64_t>(used.longest_array, kMostBlocks));
    const Hparams hparams = model.HparamsOf(used.name, is_known ? kMostBlocks : longest);
    for (const HparamRow& row : kHparamRules.Of(hparams.architecture())) {
      if (hparams.Key(row.about) != nullptr && IsBound(row)) {
        CheckRow(hparams, row, row.per_block, find);
      }
    }
    CheckArrayLengths(model, hparams, find);
    CheckArrayValues(model, hparams, find);
  }
  for (const KindRuleRow& row : kKindRules) {
    if (model.kind().Is(row.kind) || model.hparams().Key(row.about) == nullptr) continue;
    if (IsBound(row)) CheckRow(model.hparams(), row, false, find);
  }
}

}  // namespace

constexpr RuleTable kConditionRules = {
    {.id = "block-count-in-range",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "The number of blocks shall be from 1 to 512.",
     .why = "llama.cpp aborts on a number outside this range; other readers divide by zero "
            "(CVE-2024-8063), or allocate memory in proportion to the number.",
     .repair = "Write the model's number of blocks.",
     .citation = "Not in the specification; llama.cpp asserts block_count in 1..512.",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "vocab-size-bounded",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "vocab_size shall be at most 8388608, as many tokens as ggufcheck reads.",
     .why = "llama.cpp allocates that many tokens for a model without a tokenizer: about 170 GB "
            "for 4294967295.",
     .repair = "Write the number of tokens of the original model.",
     .citation = "Not in the specification; real vocabularies stay far below this bound.",
     .since = "0.2.0",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "nextn-below-block-count",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "nextn_predict_layers shall not exceed block_count, which includes these layers.",
     .why = "Readers subtract nextn_predict_layers from block_count; if it is larger, the "
            "difference underflows to about 4 billion blocks.",
     .repair = "Include the nextn_predict_layers blocks in block_count.",
     .citation = "Not in the specification; llama.cpp asserts this.",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "nextn-leaves-blocks",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary =
         "A model shall have at least one block besides its nextn_predict_layers blocks; a model "
         "of the architecture gemma4-assistant shall have nextn_predict_layers blocks only.",
     .why = "Since v0.5.0, llama.cpp loads only the nextn_predict_layers blocks of such a model; "
            "earlier versions abort.",
     .repair =
         "Set block_count to the number of all blocks, including those of nextn_predict_layers.",
     .citation = "Not in the specification; llama.cpp before v0.5.0 asserts this.",
     .since = "0.2.0",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "head-count-positive",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "Where the architecture has attention, head_count and head_count_kv shall be "
                "greater than 0; in an array, a block without attention may have 0.",
     .why = "Readers divide by the head counts, and cannot compute the shapes of tensors without "
            "them.",
     .repair = "Write the model's head counts.",
     .citation = "Not in the specification; llama.cpp derives tensor shapes from the head counts.",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "head-count-kv-divides",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "The number of key and value heads shall divide the number of heads.",
     .why = "Each key and value head serves a group of heads, and all groups have the same size.",
     .repair = "Write the head counts of the original model.",
     .citation = "gguf.md, attention.head_count_kv: \"The number of heads per group used in "
                 "Grouped-Query-Attention\"; ggml asserts that the number of heads is divisible by "
                 "the number of key and value heads.",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "head-count-divides-embedding",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "Without attention.key_length, head_count shall divide embedding_length.",
     .why = "Readers use the quotient as the width of a head, and drop the remainder.",
     .repair =
         "Write attention.key_length and value_length, or correct head_count or embedding_length.",
     .citation =
         "gguf.md, attention.key_length: \"If not specified, it will be `n_embd / n_head`\".",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "expert-counts-consistent",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "The expert counts shall be consistent: at most 1024 experts, no more in use than "
                "exist, and in groups of equal size.",
     .why = "llama.cpp aborts on inconsistent counts; other readers look up missing experts.",
     .repair = "Write all expert counts of the original model, or none of them.",
     .citation = "gguf.md, expert_count and expert_used_count; llama.cpp asserts these conditions.",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "rope-dimension-count-fits",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "Where the architecture rotates whole heads, rope.dimension_count shall be the "
                "width of a head.",
     .why = "llama.cpp refuses any other number.",
     .repair = "Set rope.dimension_count to the value of attention.key_length or, if that key is "
               "absent, to embedding_length / head_count.",
     .citation =
         "Not in the specification; llama.cpp's loader, for llama, deci, falcon and llama-embed.",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "rope-scaling-type-known",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kError},
     .summary = "rope.scaling.type shall be none, linear, yarn or longrope.",
     .why = "llama.cpp aborts on any other value; readers that ignore an unknown value produce "
            "wrong output.",
     .repair =
         "Write the type of the original model's configuration; without the key, positions are "
         "not scaled.",
     .citation = "gguf.md, rope.scaling.type: \"Can be `none`, `linear`, or `yarn`\"; llama.cpp "
                 "also accepts longrope.",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "rope-scaling-type-in-spec",
     .severities = {.spec = kWarning},
     .summary = "rope.scaling.type should be none, linear or yarn.",
     .why = "A reader that follows the specification does not know longrope.",
     .repair = "No change is needed for llama.cpp.",
     .citation = "gguf.md, rope.scaling.type: \"Can be `none`, `linear`, or `yarn`\".",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "yarn-original-context-length",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "With YaRN, rope.scaling.original_context_length should be present.",
     .why = "Readers use context_length instead, which is the scaled length, and produce wrong "
            "output.",
     .repair = "Add the context length that the base model was trained with.",
     .citation = "gguf.md, rope.scaling.original_context_length: \"The original context length of "
                 "the base model\".",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "context-length-positive",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "context_length should not be 0.",
     .why = "Readers use context_length as the default length of the context.",
     .repair = "Write the context length that the model was trained with.",
     .citation = "gguf.md, context_length: \"length of the context (in tokens) that the model was "
                 "trained on\".",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "beginning-token-added",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "tokenizer.ggml.add_bos_token should not be false for models that need the "
                "beginning token.",
     .why = "The models were trained with the token before every text. Without it, they answer "
            "with repetitions or with text that means nothing.",
     .repair = "Set tokenizer.ggml.add_bos_token to true. If the chat template writes the token "
               "itself, llama.cpp does not add it a second time.",
     .citation = "Not in the specification; the tokenizers of all published models of these "
                 "architectures add the token. The rule is wrong about a model that was trained "
                 "from the beginning without it.",
     .since = "0.2.0",
     .requirements = {OnlyModels, OnlyWithVocabulary},
     .check = CheckHparams},
    {.id = "architecture-hparams-consistent",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The hyperparameters shall satisfy the constraints of their architecture.",
     .why = "llama.cpp refuses the file, or aborts.",
     .repair = "Write the values of the original model's configuration.",
     .citation = "Not in the specification; llama.cpp's architecture-specific loaders.",
     .requirements = {OnlyModelsOrProjectors},
     .check = CheckHparams},
    {.id = "graph-hparams-consistent",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The hyperparameters shall be those of a model that llama.cpp can compute with.",
     .why = "llama.cpp loads the file, and aborts when it makes a context or computes the first "
            "token.",
     .repair = "Write the values of the original model's configuration.",
     .citation = "Not in the specification; assertions of llama.cpp's graphs and of ggml's "
                 "operations. Observed in llama.cpp v0.5.0 and b12211 on a CPU.",
     .since = "0.2.0",
     .requirements = {OnlyModelsOrProjectors},
     .check = CheckHparams},
    {.id = "graph-hparams-safe",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The hyperparameters shall not make a reader divide by zero, loop without end or "
                "write outside its memory.",
     .why = "llama.cpp crashes or hangs when it loads the model, makes a context or computes the "
            "first token.",
     .repair = "Write the values of the original model's configuration.",
     .citation = "Not in the specification; observed in llama.cpp v0.5.0 and b12211 on a CPU.",
     .since = "0.2.0",
     .requirements = {OnlyModelsOrProjectors},
     .check = CheckHparams},
    {.id = "graph-tensors-present",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "A model shall have the tensors that llama.cpp's graph uses, also where its loader "
                "does not ask for them.",
     .why = "llama.cpp loads the file, and follows a null pointer when it makes a context.",
     .repair = "Convert the model again.",
     .citation = "Not in the specification; observed in llama.cpp v0.5.0 and b12211 on a CPU.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithComponents},
     .check = CheckGraphTensors},
    {.id = "reader-computes-architecture",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "llama.cpp should be able to compute with the model's architecture.",
     .why = "llama.cpp loads the file, and aborts when it makes a context for more than one token "
            "at a time. The file is valid.",
     .repair = "Nothing is wrong with the file; use another reader.",
     .citation = "Not in the specification; observed in llama.cpp v0.5.0 and b12211 on a CPU.",
     .since = "0.2.0",
     .requirements = {OnlyModels},
     .check = CheckHparams},
    {.id = "context-size-plausible",
     .severities = {.upload = kWarning, .llama_cpp = kWarning, .safety = kWarning},
     .summary = "A context of the model's own length should fit in the memory of a machine.",
     .why = "Programs make a context of this length unless they are told otherwise, and fail, or "
            "take all memory.",
     .repair = "Correct context_length or, if the message is about few tokens, the sizes of the "
               "heads.",
     .citation = "Not in the specification; the size of llama.cpp's cache and states.",
     .since = "0.2.0",
     .requirements = {OnlyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr uint64_t kMost = uint64_t{16} << 40;
           const Hparams& hparams = context.model.hparams();
           const auto size = ContextSizeOf(hparams);
           if (!size || std::max(size->kv_cache, size->recurrent_state) <= kMost) return;
           find(hparams.Key(Symbol::kNCtxTrain)->at_value(),
                "makes a context of {length token|tokens} take {bytes} bytes, more than 16 TiB",
                {{"length", size->length},
                 {"bytes", std::max(size->kv_cache, size->recurrent_state)}});
         }},
    {.id = "unused-keys-in-bounds",
     .severities = {.upload = kError, .safety = kError},
     .summary = "Counts and sizes shall be in their bounds also in keys that the file's kind or "
                "architecture does not use.",
     .why = "Some readers allocate and index by such keys before they look at the kind of the "
            "file, or without doing so: ollama panics on an empty array of head counts in an "
            "adapter.",
     .repair = "Remove the key, or correct the value as the rule in the message says.",
     .citation = "Not in the specification; what a file says of itself must not switch off the "
                 "bounds that protect its readers.",
     .since = "0.2.0",
     .requirements = {OnlyWithAllKeys},
     .check = UnusedKeysInBounds},
};

constexpr RuleTable kKindConditionRules = {
    {.id = "lora-type-stated",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "In a LoRA adapter, general.type shall be adapter and adapter.type shall be lora.",
     .why = "llama.cpp refuses an adapter of any other type.",
     .repair = "Write the two keys as llama.cpp's adapter converter does.",
     .citation = "Not in the specification; llama.cpp throws \"expect general.type to be "
                 "'adapter'\" and \"expect adapter.type to be 'lora'\".",
     .needs = Needs::kTensors,
     .check = CheckKeysOfKind},
    {.id = "projector-encoder-stated",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A projector shall have an encoder: for images, for sound, or for both.",
     .why = "llama.cpp loads nothing from the file and fails.",
     .repair = "Set clip.has_vision_encoder or clip.has_audio_encoder to true.",
     .citation = "Not in the specification; llama.cpp's multimodal library requires one.",
     .needs = Needs::kTensors,
     .check = CheckKeysOfKind},
    {.id = "projector-sizes-in-range",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The sizes of a projector shall be in the range that readers can compute with.",
     .why = "llama.cpp divides by the number of heads and the patch size, and the squares of the "
            "other sizes may overflow 32 bits; llama.cpp has written past the end of its buffers "
            "(llama.cpp #27166, #27223, #27224).",
     .repair = "Write the values of the original model's configuration.",
     .citation = "Not in the specification; the limits of llama.cpp's clip.cpp of August 2026; the "
                 "number of pixels is limited by the range of clip.cpp's 32-bit indexes.",
     .needs = Needs::kTensors,
     .check = CheckSizesOfProjector},
    {.id = "projector-image-whole-patches",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "A projector's image size should be a multiple of its patch size.",
     .why = "The last pixels of each row and column are ignored.",
     .repair = "No change is needed if the original model has these sizes, as some do.",
     .citation = "Not in the specification; clip.cpp divides the image size by the patch size and "
                 "drops the remainder.",
     .needs = Needs::kTensors,
     .check = CheckKeysOfKind},
    {.id = "projector-image-channels",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "image_mean and image_std of a projector shall have a value for each of the three "
                "colour channels.",
     .why = "Older versions of llama.cpp read three values regardless of the length (llama.cpp "
            "#24142); newer versions refuse the file.",
     .repair = "Write three values.",
     .citation = "Not in the specification; llama.cpp throws \"image_mean/image_std arrays must "
                 "have at least 3 elements\".",
     .needs = Needs::kTensors,
     .check = CheckKeysOfKind},
    {.id = "projector-pinpoints-paired",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "image_grid_pinpoints of a projector shall have an even number of elements, a "
                "width and a height for each size.",
     .why = "Older versions of llama.cpp read a number past the end of the array (llama.cpp "
            "#24976); newer versions refuse the file.",
     .repair = "Write the width and height of each size.",
     .citation = "Not in the specification; llama.cpp throws \"image_grid_pinpoints must have an "
                 "even number of elements\".",
     .needs = Needs::kTensors,
     .check = CheckKeysOfKind},
    {.id = "projector-one-activation",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A projector shall not use both GELU and SiLU.",
     .why = "llama.cpp supports one activation for each projector and refuses the file.",
     .repair = "Of clip.use_gelu and clip.use_silu, set the one that the original model does not "
               "use to false.",
     .citation = "Not in the specification; llama.cpp throws \"both use_gelu and use_silu are set "
                 "to true\".",
     .needs = Needs::kTensors,
     .check = CheckKeysOfKind},
};

}  // namespace gguf
