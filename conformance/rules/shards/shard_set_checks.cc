// Checks of the shards of a model against each other.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/shard_set.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/shards/checks.h"

namespace gguf {
namespace {

constexpr Subject kShards = {"file", false, 0, {}, "shards"};

// Selects files that are checked together with their set.
Reason OnlyInSet(const Model& model) {
  if (model.shard_set() != nullptr) return {};
  return model.hparams().may_be_shard()
             ? "a single shard was given; the other shards were not looked for"
             : Reason::Silent();
}

// Selects, among the files of a set, the first shard that could be opened; it
// represents the set.
Reason OnlyFirstPresent(const Model& model) {
  return model.shard_set()->first_present().model == &model ? Reason()
                                                            : Reason::Silent();
}

// Returns the key's number; nothing for an array.
std::optional<int64_t> NumberOf(const Model& model, Symbol symbol) {
  const KeyValue* kv = model.hparams().Key(symbol);
  if (kv == nullptr || kv->element_type != nullptr) return std::nullopt;
  return IntegerOf(model.file, *kv);
}

// Reports a key that is not `wanted`, at its value, or at the number of keys if
// the key is missing.  `but` states, with {wanted}, what requires it.
void ExpectKey(const Model& model, Finder& find, const char* key, Symbol symbol,
               absl::string_view but, int64_t wanted) {
  const auto found = NumberOf(model, symbol);
  if (found == wanted) return;
  const Arg wanted_arg = {"wanted", wanted};
  const KeyValue* kv = model.hparams().Key(symbol);
  if (kv == nullptr) {
    find(model.file.key_count.where, Subject{"header"}.Of("metadata_kv_count"),
         absl::StrCat("is {count}, but {key} is missing and ", but),
         {{"count", model.file.key_count.value},
          {"key", Word{key}},
          wanted_arg});
    return;
  }
  find(kv->at_value(), absl::StrCat("is {found}, but ", but),
       {{"found", Word{found ? absl::StrCat(*found) : "not an integer"}},
        wanted_arg});
}

constexpr Rule kComplete = {
    "shard-set-complete",
    Severities().Upload(kError).LlamaCpp(kError),
    "All shards of a model shall be present.",
    "A model with a missing shard cannot be used; llama.cpp rejects it.",
    "Fetch the missing files, and keep all shards in one directory, under "
    "their original names.",
    "gguf.md, naming convention: the shard \"denotes that the model has been "
    "split into multiple shards\"; llama.cpp opens each of them."};

// Reports one finding for each run of missing shards: names may announce
// 99,999.
void Complete(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  uint32_t next = 1;
  const auto report_until = [&](uint32_t end) {
    if (next >= end) return;
    const std::string prefix(set.prefix());
    const std::string first = prefix + ShardSuffix(next, set.count());
    const std::string last = prefix + ShardSuffix(end - 1, set.count());
    if (next + 1 == end) {
      find({0, 0}, kShards, "lack {name}",
           {{"name", absl::string_view(first)}});
    } else {
      find({0, 0}, kShards, "lack {missing}, from {first} to {last}",
           {{"missing", end - next},
            {"first", absl::string_view(first)},
            {"last", absl::string_view(last)}});
    }
  };
  for (const ShardSet::Shard& shard : set.shards()) {
    if (!shard.name.is_in_count()) continue;
    report_until(shard.name.number);
    next = shard.name.number + 1;
  }
  report_until(set.count() + 1);
}

constexpr Rule kNumber = {
    "shard-set-number",
    Severities().Upload(kError).LlamaCpp(kError),
    "The number in a shard's name shall be split.no plus one.",
    "A renamed or copied file takes the place of another shard; llama.cpp "
    "rejects it.",
    "Restore the original names of the files.",
    "Not in the specification; llama.cpp's model loader throws \"invalid split "
    "file idx\"."};

void Number(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  const int64_t named = int64_t{set.ShardOf(model).name.number} - 1;
  ExpectKey(model, find, "split.no", Symbol::kSplitNo,
            named < 0 ? "the number in the file name is 0, and the first is 1"
                      : "the file name requires {wanted}",
            named);
}

constexpr Rule kCount = {
    "shard-set-count",
    Severities().Upload(kError).LlamaCpp(kError),
    "The number of shards in the first shard's name shall be split.count.",
    "llama.cpp derives the names of the other shards from split.count, and "
    "rejects a first shard whose name contains a different count.",
    "Restore the original names of the files.",
    "Not in the specification; llama.cpp's model loader throws \"invalid split "
    "file name\"."};

void Count(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  if (set.ShardOf(model).name.number != 1) return;
  const int64_t named = set.count();
  ExpectKey(model, find, "split.count", Symbol::kSplitCount,
            "the file name requires {wanted}", named);
}

constexpr Rule kKeysAgree = {
    "shard-set-keys-agree",
    Severities().Upload(kError).LlamaCpp(kNote),
    "split.count and split.tensors.count shall be the same in all shards.",
    "If the values differ, the shards belong to different models, or to one "
    "model that was split twice.",
    "Split the model again, and keep the shards of one split together.",
    "Not in the specification; llama.cpp's and gguf-py's writers put the same "
    "values into each shard; llama.cpp's loader reads only those of the "
    "first."};

void KeysAgree(const Model& model, Finder& find) {
  const ShardSet::Shard& first = model.shard_set()->first_present();
  if (first.model == &model) return;
  if (first.model->file.progress < Progress::kKeys) {
    return find.CannotCheck("not all keys of the first shard could be read");
  }
  constexpr std::pair<Symbol, const char*> kKeys[] = {
      {Symbol::kSplitCount, "split.count"},
      {Symbol::kSplitTensorsCount, "split.tensors.count"}};
  for (const auto& [symbol, name] : kKeys) {
    const auto wanted = NumberOf(*first.model, symbol);
    // Another rule reports what the first shard lacks.
    if (!wanted) continue;
    ExpectKey(model, find, name, symbol, "the first shard has {wanted}",
              *wanted);
  }
}

constexpr Rule kTensorsCounted = {
    "shard-set-tensors-counted",
    Severities().Upload(kError).LlamaCpp(kError),
    "All shards together shall have split.tensors.count tensors.",
    "If the numbers differ, a shard belongs to a different model or is "
    "damaged; llama.cpp rejects the model.",
    "Split the model again, and keep the shards of one split together.",
    "Not in the specification; llama.cpp's model loader throws \"corrupted "
    "model\"."};

void TensorsCounted(const Model& model, Finder& find) {
  const int64_t tensors = model.shard_set()->tensors().size();
  ExpectKey(model, find, "split.tensors.count", Symbol::kSplitTensorsCount,
            "the shards have {wanted} tensors", tensors);
}

constexpr Rule kTensorNamesUnique = {
    "shard-set-tensor-names-unique",
    Severities().Upload(kError).LlamaCpp(kError),
    "No two shards shall have a tensor of the same name.",
    "A reader uses only one of the two tensors; llama.cpp rejects the model.",
    "Split the model again, and keep the shards of one split together.",
    "Not in the specification; llama.cpp's model loader throws \"tensor is "
    "duplicated\"."};

// Reports the tensor of the later shard.  tensor-name-unique reports duplicates
// within one shard.
void TensorNamesUnique(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  for (const TensorInfo& tensor : model.file.tensors) {
    const ShardSet::Shard& first = set.FirstWith(tensor.name.value);
    if (first.model == &model) continue;
    find(tensor.at_name(), "is also the name of a tensor in {other}",
         {{"other", first.file_name}});
  }
}

constexpr Rule kKeysInFirst = {
    "shard-set-keys-in-first",
    Severities().Upload(kWarning).LlamaCpp(kNote),
    "Only the first shard should have keys that describe the model.",
    "Readers ignore the keys of later shards: a value that differs there, or "
    "exists only there, is lost.",
    "Write only split.no, split.count and split.tensors.count to later shards, "
    "and general.architecture or general.alignment if needed.",
    "Not in the specification; llama.cpp's and gguf-py's writers put all "
    "metadata into the first shard, and llama.cpp's loader reads only that."};

void KeysInFirst(const Model& model, Finder& find) {
  if (model.shard_set()->ShardOf(model).name.number == 1) return;
  const KeyValue* first = nullptr;
  uint64_t count = 0;
  for (const KeyValue& kv : model.file.keys) {
    const absl::string_view key = kv.key.value;
    if (absl::StartsWith(key, "split.") || key == "general.architecture" ||
        key == "general.alignment") {
      continue;
    }
    if (count++ == 0) first = &kv;
  }
  if (first == nullptr) return;
  find(first->key.where, first->subject().Of("key"),
       "is the first of {count} keys that belong in the first shard",
       {{"count", count}});
}

constexpr Rule kArchitecture = {
    "shard-set-architecture",
    Severities().Upload(kError).LlamaCpp(kNote),
    "If a shard has general.architecture, its value shall be that of the first "
    "shard.",
    "A shard with a different architecture belongs to a different model.",
    "Replace the shard with the one that belongs to the model.",
    "Not in the specification; llama.cpp's loader reads only the first shard's "
    "keys."};

void Architecture(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  const KeyValue* kv = model.hparams().architecture_key();
  if (kv == nullptr) return;
  if (set.first() == nullptr) {
    return find.CannotCheck("the keys of the first shard are not available");
  }
  const Hparams& first = set.first()->model->hparams();
  if (first.architecture_key() == nullptr ||
      first.architecture_name() == model.hparams().architecture_name()) {
    return;
  }
  find(kv->at_value(), "is {found}, but {name} has {first}",
       {{"found", model.hparams().architecture_name()},
        {"first", first.architecture_name()},
        {"name", set.first()->file_name}});
}

constexpr Rule kByteOrder = {
    "shard-set-byte-order",
    Severities().Upload(kError).LlamaCpp(kNote),
    "All shards shall have the same byte order.",
    "A reader that supports only one byte order rejects some of the shards.",
    "Convert the model again with one byte order.",
    "gguf.md, file structure: in a big-endian model, \"all values (including "
    "metadata values and tensors) will also be big-endian\"."};

void ByteOrder(const Model& model, Finder& find) {
  const ShardSet::Shard& first = model.shard_set()->first_present();
  if (first.model->file.progress < Progress::kHeader) {
    return find.CannotCheck("the header of the first shard could not be read");
  }
  if (model.file.encoding.endian == first.model->file.encoding.endian) return;
  const bool little = model.file.encoding.endian == Endian::kLittle;
  find(model.file.version.where, Subject{"header"}.Of("version"),
       "shows that the shard is {found}, but {first} is {other}",
       {{"found", Word{little ? "little endian" : "big endian"}},
        {"first", first.file_name},
        {"other", Word{little ? "big endian" : "little endian"}}});
}

constexpr Check kChecks[] = {
    {&kComplete, Needs::kName, Complete, OnlyInSet, OnlyFirstPresent},
    {&kByteOrder, Needs::kHeader, ByteOrder, OnlyInSet},
    {&kNumber, Needs::kKeys, Number, OnlyInSet},
    {&kCount, Needs::kKeys, Count, OnlyInSet},
    {&kKeysAgree, Needs::kKeys, KeysAgree, OnlyInSet},
    {&kKeysInFirst, Needs::kKeys, KeysInFirst, OnlyInSet},
    {&kArchitecture, Needs::kKeys, Architecture, OnlyInSet},
    {&kTensorsCounted, Needs::kKeys, TensorsCounted, OnlyInSet,
     OnlyFirstPresent, OnlyWithAllTensors},
    {&kTensorNamesUnique, Needs::kTensors, TensorNamesUnique, OnlyInSet},
};

}  // namespace

absl::Span<const Check> ShardSetChecks() { return kChecks; }

}  // namespace gguf
