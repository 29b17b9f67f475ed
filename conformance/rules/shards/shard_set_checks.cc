// Checks of files that are split into shards: the keys of one, and all files of
// a set.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/hparams.h"
#include "conformance/model/shard_set.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

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

// In a set, other rules compare the keys of later shards with the name and with
// the first shard; llama.cpp reads only split.no there, and none of these keys in
// the companions of models.
Reason OnlyAloneOrFirst(const Model& model) {
  if (HasOwnLoader(model.kind().kind)) return Reason::Silent();
  return model.shard_set() == nullptr || model.is_whole() ? Reason() : Reason::Silent();
}

constexpr Subject kShards = {"file", false, 0, {}, "shards"};

// Selects files that are checked together with their set.
Reason OnlyInSet(const Model& model) {
  if (model.shard_set() != nullptr) return {};
  return model.hparams().may_be_shard() && !HasOwnLoader(model.kind().kind)
             ? "a single shard was given; the other shards were not looked for"
             : Reason::Silent();
}

// Selects, among the files of a set, the first shard that could be opened; it
// represents the set.
Reason OnlyFirstPresent(const Model& model) {
  return model.shard_set()->first_present().model == &model ? Reason() : Reason::Silent();
}

// Returns the key's number; nothing for an array.
std::optional<int64_t> NumberOf(const Model& model, Symbol symbol) {
  const KeyValue* kv = model.hparams().Key(symbol);
  if (kv == nullptr || kv->element_type != nullptr) return std::nullopt;
  return IntegerOf(model.file, *kv);
}

// Reports a key that is not `wanted`, or is missing.  `but` states, with {wanted}, what requires
// it.
void ExpectKey(const Model& model, Finder& find, const char* key, Symbol symbol,
               absl::string_view but, int64_t wanted) {
  const auto found = NumberOf(model, symbol);
  if (found == wanted) return;
  const KeyValue* kv = model.hparams().Key(symbol);
  find(kv == nullptr ? AbsentKey(model, key) : kv->at_value(),
       absl::StrCat(kv == nullptr ? "is missing, but " : "is {found}, but ", but),
       {{"found", Trusted{found ? absl::StrCat(*found) : "not an integer"}}, {"wanted", wanted}});
}

// Reports the shard whose split.no, which counts from 0, is not that of its name.
void NumberAsNamed(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const ShardSet& set = *model.shard_set();
  const int64_t named = set.ShardOf(model).name.number;
  const int64_t found = NumberOf(model, Symbol::kSplitNo).value_or(-1);
  if (found < 0 || found >= set.count()) {
    return ExpectKey(model, find, "split.no", Symbol::kSplitNo,
                     named == 0 ? "the file is named as shard 0, and the first shard is 1"
                                : absl::StrCat("the file is named as shard ", named,
                                               ", which is {wanted} when counted from 0"),
                     named - 1);
  }
  if (found == named - 1) return;
  const std::string name =
      absl::StrCat(set.prefix(), ShardSuffix(static_cast<uint32_t>(found + 1), set.count()));
  find(model.hparams().Key(Symbol::kSplitNo)->at_value(),
       "is {found}, so this is shard {number}, but the file is named as shard {named}; rename it "
       "to {name}",
       {{"found", found},
        {"number", found + 1},
        {"named", named},
        {"wanted", named - 1},
        {"name", absl::string_view(name)}});
}

// Reports one finding for each run of missing shards: names may announce
// 99,999.
void Complete(const CheckContext& context, Finder& find) {
  const ShardSet& set = *context.model.shard_set();
  uint32_t next = 1;
  const auto report_until = [&](uint32_t end) {
    if (next >= end) return;
    const std::string prefix(set.prefix());
    const std::string first = prefix + ShardSuffix(next, set.count());
    const std::string last = prefix + ShardSuffix(end - 1, set.count());
    find({0, 0}, kShards,
         next + 1 == end
             ? "are incomplete: shard {number} of {count} is missing, {first}"
             : "are incomplete: shards {number} to {end} of {count} are missing, {first} to {last}",
         {{"missing", end - next},
          {"number", next},
          {"end", end - 1},
          {"count", set.count()},
          {"first", absl::string_view(first)},
          {"last", absl::string_view(last)}});
  };
  for (const ShardSet::Shard& shard : set.shards()) {
    if (!shard.name.is_in_count()) continue;
    report_until(shard.name.number);
    next = shard.name.number + 1;
  }
  report_until(set.count() + 1);
}

void KeysAgree(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const ShardSet::Shard& first = model.shard_set()->first_present();
  if (first.model == &model) return;
  if (first.model->file.progress < Progress::kKeys) {
    return find.CannotCheck("not all keys of the first shard could be read");
  }
  constexpr std::pair<Symbol, const char*> kKeys[] = {
      {Symbol::kSplitCount, "split.count"}, {Symbol::kSplitTensorsCount, "split.tensors.count"}};
  for (const auto& [symbol, name] : kKeys) {
    const auto wanted = NumberOf(*first.model, symbol);
    // Another rule reports what the first shard lacks.
    if (!wanted) continue;
    ExpectKey(model, find, name, symbol, "the first shard has {wanted}", *wanted);
  }
}

void KeysInFirst(const CheckContext& context, Finder& find) {
  if (context.model.shard_set()->ShardOf(context.model).name.number == 1) {
    return;
  }
  const KeyValue* first = nullptr;
  uint64_t count = 0;
  for (const KeyValue& kv : context.model.file.keys) {
    const absl::string_view key = kv.key.value;
    if (absl::StartsWith(key, "split.") || key == "general.architecture" ||
        key == "general.alignment") {
      continue;
    }
    if (count++ == 0) first = &kv;
  }
  if (first == nullptr) return;
  find(first->key.where, first->subject().Of("key"),
       count == 1 ? "belongs in the first shard"
                  : "is the first of {count} keys that belong in the first shard",
       {{"count", count}});
}

void Architecture(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
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

}  // namespace

constexpr RuleTable kShardRules = {
    {.id = "split-number-below-count",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A shard's number shall be below the number of shards.",
     .why = "llama.cpp numbers the shards from 0 to split.count - 1, and rejects a number outside "
            "this range.",
     .repair =
         "Number the shards in split.no from 0, and write the same split.count to every shard.",
     .citation =
         "Not in the specification; llama.cpp's model loader throws \"invalid split file idx\".",
     .requirements = {OnlyAloneOrFirst},
     .check =
         [](const CheckContext& context, Finder& find) {
           const SplitKeys split(context.model.hparams());
           if (!split.number || *split.number < *split.count) return;
           const KeyValue& kv = *context.model.hparams().Key(Symbol::kSplitNo);
           find(kv.at_value(),
                "is {number}, which counts from 0 and makes this shard {shard} of {count}",
                {{"number", *split.number},
                 {"shard", static_cast<uint64_t>(*split.number) + 1},
                 {"count", *split.count}});
         }},
    {.id = "split-tensors-counted",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary =
         "A shard shall not have more tensors than split.tensors.count, the number in all shards.",
     .why = "llama.cpp rejects a model whose shards do not contain exactly split.tensors.count "
            "tensors in total.",
     .repair = "Set split.tensors.count to the total number of tensors in all shards.",
     .citation = "Not in the specification; llama.cpp's model loader throws \"corrupted model\".",
     .requirements = {OnlyAloneOrFirst},
     .check =
         [](const CheckContext& context, Finder& find) {
           const SplitKeys split(context.model.hparams());
           const uint64_t here = context.model.file.tensor_count.value;
           if (!split.tensors) return;
           if (*split.tensors >= 0 && here <= static_cast<uint64_t>(*split.tensors)) {
             return;
           }
           const KeyValue& kv = *context.model.hparams().Key(Symbol::kSplitTensorsCount);
           find(kv.at_value(),
                "is {count} for all shards, but this shard has {here tensor|tensors}",
                {{"count", *split.tensors}, {"here", here}});
         }},
    {.id = "split-count-plausible",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kWarning},
     .summary = "A model should have at most one shard more than it has tensors.",
     .why = "A reader opens as many files as split.count states.",
     .repair = "Set split.count to the number of shards.",
     .citation = "Not in the specification; only the first shard may lack tensors.",
     .requirements = {OnlyAloneOrFirst},
     .check =
         [](const CheckContext& context, Finder& find) {
           const SplitKeys split(context.model.hparams());
           // split-tensors-counted reports a negative number of tensors.
           if (split.tensors.value_or(-1) < 0) return;
           if (*split.count - 1 <= *split.tensors) return;
           const KeyValue& kv = *context.model.hparams().Key(Symbol::kSplitCount);
           find(kv.at_value(), "is {count}, but split.tensors.count is {tensors}",
                {{"count", *split.count}, {"tensors", *split.tensors}});
         }},
    {.id = "shard-set-complete",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "All shards of a model shall be present.",
     .why = "A model with a missing shard cannot be used; llama.cpp rejects it.",
     .repair = "Fetch the missing files, and keep all shards in one directory, under their "
               "original names.",
     .citation = "gguf.md, naming convention: the shard \"denotes that the model has been split "
                 "into multiple shards\"; llama.cpp opens each of them.",
     .needs = Needs::kName,
     .requirements = {OnlyInSet, OnlyFirstPresent},
     .check = Complete},
    {.id = "shard-set-byte-order",
     .severities = {.upload = kError, .llama_cpp = kNote},
     .summary = "All shards shall have the same byte order.",
     .why = "A reader that supports only one byte order rejects some of the shards.",
     .repair = "Convert the model again with one byte order.",
     .citation = "gguf.md, file structure: in a big-endian model, \"all values (including metadata "
                 "values and tensors) will also be big-endian\".",
     .needs = Needs::kHeader,
     .requirements = {OnlyInSet},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const ShardSet::Shard& first = model.shard_set()->first_present();
           if (first.model->file.progress < Progress::kHeader) {
             return find.CannotCheck("the header of the first shard could not be read");
           }
           if (model.file.encoding.endian == first.model->file.encoding.endian) {
             return;
           }
           const bool little = model.file.encoding.endian == Endian::kLittle;
           find(model.file.version.where, Subject{"header"}.Of("version"),
                "shows that the shard is {found}, but {first} is {other}",
                {{"found", Trusted{little ? "little endian" : "big endian"}},
                 {"first", first.file_name},
                 {"other", Trusted{little ? "big endian" : "little endian"}}});
         }},
    {.id = "shard-set-number",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The number in a shard's name shall be split.no plus one.",
     .why = "A renamed or copied file takes the place of another shard; llama.cpp rejects it.",
     .repair = "Rename the file as the message says. If another file has that name, look at its "
               "number first: two shards that have each other's names change places (move one "
               "aside, so that neither overwrites the other); of two with the same number, one is "
               "a copy, and the missing shard must be fetched.",
     .citation =
         "Not in the specification; llama.cpp's model loader throws \"invalid split file idx\".",
     .requirements = {OnlyInSet},
     .check = NumberAsNamed},
    {.id = "shard-set-count",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The number of shards in the first shard's name shall be split.count.",
     .why = "llama.cpp derives the names of the other shards from split.count, and rejects a first "
            "shard whose name contains a different count.",
     .repair = "Restore the original names of the files, which end in the number of shards that "
               "split.count states.",
     .citation =
         "Not in the specification; llama.cpp's model loader throws \"invalid split file name\".",
     .requirements = {OnlyInSet},
     .check =
         [](const CheckContext& context, Finder& find) {
           const ShardSet& set = *context.model.shard_set();
           if (set.ShardOf(context.model).name.number != 1) return;
           const int64_t named = set.count();
           ExpectKey(context.model, find, "split.count", Symbol::kSplitCount,
                     "the file is named as one of {wanted shard|shards}", named);
         }},
    {.id = "shard-set-keys-agree",
     .severities = {.upload = kError, .llama_cpp = kNote},
     .summary = "split.count and split.tensors.count shall be the same in all shards.",
     .why = "If the values differ, the shards belong to different models, or to one model that was "
            "split twice.",
     .repair = "Split the model again, and keep the shards of one split together.",
     .citation = "Not in the specification; llama.cpp's and gguf-py's writers put the same values "
                 "into each shard; llama.cpp's loader reads only those of the first.",
     .requirements = {OnlyInSet},
     .check = KeysAgree},
    {.id = "shard-set-keys-in-first",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "Only the first shard should have keys that describe the model.",
     .why = "Readers ignore the keys of later shards: a value that differs there, or exists only "
            "there, is lost.",
     .repair = "Write only split.no, split.count and split.tensors.count to later shards, and "
               "general.architecture or general.alignment if needed.",
     .citation = "Not in the specification; llama.cpp's and gguf-py's writers put all metadata "
                 "into the first shard, and llama.cpp's loader reads only that.",
     .requirements = {OnlyInSet},
     .check = KeysInFirst},
    {.id = "shard-set-architecture",
     .severities = {.upload = kError, .llama_cpp = kNote},
     .summary = "If a shard has general.architecture, its value shall be that of the first shard.",
     .why = "A shard with a different architecture belongs to a different model.",
     .repair = "Replace the shard with the one that belongs to the model.",
     .citation = "Not in the specification; llama.cpp's loader reads only the first shard's keys.",
     .requirements = {OnlyInSet},
     .check = Architecture},
    {.id = "shard-set-tensors-counted",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "All shards together shall have split.tensors.count tensors.",
     .why = "If the numbers differ, a shard belongs to a different model or is damaged; llama.cpp "
            "rejects the model.",
     .repair = "Split the model again, and keep the shards of one split together.",
     .citation = "Not in the specification; llama.cpp's model loader throws \"corrupted model\".",
     .requirements = {OnlyInSet, OnlyFirstPresent, OnlyWithAllTensors},
     .check =
         [](const CheckContext& context, Finder& find) {
           const int64_t tensors = context.model.shard_set()->tensors().size();
           ExpectKey(context.model, find, "split.tensors.count", Symbol::kSplitTensorsCount,
                     "the shards have {wanted tensor|tensors}", tensors);
         }},
    {.id = "shard-set-tensor-names-unique",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "No two shards shall have a tensor of the same name.",
     .why = "A reader uses only one of the two tensors; llama.cpp rejects the model.",
     .repair = "Split the model again, and keep the shards of one split together.",
     .citation =
         "Not in the specification; llama.cpp's model loader throws \"tensor is duplicated\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyInSet},
     // Reports the tensor of the later shard.  tensor-name-unique reports
     // duplicates within one shard.
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const ShardSet& set = *model.shard_set();
           for (const TensorInfo& tensor : model.file.tensors) {
             const ShardSet::Shard& first = set.FirstWith(tensor.name.value);
             if (first.model == &model) continue;
             find(tensor.at_name(), "is also the name of a tensor in {other}",
                  {{"other", first.file_name}});
           }
         }},
};

}  // namespace gguf
