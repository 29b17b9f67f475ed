// Checks of hyperparameters that are arrays or floats.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/model/hparams.h"
#include "conformance/model/reason.h"
#include "conformance/rules/architecture/hparam_arrays.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/array_lengths.h"

namespace gguf {
namespace {

// The maximum number of elements of an array whose values are checked.
// llama.cpp accepts at most 512 blocks and 4096 adapters.
constexpr uint64_t kMostElements = 4096;

// The elements of a key's array; empty if it is not one of integers.
std::vector<int64_t> ElementsOf(const Model& model, const KeyValue* kv) {
  std::vector<int64_t> elements;
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
void FindOutside(const KeyValue* kv, const std::vector<int64_t>& elements, int64_t most,
                 bool signed_too, const char* what, Finder& find) {
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] <= most && (elements[i] >= 0 || !signed_too)) continue;
    return find(ElementOf(*kv, i), "is {element}, but {what} {most}",
                {{"element", elements[i]}, {"what", Trusted{what}}, {"most", most}});
  }
}

// The keys, with {arch} for the architecture's name.
constexpr const char* kPositive[] = {
    "{arch}.attention.layer_norm_epsilon", "{arch}.attention.layer_norm_rms_epsilon",
    "{arch}.attention.group_norm_epsilon", "{arch}.rope.freq_base",
    "{arch}.rope.freq_base_swa",
};

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
  const KeyValue* factor = model.FindKey(hparams.Expand("{arch}.rope.scaling.factor"));
  const KeyValue* context = hparams.Key(Symbol::kNCtxTrain);
  if (factor == nullptr || context == nullptr ||
      hparams.Key(Symbol::kRopeOriginalContextLength) == nullptr) {
    return std::nullopt;
  }
  const auto value = FloatOf(model.file, *factor);
  const auto length = hparams.Get(Symbol::kNCtxTrain);
  const auto original = hparams.Get(Symbol::kRopeOriginalContextLength);
  if (!value || !std::isfinite(*value) || *value <= 0 || length.value_or(0) <= 0 ||
      original.value_or(0) <= 0) {
    return std::nullopt;
  }
  return Yarn{context, *length, *original, *value};
}

}  // namespace

void CheckArrayLengths(const Model& model, const Hparams& hparams, Finder& find) {
  for (const ArrayLength& row : kArrayLengths.Of(hparams.architecture())) {
    const KeyValue* kv = model.FindKey(hparams.Expand(row.key));
    if (kv == nullptr) continue;
    const std::optional<uint64_t> length = LengthOf(*kv);
    if (!length) continue;  // A scalar.
    const std::optional<int64_t> wanted = hparams.Evaluate(row.length);
    if (*length == 0 && wanted.value_or(1) != 0) {
      find(kv->at_value(), "has no elements", {});
      continue;
    }
    if (!wanted || *wanted < 0) {
      find.CannotCheck(absl::StrCat("the length of ", Visible(hparams.Expand(row.key)),
                                    " depends on ", NamesIn(hparams, row.length),
                                    ", which is not known"));
      continue;
    }
    const auto right = static_cast<uint64_t>(*wanted);
    if (*length == right || (row.or_more && *length > right)) continue;
    find(kv->at_value(), "has {length element|elements}, not {wanted}, {reason}",
         {{"length", *length}, {"wanted", right}, {"reason", Trusted{row.reason}}});
  }
}

void CheckArrayValues(const Model& model, const Hparams& hparams, Finder& find) {
  const absl::string_view architecture = hparams.architecture_name();
  if (architecture == "granite") {
    const KeyValue* kv = hparams.Key(Symbol::kDeepstackMapping);
    const std::vector<int64_t> mapping = ElementsOf(model, kv);
    std::set<int64_t> inputs;  // Negative numbers mean that there is none.
    for (const int64_t input : mapping) {
      if (input >= 0) inputs.insert(input);
    }
    FindOutside(kv, mapping, static_cast<int64_t>(inputs.size()), false,
                "the number of different inputs is", find);
  }
  if (architecture == "graniteswitch") {
    const KeyValue* kv = hparams.Key(Symbol::kAdapterSubstitutes);
    const auto tokens = hparams.Get(Symbol::kNVocab);
    if (!tokens) return find.CannotCheck("the number of tokens is not known");
    FindOutside(kv, ElementsOf(model, kv), *tokens - 1, true, "the last token is", find);
  }
}

constexpr RuleTable kHparamValueRules = {
    {.id = "hparam-array-length",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "A hyperparameter array shall have the length that the architecture requires.",
     .why = "llama.cpp refuses any other length; readers that do not check it read past the end of "
            "the array.",
     .repair = "Write one element for each block, or a scalar if all elements are equal.",
     .citation = "Not in the specification; llama.cpp's loader compares the lengths.",
     .requirements = {OnlyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           CheckArrayLengths(context.model, context.model.hparams(), find);
         }},
    {.id = "hparam-array-values-in-range",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "deepstack_mapping of granite shall number its inputs without gaps, and "
                "adapters.token_ids_substitute of graniteswitch shall contain token ids.",
     .why = "llama.cpp refuses the file; a reader that does not check the values reads outside its "
            "tables.",
     .repair = "Write the values of the original model's configuration.",
     .citation = "Not in the specification; llama.cpp throws \"Invalid deepstack index\" and "
                 "\"substitute token id ... out of range\".",
     .since = "0.2.0",
     .requirements = {OnlyModels},
     .check = [](const CheckContext& context,
                 Finder& find) { CheckArrayValues(context.model, context.model.hparams(), find); }},
    {.id = "hparam-float-positive",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "An epsilon and the base of the rotary embedding should be above 0.",
     .why =
         "An epsilon prevents a division by 0, and powers of a base that is not positive are NaN.",
     .repair = "Write the value from the original model's configuration, or leave the key out "
               "where it is optional.",
     .citation = "Not in the specification; follows from how these values are used.",
     .requirements = {OnlyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const char* const key : kPositive) {
             const KeyValue* kv = context.model.FindKey(context.model.hparams().Expand(key));
             if (kv == nullptr) continue;
             const std::optional<double> value = FloatOf(context.model.file, *kv);
             // A value that is not finite violates metadata-float-finite.
             if (!value || !std::isfinite(*value) || *value > 0) continue;
             find(kv->at_value(), "is {value}, not above 0",
                  {{"value", Trusted{absl::StrCat(*value)}}});
           }
         }},
    {.id = "yarn-reaches-context-length",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "With YaRN, context_length should be at most rope.scaling.factor times "
                "rope.scaling.original_context_length.",
     .why = "YaRN extends the original context length by rope.scaling.factor; beyond the extended "
            "length, the output becomes nonsense.",
     .repair = "Write the lengths and the factor of the original model's configuration.",
     .citation = "Not in the specification; the method's definition of the factor "
                 "(arXiv:2309.00071), and llama.cpp's use of the three keys.",
     .since = "0.2.0",
     .requirements = {OnlyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr double kRounding = 1.01;  // Of factors such as 31.98.
           const auto yarn = YarnOf(context.model);
           if (!yarn) return;
           const double reach = static_cast<double>(yarn->original) * yarn->factor;
           if (static_cast<double>(yarn->context) <= reach * kRounding) return;
           find(yarn->context_key->at_value(),
                "is {context}, but YaRN extends {original} only by the factor {factor}",
                {{"context", yarn->context},
                 {"original", yarn->original},
                 {"factor", Trusted{absl::StrCat(yarn->factor)}}});
         }},
    {.id = "yarn-extends-context-length",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary =
         "With YaRN, context_length should be at least rope.scaling.original_context_length.",
     .why = "Programs limit the context to context_length, but YaRN changes the output as if the "
            "context were longer.",
     .repair = "Write the extended length as context_length.",
     .citation = "Not in the specification; llama.cpp takes context_length as the length that the "
                 "model was trained for.",
     .since = "0.2.0",
     .requirements = {OnlyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto yarn = YarnOf(context.model);
           if (!yarn || yarn->context >= yarn->original) return;
           find(yarn->context_key->at_value(),
                "is {context}, less than the original context length, {original}",
                {{"context", yarn->context}, {"original", yarn->original}});
         }},
};

}  // namespace gguf
