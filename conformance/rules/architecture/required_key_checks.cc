// Checks of the keys that an architecture requires.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/model/hparam_names.h"
#include "conformance/model/reason.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/judged.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/required_keys.h"

namespace gguf {
namespace {

constexpr char kSpecification[] = "the specification";
constexpr char kLlamaCpp[] = "llama.cpp";
constexpr char kLlamaCpp2025[] = "llama.cpp of February 2025";

// Reports all missing keys, each with its type and who requires it.
template <RequiredBy by, const char* who>
void FindMissing(const Model& model, Finder& find) {
  const Hparams& hparams = model.hparams();
  const KeyValue& architecture = *hparams.architecture_key();
  const bool has_tensors =
      model.file.tensor_count.value > 0 || !model.tensors().empty();
  for (const RequiredKey& row : kRequiredKeys.Of(hparams.architecture())) {
    const bool is_loaded = by == RequiredBy::kLoader &&
                           row.by == RequiredBy::kTensors && has_tensors;
    if ((row.by != by && !is_loaded) || HasKey(model, row)) continue;
    if (!IsRequired(model, row.key, row.when, find)) continue;
    const std::string key = hparams.Expand(row.key);
    const std::string reason =
        row.when.empty()
            ? ""
            : absl::StrCat(" because of ", NamesIn(hparams, row.when));
    find(architecture.value, architecture.subject(),
         "missing key {key} ({type}); {who} requires it for "
         "{architecture}{when}",
         {{"key", absl::string_view(key)},
          {"type", Word{row.type}},
          {"who", Word{who}},
          {"architecture", hparams.architecture_name()},
          {"when", Word{reason}}});
  }
}

constexpr char kRepair[] =
    "Convert the model again with a newer converter, or add the key with the "
    "value from the original model's configuration.";

constexpr Rule kKeysOfSpecPresent = {
    "spec-keys-present",
    Severities().Spec(kError),
    "A model shall have the keys that the specification requires for its "
    "architecture.",
    "A reader that follows the specification has no default for these keys.",
    kRepair,
    "gguf.md, LLM: \"If mentioned in an architecture's section, it is required "
    "for that architecture\"."};

constexpr Rule kUnusualKeysOfSpecPresent = {
    "spec-unusual-keys-present",
    Severities().Spec(kWarning),
    "A model should also have the keys that the specification requires but "
    "hardly any converter writes.",
    "The specification lists falcon.attention.use_norm without a type, and "
    "gives two names to each of two keys of mpt; readers do not look for any "
    "of these keys.",
    "No change is needed for current readers.",
    "gguf.md, MPT and Falcon: attention.alibi_bias_max and clip_kqv (also "
    "max_alibi_bias and clamp_kqv), attention.use_norm."};

constexpr Rule kKeysOfLoaderPresent = {
    "llama-cpp-keys-present",
    Severities().Upload(kError).LlamaCpp(kError),
    "A model shall have the keys without which llama.cpp does not load its "
    "architecture.",
    "llama.cpp stops at the first missing key, or assumes 0 for it and then "
    "refuses the shapes of the tensors.",
    kRepair,
    "Not in the specification; required by the model loader in llama.cpp "
    "v0.5.0."};

Reason OnlyWithLoader(const Model& model) {
  return IsIn(model.hparams().architecture(), Group::kLoader)
             ? Reason()
             : "llama.cpp has no loader for the architecture";
}

constexpr Rule kKeysOfOldLoaderPresent = {
    "older-llama-cpp-keys-present",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "A model should have the keys that llama.cpp required until 2025.",
    "llama.cpp of February 2025 refuses the model; later versions use defaults "
    "for these keys.",
    kRepair,
    "Not in the specification; the keys that llama.cpp's loader required in "
    "February 2025."};

constexpr Check kChecks[] = {
    {&kKeysOfSpecPresent, Needs::kKeys,
     FindMissing<RequiredBy::kSpec, kSpecification>, OnlyModels},
    {&kUnusualKeysOfSpecPresent, Needs::kKeys,
     FindMissing<RequiredBy::kSpecShould, kSpecification>, OnlyModels},
    {&kKeysOfLoaderPresent, Needs::kKeys,
     FindMissing<RequiredBy::kLoader, kLlamaCpp>, OnlyModels, OnlyWithLoader},
    {&kKeysOfOldLoaderPresent, Needs::kKeys,
     FindMissing<RequiredBy::kLoader2025, kLlamaCpp2025>, OnlyModels},
};

}  // namespace

absl::Span<const Check> RequiredKeyChecks() { return kChecks; }

}  // namespace gguf
