// Checks of the keys of a shard that need no other shard.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "conformance/model/hparams.h"
#include "conformance/rules/shards/checks.h"

namespace gguf {
namespace {

// The three keys of a shard.  Each is set if it is present and a number; other
// rules check its type.
struct SplitKeys {
  explicit SplitKeys(const Hparams& hparams)
      : number(Read(hparams, Symbol::kSplitNo)),
        count(Read(hparams, Symbol::kSplitCount)),
        tensors(Read(hparams, Symbol::kSplitTensorsCount)) {
    if (count.value_or(0) <= 1) number = count = tensors = std::nullopt;
  }

  static std::optional<int64_t> Read(const Hparams& hparams, Symbol symbol) {
    const KeyValue* kv = hparams.Key(symbol);
    if (kv == nullptr || kv->element_type != nullptr) return std::nullopt;
    return hparams.Get(symbol);
  }

  // All are absent when split.count is not above 1.
  std::optional<int64_t> number;
  std::optional<int64_t> count;
  std::optional<int64_t> tensors;
};

constexpr Rule kSplitNumberBelowCount = {
    "split-number-below-count",
    Severities().Upload(kError).LlamaCpp(kError),
    "A shard's number shall be below the number of shards.",
    "llama.cpp numbers the shards from 0 to split.count - 1, and rejects a "
    "number outside this range.",
    "Number the shards in split.no from 0, and write the same split.count to "
    "every shard.",
    "Not in the specification; llama.cpp's model loader throws \"invalid split "
    "file idx\"."};

// In a set, other rules compare the keys of later shards with the name and with
// the first shard; llama.cpp reads only split.no there.
Reason OnlyAloneOrFirst(const Model& model) {
  return model.shard_set() == nullptr || model.is_whole() ? Reason()
                                                          : Reason::Silent();
}

void SplitNumberBelowCount(const Model& model, Finder& find) {
  const SplitKeys split(model.hparams());
  if (!split.number || *split.number < *split.count) return;
  const KeyValue& kv = *model.hparams().Key(Symbol::kSplitNo);
  find(kv.at_value(),
       "is {number}, but shards are numbered from 0 and split.count is {count}",
       {{"number", *split.number}, {"count", *split.count}});
}

constexpr Rule kSplitTensorsCounted = {
    "split-tensors-counted",
    Severities().Upload(kError).LlamaCpp(kError),
    "A shard shall not have more tensors than split.tensors.count, the number "
    "in all shards.",
    "llama.cpp rejects a model whose shards do not contain exactly "
    "split.tensors.count tensors in total.",
    "Set split.tensors.count to the total number of tensors in all shards.",
    "Not in the specification; llama.cpp's model loader throws \"corrupted "
    "model\"."};

void SplitTensorsCounted(const Model& model, Finder& find) {
  const SplitKeys split(model.hparams());
  const uint64_t here = model.file.tensor_count.value;
  if (!split.tensors) return;
  if (*split.tensors >= 0 && here <= static_cast<uint64_t>(*split.tensors)) {
    return;
  }
  const KeyValue& kv = *model.hparams().Key(Symbol::kSplitTensorsCount);
  find(kv.at_value(),
       "is {count} for all shards, but this shard has {here} tensors",
       {{"count", *split.tensors}, {"here", here}});
}

constexpr Rule kSplitCountPlausible = {
    "split-count-plausible",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kWarning),
    "A model should have at most one shard more than it has tensors.",
    "A reader opens as many files as split.count states.",
    "Set split.count to the number of shards.",
    "Not in the specification; only the first shard may lack tensors."};

void SplitCountPlausible(const Model& model, Finder& find) {
  const SplitKeys split(model.hparams());
  // split-tensors-counted reports a negative number of tensors.
  if (split.tensors.value_or(-1) < 0) return;
  if (*split.count - 1 <= *split.tensors) return;
  const KeyValue& kv = *model.hparams().Key(Symbol::kSplitCount);
  find(kv.at_value(), "is {count}, but split.tensors.count is {tensors}",
       {{"count", *split.count}, {"tensors", *split.tensors}});
}

constexpr Check kChecks[] = {
    {&kSplitNumberBelowCount, Needs::kKeys, SplitNumberBelowCount,
     OnlyAloneOrFirst},
    {&kSplitTensorsCounted, Needs::kKeys, SplitTensorsCounted,
     OnlyAloneOrFirst},
    {&kSplitCountPlausible, Needs::kKeys, SplitCountPlausible,
     OnlyAloneOrFirst},
};

}  // namespace

absl::Span<const Check> SplitChecks() { return kChecks; }

}  // namespace gguf
