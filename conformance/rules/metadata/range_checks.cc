// Checks of numbers that have a sensible range: the settings of samplers, and
// the counts of an importance matrix.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/model/hparams.h"
#include "conformance/rules/metadata/checks.h"
#include "conformance/tables/key_ranges.h"

namespace gguf {
namespace {

constexpr Rule kNumberInRange = {
    "number-in-range",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "The settings of samplers in general.sampling.*, and the counts of an "
    "importance matrix, should be within a sensible range.",
    "Unless the user overrides them, llama.cpp applies general.sampling.* "
    "unchecked: the model generates nonsense, or always the same text. The "
    "counts document how the model was quantized.",
    "Write the value from the model's generation_config.json, or the counts of "
    "the importance matrix; otherwise remove the key.",
    "Not in the specification; the samplers in llama.cpp of August 2026.",
    Since("0.2.0")};

std::optional<double> NumberOf(const File& file, const KeyValue& kv) {
  if (kv.type->kind == ValueKind::kArray) return std::nullopt;
  const auto number = FloatOf(file, kv);
  if (number) return number;
  const auto integer = IntegerOf(file, kv);
  if (!integer) return std::nullopt;
  return static_cast<double>(*integer);
}

bool IsInRange(double value, const KeyRange& row) {
  const double most = row.most == INT32_MAX ? HUGE_VAL : row.most;
  return std::isfinite(value) && value >= row.least && value <= most &&
         !(row.above && value == row.least);
}

std::string RangeText(const KeyRange& row) {
  const char* least = row.above ? "above " : "at least ";
  return row.most == INT32_MAX ? absl::StrCat(least, row.least)
                               : absl::StrCat(row.least, " to ", row.most);
}

void NumberInRange(const Model& model, Finder& find) {
  for (const KeyRange& row : kKeyRanges) {
    const KeyValue* kv = model.FindKey(row.key);
    if (kv == nullptr) continue;
    const auto value = NumberOf(model.file, *kv);
    if (!value || IsInRange(*value, row)) continue;
    find(kv->at_value(), "is {value}, not {range}",
         {{"value", Word{absl::StrFormat("%.9g", *value)}},
          {"range", Word{RangeText(row)}}});
  }
}

constexpr char kWindow[] = "general.sampling.penalty_last_n";
constexpr int64_t kMostTokens = 16777216;

constexpr Rule kWindowBounded = {
    "sampling-window-bounded",
    Severities().Upload(kWarning).LlamaCpp(kWarning).Safety(kError),
    "general.sampling.penalty_last_n shall be at most 16,777,216 tokens.",
    "llama.cpp allocates four bytes for each of these tokens, for every "
    "sequence, before it generates anything: 8 GiB for 2,147,483,647 tokens.",
    "Write a number of tokens below the context length, or remove the key.",
    "Not in the specification; the buffer of the repetition-penalty sampler in "
    "llama.cpp of August 2026.",
    Since("0.2.0")};

void WindowBounded(const Model& model, Finder& find) {
  const KeyValue* kv = model.FindKey(kWindow);
  if (kv == nullptr) return;
  const auto tokens = IntegerOf(model.file, *kv);
  if (!tokens || *tokens <= kMostTokens) return;
  find(kv->at_value(), "is {tokens}", {{"tokens", *tokens}});
}

constexpr Check kChecks[] = {
    {&kNumberInRange, Needs::kKeys, NumberInRange},
    {&kWindowBounded, Needs::kKeys, WindowBounded},
};

}  // namespace

absl::Span<const Check> RangeChecks() { return kChecks; }

}  // namespace gguf
