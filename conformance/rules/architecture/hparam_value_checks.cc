// Checks of hyperparameters that are arrays or floats.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/model/hparam_names.h"
#include "conformance/model/reason.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/judged.h"
#include "conformance/tables/array_lengths.h"

namespace gguf {
namespace {

// The maximum number of elements of an array whose values are checked.
// llama.cpp accepts at most 512 blocks and 4096 adapters.
constexpr uint64_t kMostElements = 4096;

constexpr Rule kArrayLength = {
    "hparam-array-length",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "A hyperparameter array shall have the length that the architecture "
    "requires.",
    "llama.cpp refuses any other length; readers that do not check it read "
    "past the end of the array.",
    "Write one element for each block, or a scalar if all elements are equal.",
    "Not in the specification; llama.cpp's loader compares the lengths."};

void ArrayLengthRight(const Model& model, Finder& find) {
  const Hparams& hparams = model.hparams();
  for (const ArrayLength& row : kArrayLengths.Of(hparams.architecture())) {
    const KeyValue* kv = model.FindKey(hparams.Expand(row.key));
    if (kv == nullptr) continue;
    const std::optional<uint64_t> length = LengthOf(*kv);
    if (!length) continue;  // A scalar.
    const std::optional<int64_t> wanted = hparams.Evaluate(row.length);
    if (!wanted || *wanted < 0) {
      find.CannotCheck(absl::StrCat(
          "the length of ", hparams.Expand(row.key), " depends on ",
          NamesIn(hparams, row.length), ", which is not known"));
      continue;
    }
    const auto right = static_cast<uint64_t>(*wanted);
    if (*length == right || (row.or_more && *length > right)) continue;
    find(
        kv->at_value(), "has {length} elements, not {wanted}, {reason}",
        {{"length", *length}, {"wanted", right}, {"reason", Word{row.reason}}});
  }
}

constexpr Rule kArrayValues = {
    "hparam-array-values-in-range",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "deepstack_mapping of granite shall number its inputs without gaps, and "
    "adapters.token_ids_substitute of graniteswitch shall contain token ids.",
    "llama.cpp refuses the file; a reader that does not check the values reads "
    "outside its tables.",
    "Write the values of the original model's configuration.",
    "Not in the specification; llama.cpp throws \"Invalid deepstack index\" "
    "and \"substitute token id ... out of range\".",
    Since("0.2.0")};

// The elements of a key's array; empty if it is not one of integers.
std::vector<int64_t> ElementsOf(const Model& model, Symbol symbol) {
  std::vector<int64_t> elements;
  const KeyValue* kv = model.hparams().Key(symbol);
  if (kv == nullptr || !LengthOf(*kv)) return elements;
  for (uint64_t i = 0; i < *LengthOf(*kv); ++i) {
    const auto element = IntegerOf(model.file, *kv, i);
    if (!element) return {};
    elements.push_back(*element);
    if (elements.size() > kMostElements) return {};
  }
  return elements;
}

// Reports the first element of the array above `most`, or, with `signed_too`,
// below 0.
void FindOutside(const Model& model, Symbol symbol,
                 const std::vector<int64_t>& elements, int64_t most,
                 bool signed_too, const char* what, Finder& find) {
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] <= most && (elements[i] >= 0 || !signed_too)) continue;
    const KeyValue& kv = *model.hparams().Key(symbol);
    return find(
        kv.value, kv.subject().Of("value").At(i),
        "is {element}, but {what} {most}",
        {{"element", elements[i]}, {"what", Word{what}}, {"most", most}});
  }
}

void ArrayValuesInRange(const Model& model, Finder& find) {
  const absl::string_view architecture = model.hparams().architecture_name();
  if (architecture == "granite") {
    const Symbol symbol = Symbol::kDeepstackMapping;
    const std::vector<int64_t> mapping = ElementsOf(model, symbol);
    std::set<int64_t> inputs;  // Negative numbers mean that there is none.
    for (const int64_t input : mapping) {
      if (input >= 0) inputs.insert(input);
    }
    FindOutside(model, symbol, mapping, static_cast<int64_t>(inputs.size()),
                false, "the number of different inputs is", find);
  }
  if (architecture == "graniteswitch") {
    const Symbol symbol = Symbol::kAdapterSubstitutes;
    const auto tokens = model.hparams().Get(Symbol::kNVocab);
    if (!tokens) return find.CannotCheck("the number of tokens is not known");
    FindOutside(model, symbol, ElementsOf(model, symbol), *tokens - 1, true,
                "the last token is", find);
  }
}

constexpr Rule kFloatPositive = {
    "hparam-float-positive",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    "An epsilon and the base of the rotary embedding should be above 0.",
    "An epsilon prevents a division by 0, and powers of a base that is not "
    "positive are NaN.",
    "Write the value from the original model's configuration, or leave the key "
    "out where it is optional.",
    "Not in the specification; follows from their use."};

// The keys, with {arch} for the architecture's name.
constexpr const char* kPositive[] = {
    "{arch}.attention.layer_norm_epsilon",
    "{arch}.attention.layer_norm_rms_epsilon",
    "{arch}.attention.group_norm_epsilon",
    "{arch}.rope.freq_base",
    "{arch}.rope.freq_base_swa",
};

void FloatPositive(const Model& model, Finder& find) {
  for (const char* const key : kPositive) {
    const KeyValue* kv = model.FindKey(model.hparams().Expand(key));
    if (kv == nullptr) continue;
    const std::optional<double> value = FloatOf(model.file, *kv);
    // A value that is not finite violates metadata-float-finite.
    if (!value || !std::isfinite(*value) || *value > 0) continue;
    find(kv->at_value(), "is {value}", {{"value", Word{absl::StrCat(*value)}}});
  }
}

constexpr Check kChecks[] = {
    {&kArrayLength, Needs::kKeys, ArrayLengthRight, OnlyModels},
    {&kArrayValues, Needs::kKeys, ArrayValuesInRange, OnlyModels},
    {&kFloatPositive, Needs::kKeys, FloatPositive, OnlyModels},
};

}  // namespace

absl::Span<const Check> HparamValueChecks() { return kChecks; }

}  // namespace gguf
