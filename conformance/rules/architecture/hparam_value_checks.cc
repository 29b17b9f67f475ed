// Checks of hyperparameters that are arrays or floats.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/model/hparam_names.h"
#include "conformance/model/reason.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/judged.h"
#include "conformance/tables/array_lengths.h"
#include "parser/core/byte_order.h"

namespace gguf {
namespace {

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

std::optional<double> FloatOf(const File& file, const KeyValue& kv) {
  if (kv.type->kind != ValueKind::kFloat) return std::nullopt;
  const uint64_t bits = LoadUnsignedOfSize(file.bytes.data() + kv.value.begin,
                                           kv.type->size, file.encoding.endian);
  return kv.type->size == 4 ? FloatFromBits(static_cast<uint32_t>(bits))
                            : DoubleFromBits(bits);
}

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
    {&kFloatPositive, Needs::kKeys, FloatPositive, OnlyModels},
};

}  // namespace

absl::Span<const Check> HparamValueChecks() { return kChecks; }

}  // namespace gguf
