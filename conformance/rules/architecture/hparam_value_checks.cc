// Checks of hyperparameters that are arrays or floats.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
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
#include "parser/core/quote.h"

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
          "the length of ", Visible(hparams.Expand(row.key)), " depends on ",
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
    "Not in the specification; follows from how these values are used."};

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

// The lengths and the factor of a model with YaRN.
struct Yarn {
  const KeyValue* context_key;
  int64_t context;
  int64_t original;
  double factor;
};

// Returns them if all are stated and make sense on their own; other rules
// report those that do not.
std::optional<Yarn> YarnOf(const Model& model) {
  const Hparams& hparams = model.hparams();
  if (hparams.Text(Symbol::kRopeScalingType) != "yarn") return std::nullopt;
  const KeyValue* factor =
      model.FindKey(hparams.Expand("{arch}.rope.scaling.factor"));
  const KeyValue* context = hparams.Key(Symbol::kNCtxTrain);
  if (factor == nullptr || context == nullptr ||
      hparams.Key(Symbol::kRopeOriginalContextLength) == nullptr) {
    return std::nullopt;
  }
  const auto value = FloatOf(model.file, *factor);
  const auto length = hparams.Get(Symbol::kNCtxTrain);
  const auto original = hparams.Get(Symbol::kRopeOriginalContextLength);
  if (!value || !std::isfinite(*value) || *value <= 0 ||
      length.value_or(0) <= 0 || original.value_or(0) <= 0) {
    return std::nullopt;
  }
  return Yarn{context, *length, *original, *value};
}

constexpr Rule kYarnReaches = {
    "yarn-reaches-context-length",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "With YaRN, context_length should be at most rope.scaling.factor times "
    "rope.scaling.original_context_length.",
    "YaRN extends the original context length by rope.scaling.factor; beyond "
    "the extended length, the output becomes nonsense.",
    "Write the lengths and the factor of the original model's configuration.",
    "Not in the specification; the method's definition of the factor "
    "(arXiv:2309.00071), and llama.cpp's use of the three keys.",
    Since("0.2.0")};

void YarnReaches(const Model& model, Finder& find) {
  constexpr double kRounding = 1.01;  // Of factors such as 31.98.
  const auto yarn = YarnOf(model);
  if (!yarn) return;
  const double reach = static_cast<double>(yarn->original) * yarn->factor;
  if (static_cast<double>(yarn->context) <= reach * kRounding) return;
  find(yarn->context_key->at_value(),
       "is {context}, but YaRN extends {original} only by the factor {factor}",
       {{"context", yarn->context},
        {"original", yarn->original},
        {"factor", Word{absl::StrCat(yarn->factor)}}});
}

constexpr Rule kYarnExtends = {
    "yarn-extends-context-length",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "With YaRN, context_length should be at least "
    "rope.scaling.original_context_length.",
    "Programs limit the context to context_length, but YaRN changes the output "
    "as if the context were longer.",
    "Write the extended length as context_length.",
    "Not in the specification; llama.cpp takes context_length as the length "
    "that the model was trained for.",
    Since("0.2.0")};

void YarnExtends(const Model& model, Finder& find) {
  const auto yarn = YarnOf(model);
  if (!yarn || yarn->context >= yarn->original) return;
  find(yarn->context_key->at_value(),
       "is {context}, less than the original context length, {original}",
       {{"context", yarn->context}, {"original", yarn->original}});
}

constexpr Check kChecks[] = {
    {&kArrayLength, Needs::kKeys, ArrayLengthRight, OnlyModels},
    {&kArrayValues, Needs::kKeys, ArrayValuesInRange, OnlyModels},
    {&kFloatPositive, Needs::kKeys, FloatPositive, OnlyModels},
    {&kYarnReaches, Needs::kKeys, YarnReaches, OnlyModels},
    {&kYarnExtends, Needs::kKeys, YarnExtends, OnlyModels},
};

}  // namespace

absl::Span<const Check> HparamValueChecks() { return kChecks; }

}  // namespace gguf
