// The keys of a shard, as far as one shard alone can tell.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/hparams.h"
#include "conformance/rules/sections.h"

namespace gguf {
namespace {

// One of the keys and its number.
struct Number {
  const KeyValue* kv = nullptr;  // Null: missing, or no integer.
  uint64_t value = 0;
};

Number ReadNumber(const Model& model, absl::string_view key) {
  Number number;
  const KeyValue* kv = model.FindKey(key);
  if (kv == nullptr) return number;
  const auto value = IntegerOf(model.file, *kv);
  if (!value || kv->element_type != nullptr) return number;
  number.kv = kv;
  // A negative one is more than any.
  number.value = static_cast<uint64_t>(*value);
  return number;
}

constexpr Rule kSplitNumberBelowCount = {
    "split-number-below-count",
    ByProfile("E-E-"),
    "A shard's number shall be below the number of shards.",
    "llama.cpp numbers the shards from 0 and refuses any other number.",
    "Write split.no from 0 on, and the same split.count into every shard.",
    "No norm: llama.cpp's model loader throws \"invalid split file idx\"."};

void SplitNumberBelowCount(const Model& model, Finder& find) {
  const Number number = ReadNumber(model, "split.no");
  const Number count = ReadNumber(model, "split.count");
  if (number.kv == nullptr || count.kv == nullptr || count.value <= 1) return;
  if (number.value < count.value) return;
  find(number.kv->value, number.kv->subject().Of("value"),
       "is shard {number}, counted from 0, of {count}",
       {{"number", number.value}, {"count", count.value}});
}

constexpr Rule kSplitTensorsCounted = {
    "split-tensors-counted",
    ByProfile("E-E-"),
    "A shard shall not have more tensors than all shards together.",
    "llama.cpp refuses a model whose shards hold another number of tensors.",
    "Write the number of tensors of all shards into split.tensors.count.",
    "No norm: llama.cpp's model loader throws \"corrupted model\"."};

void SplitTensorsCounted(const Model& model, Finder& find) {
  const Number tensors = ReadNumber(model, "split.tensors.count");
  const Number count = ReadNumber(model, "split.count");
  if (tensors.kv == nullptr || count.kv == nullptr || count.value <= 1) return;
  const uint64_t here = model.file.tensor_count.value;
  if (here <= tensors.value && tensors.value >> 63 == 0) return;
  find(tensors.kv->value, tensors.kv->subject().Of("value"),
       "is {count} tensors in all shards, but {here} are in this one",
       {{"count", tensors.value}, {"here", here}});
}

constexpr Rule kSplitCountPlausible = {
    "split-count-plausible",
    ByProfile("WNW-"),
    "A model should not have more shards than tensors and one.",
    "A reader opens that many files.",
    "Write the number of shards into split.count.",
    "No norm: only the first shard may be without tensors."};

void SplitCountPlausible(const Model& model, Finder& find) {
  const Number tensors = ReadNumber(model, "split.tensors.count");
  const Number count = ReadNumber(model, "split.count");
  if (tensors.kv == nullptr || count.kv == nullptr || count.value <= 1) return;
  if (count.value - 1 <= tensors.value) return;
  find(count.kv->value, count.kv->subject().Of("value"),
       "is {count} shards, but split.tensors.count is {tensors}",
       {{"count", count.value}, {"tensors", tensors.value}});
}

constexpr Check kChecks[] = {
    {&kSplitNumberBelowCount, Needs::kKeys, SplitNumberBelowCount},
    {&kSplitTensorsCounted, Needs::kKeys, SplitTensorsCounted},
    {&kSplitCountPlausible, Needs::kKeys, SplitCountPlausible},
};

}  // namespace

absl::Span<const Check> SplitChecks() { return kChecks; }

}  // namespace gguf
