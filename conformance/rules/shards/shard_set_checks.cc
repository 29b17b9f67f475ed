// What the shards of a model are to each other.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/shards/checks.h"
#include "conformance/model/shard_set.h"

namespace gguf {
namespace {

constexpr Subject kShards = {"file", false, 0, {}, "shards"};

// Files that are checked together with the others of their set.
Reason OnlyInSet(const Model& model) {
  if (model.shard_set() != nullptr) return {};
  return model.hparams().may_be_shard()
             ? "a shard alone: the others were not looked for"
             : Reason::Silent();
}

// Of a file in a set: its first shard that could be opened, which stands for
// the set.
Reason OnlyFirstPresent(const Model& model) {
  return model.shard_set()->first_present().model == &model ? Reason()
                                                            : Reason::Silent();
}

// The key's number, which counts nothing when it is of an array.
std::optional<int64_t> NumberOf(const Model& model, Symbol symbol) {
  const KeyValue* kv = model.hparams().Key(symbol);
  if (kv == nullptr || kv->element_type != nullptr) return std::nullopt;
  return IntegerOf(model.file, *kv);
}

// Reports a key that is not `wanted`, at its value, or at the number of keys
// when there is none.  `but` says with {wanted} who wants it.
void ExpectKey(const Model& model, Finder& find, const char* key, Symbol symbol,
               absl::string_view but, int64_t wanted) {
  const auto found = NumberOf(model, symbol);
  if (found == wanted) return;
  const Arg wanted_arg = {"wanted", Word{absl::StrCat(wanted)}};
  const KeyValue* kv = model.hparams().Key(symbol);
  if (kv == nullptr) {
    find(model.file.key_count.where, Subject{"header"}.Of("metadata_kv_count"),
         absl::StrCat("none of the {count} keys is {key}, but ", but),
         {{"count", model.file.key_count.value},
          {"key", Word{key}},
          wanted_arg});
    return;
  }
  find(kv->value, kv->subject().Of("value"),
       absl::StrCat("is {found}, but ", but),
       {{"found", Word{found ? absl::StrCat(*found) : "no integer"}},
        wanted_arg});
}

constexpr Rule kShardSetComplete = {
    "shard-set-complete",
    Severities().Upload(kError).LlamaCpp(kError),
    Since("0.1.0"),
    "All shards of a model shall be there.",
    "Part of a model is of no use; llama.cpp refuses it.",
    "Fetch the missing files, and keep all shards in one folder, under the "
    "names that they were made with.",
    "gguf.md, naming convention: the shard \"denotes that the model has been "
    "split into multiple shards\"; llama.cpp opens each of them."};

// One finding for each run of missing shards: names may promise 99,999.
void ShardSetComplete(const Model& model, Finder& find) {
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
           {{"missing", uint64_t{end - next}},
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

constexpr Rule kShardSetNumber = {
    "shard-set-number",
    Severities().Upload(kError).LlamaCpp(kError),
    Since("0.1.0"),
    "The number in a shard's name shall be split.no plus one.",
    "A file that was renamed or copied stands where another shard should be; "
    "llama.cpp refuses it.",
    "Give the files the names that they were made with.",
    "No norm: llama.cpp's model loader throws \"invalid split file idx\"."};

void ShardSetNumber(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  const int64_t named = int64_t{set.ShardOf(model).name.number} - 1;
  ExpectKey(model, find, "split.no", Symbol::kSplitNo,
            "the file's name makes it {wanted}", named);
}

constexpr Rule kShardSetCount = {
    "shard-set-count",
    Severities().Upload(kError).LlamaCpp(kError),
    Since("0.1.0"),
    "The number of shards in the first one's name shall be split.count.",
    "llama.cpp makes the names of the other shards from split.count, and "
    "refuses a first one that is named otherwise.",
    "Give the files the names that they were made with.",
    "No norm: llama.cpp's model loader throws \"invalid split file name\"."};

void ShardSetCount(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  if (set.ShardOf(model).name.number != 1) return;
  const int64_t named = set.count();
  ExpectKey(model, find, "split.count", Symbol::kSplitCount,
            "the file's name makes it {wanted}", named);
}

constexpr Rule kShardSetKeysAgree = {
    "shard-set-keys-agree",
    Severities().Upload(kError).LlamaCpp(kNote),
    Since("0.1.0"),
    "split.count and split.tensors.count shall be the same in all shards.",
    "The shards are of different models, or of one that was split twice.",
    "Split the model again, and keep the shards of one split together.",
    "No norm: llama.cpp's and gguf-py's writers put the same into each shard; "
    "llama.cpp's loader looks into the first only."};

void ShardSetKeysAgree(const Model& model, Finder& find) {
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
    // What the first lacks is another rule's finding.
    if (!wanted) continue;
    ExpectKey(model, find, name, symbol, "it is {wanted} in the first shard",
              *wanted);
  }
}

constexpr Rule kShardSetTensorsCounted = {
    "shard-set-tensors-counted",
    Severities().Upload(kError).LlamaCpp(kError),
    Since("0.1.0"),
    "All shards together shall have as many tensors as split.tensors.count "
    "says.",
    "A shard is of another model, or damaged; llama.cpp refuses it.",
    "Split the model again, and keep the shards of one split together.",
    "No norm: llama.cpp's model loader throws \"corrupted model\"."};

void ShardSetTensorsCounted(const Model& model, Finder& find) {
  const int64_t tensors = model.shard_set()->tensors().size();
  ExpectKey(model, find, "split.tensors.count", Symbol::kSplitTensorsCount,
            "the shards have {wanted} tensors", tensors);
}

constexpr Rule kShardSetTensorNamesUnique = {
    "shard-set-tensor-names-unique",
    Severities().Upload(kError).LlamaCpp(kError),
    Since("0.1.0"),
    "No two shards shall have a tensor of the same name.",
    "A reader takes one of the two; llama.cpp refuses the model.",
    "Split the model again, and keep the shards of one split together.",
    "No norm: llama.cpp's model loader throws \"tensor is duplicated\"."};

// Reported in the later shard.  Two of a name in one shard are the affair of
// tensor-name-unique.
void ShardSetTensorNamesUnique(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  for (const TensorInfo& tensor : model.file.tensors) {
    const ShardSet::Shard& first = set.FirstWith(tensor.name.value);
    if (first.model == &model) continue;
    find(tensor.name.where, tensor.subject().Of("name"),
         "is that of a tensor of {other}, too", {{"other", first.file_name}});
  }
}

constexpr Rule kShardSetKeysInFirst = {
    "shard-set-keys-in-first",
    Severities().Upload(kWarning).LlamaCpp(kNote),
    Since("0.1.0"),
    "Only the first shard should have keys that are not about the file.",
    "Nobody reads the others: a value that differs there, or stands only "
    "there, "
    "is lost.",
    "Write into later shards split.no, split.count and split.tensors.count, "
    "and general.architecture or general.alignment if need be.",
    "No norm: llama.cpp's and gguf-py's writers put all metadata into the "
    "first "
    "shard, and llama.cpp's loader looks nowhere else."};

void ShardSetKeysInFirst(const Model& model, Finder& find) {
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
       "is the first of {count} keys that belong into the first shard",
       {{"count", count}});
}

constexpr Rule kShardSetArchitecture = {
    "shard-set-architecture",
    Severities().Upload(kError).LlamaCpp(kNote),
    Since("0.1.0"),
    "A shard that states general.architecture shall state that of the first.",
    "The shard is of another model.",
    "Replace it by the shard that belongs to the model.",
    "No norm: llama.cpp's loader looks into the first shard only."};

void ShardSetArchitecture(const Model& model, Finder& find) {
  const ShardSet& set = *model.shard_set();
  const KeyValue* kv = model.hparams().architecture_key();
  if (kv == nullptr) return;
  if (set.first() == nullptr) {
    return find.CannotCheck("the keys of the first shard are not at hand");
  }
  const Hparams& first = set.first()->model->hparams();
  if (first.architecture_key() == nullptr ||
      first.architecture_name() == model.hparams().architecture_name()) {
    return;
  }
  find(kv->value, kv->subject().Of("value"),
       "is {found}, but {first} in {name}",
       {{"found", model.hparams().architecture_name()},
        {"first", first.architecture_name()},
        {"name", set.first()->file_name}});
}

constexpr Rule kShardSetByteOrder = {
    "shard-set-byte-order",
    Severities().Upload(kError).LlamaCpp(kNote),
    Since("0.1.0"),
    "All shards shall have the same byte order.",
    "A reader of either order refuses some of them.",
    "Convert the model again, to one byte order.",
    "gguf.md, file structure: little endian is the default, and \"Big-endian "
    "models\" are for big-endian machines; no reader mixes them."};

void ShardSetByteOrder(const Model& model, Finder& find) {
  const ShardSet::Shard& first = model.shard_set()->first_present();
  if (first.model->file.progress < Progress::kHeader) {
    return find.CannotCheck("the header of the first shard could not be read");
  }
  if (model.file.encoding.endian == first.model->file.encoding.endian) return;
  const bool little = model.file.encoding.endian == Endian::kLittle;
  find(model.file.version.where, Subject{"header"}.Of("version"),
       "shows that the shard is {found}; {first} is {other}",
       {{"found", Word{little ? "little endian" : "big endian"}},
        {"first", first.file_name},
        {"other", Word{little ? "big endian" : "little endian"}}});
}

constexpr Check kChecks[] = {
    {&kShardSetComplete, Needs::kName, ShardSetComplete, OnlyInSet,
     OnlyFirstPresent},
    {&kShardSetByteOrder, Needs::kHeader, ShardSetByteOrder, OnlyInSet},
    {&kShardSetNumber, Needs::kKeys, ShardSetNumber, OnlyInSet},
    {&kShardSetCount, Needs::kKeys, ShardSetCount, OnlyInSet},
    {&kShardSetKeysAgree, Needs::kKeys, ShardSetKeysAgree, OnlyInSet},
    {&kShardSetKeysInFirst, Needs::kKeys, ShardSetKeysInFirst, OnlyInSet},
    {&kShardSetArchitecture, Needs::kKeys, ShardSetArchitecture, OnlyInSet},
    {&kShardSetTensorsCounted, Needs::kKeys, ShardSetTensorsCounted, OnlyInSet,
     OnlyFirstPresent, OnlyWithAllTensors},
    {&kShardSetTensorNamesUnique, Needs::kTensors, ShardSetTensorNamesUnique,
     OnlyInSet},
};

}  // namespace

absl::Span<const Check> ShardSetChecks() { return kChecks; }

}  // namespace gguf
