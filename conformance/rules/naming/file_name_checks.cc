// Checks of a file's name alone: the naming convention, and the ending.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "conformance/model/file_name.h"
#include "conformance/model/reason.h"
#include "conformance/rules/naming/name_parts.h"
#include "conformance/rules/naming/name_proposal.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr Subject kName = {"file", false, 0, {}, "name"};

Reason OnlyByExpression(const Model& model) {
  const Reason why = OnlyNamed(model);
  return model.name_parts() || !why.empty() ? why : Reason::Silent();
}

void FileNamePartsPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const bool has_base = absl::c_any_of(Part(model, "BaseName"), absl::ascii_isalnum);
  const bool has_size = !Part(model, "SizeLabel").empty();
  if (has_base && has_size) return;
  const std::string proposal = ProposeFileName(model);
  const std::string missing = has_base   ? "no size label"
                              : has_size ? "no base name"
                                         : "no base name and no size label";
  find({0, 0}, kName,
       proposal.empty() ? "{name} matches the specification's expression, but has {missing}"
                        : "{name} matches the specification's expression, but has {missing}; "
                          "according to its content, it could be {proposal}",
       {{"name", model.file.name},
        {"missing", Trusted{missing}},
        {"proposal", absl::string_view(proposal)}});
}

// Requires a shard without its set; shard-set-number covers those in a set.
Reason OnlyShardAlone(const Model& model) {
  const bool may_be = model.hparams().may_be_shard() && !HasOwnLoader(model.kind().kind);
  return model.shard_set() == nullptr && may_be ? Reason() : Reason::Silent();
}

Reason OnlyRwkvCpp(const Model& model) {
  return model.file.kind.format == absl::string_view("rwkv.cpp") ? OnlyNamed(model)
                                                                 : Reason::Silent();
}

}  // namespace

constexpr RuleTable kFileNameRules = {
    {.id = "file-name-convention",
     .severities = {.spec = kWarning},
     .summary = "The file's name should follow the GGUF naming convention.",
     .why = "People and tools read the size, version and quantization from the name.",
     .repair =
         "Name the file BaseName-SizeLabel-FineTune-Version-Encoding.gguf, for example "
         "Mixtral-8x7B-v0.1-KQ2.gguf. The base name, size label and version are required. A base "
         "name consists of letters, digits, spaces and dashes, so it has no dot; any part after "
         "its first dash that begins with a digit contains only digits. A context length such as "
         "4k is written after the size: Phi-3-mini-3.8B-ContextLength4k-instruct-v1.0.gguf.",
     .citation = "gguf.md, naming convention: \"At a minimum all model files should have at least "
                 "BaseName, SizeLabel, Version\".",
     .unbreakable = "it checks the file's name, not its bytes",
     .scope = Scope::kContainer,
     .needs = Needs::kName,
     .requirements = {OnlyNamed},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           if (model.name_parts()) return;
           const std::string why = WhyNotByConvention(model.file.name);
           const std::string proposal = ProposeFileName(model);
           find({0, 0}, kName,
                proposal.empty() ? "{name} {why}"
                                 : "{name} {why}; according to its content, it could be {proposal}",
                {{"name", model.file.name},
                 {"why", Trusted{why}},
                 {"proposal", absl::string_view(proposal)}});
         }},
};

constexpr RuleTable kNameEndingRules = {
    {.id = "file-name-shard-number",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kError},
     .summary = "A shard's file name should end with its number and the number of shards.",
     .why = "llama.cpp derives the names of the other shards from that of the first, and refuses a "
            "first shard whose name has any other form.",
     .repair = "Rename the file so that its name ends with, for example, -00001-of-00003.gguf for "
               "the first of three shards.",
     .citation = "gguf.md, naming convention: \"`<ShardNum>-of-<ShardTotal>`\"; llama.cpp's model "
                 "loader throws \"invalid split file name\".",
     .requirements = {OnlyShardAlone, OnlyNamed},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Hparams& hparams = context.model.hparams();
           const auto count = hparams.Get(Symbol::kSplitCount);
           const auto number = hparams.Get(Symbol::kSplitNo);
           if (hparams.Key(Symbol::kSplitNo) == nullptr || !number || !count) {
             return find.CannotCheck("split.no or split.count is missing or not a number");
           }
           const std::string expected =
               ShardSuffix(static_cast<uint64_t>(*number) + 1, static_cast<uint64_t>(*count));
           if (absl::EndsWith(context.model.file.name, expected)) return;
           find({0, 0}, kName, "is {name}, which does not end with {expected}",
                {{"name", context.model.file.name}, {"expected", Trusted{expected}}});
         }},
    {.id = "file-name-shard-keys",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "A file that is named as a shard should have the keys of a shard.",
     .why = "A reader mistakes part of the model for all of it.",
     .repair = "Rename the file, or write split.no, split.count and split.tensors.count.",
     .citation = "gguf.md, naming convention: the shard \"denotes that the model has been split "
                 "into multiple shards\".",
     .requirements = {OnlyNamed},
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto name = ParseShardName(context.model.file.name);
           // file-name-shard-in-count reports other numbers.
           if (!name || !name->is_in_count() || name->count == 1) return;
           if (context.model.hparams().may_be_shard()) return;
           find({0, 0}, kName, "ends with {suffix}, but split.count is not above 1",
                {{"suffix", context.model.file.name.substr(name->prefix.size())}});
         }},
    {.id = "file-name-shard-in-count",
     .severities = {.upload = kWarning, .spec = kWarning},
     .summary = "The shard number in a file's name should be from 1 to the number of shards.",
     .why =
         "Readers count from 00001 to the number of shards and do not look for any other number.",
     .repair = "Rename the file so that its shard number is split.no plus one.",
     .citation = "gguf.md, naming convention: \"Shard number always starts from `00001` onwards\".",
     .since = "0.2.0",
     .needs = Needs::kName,
     .requirements = {OnlyNamed},
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto name = ParseShardName(context.model.file.name);
           if (!name || name->is_in_count()) return;
           find({0, 0}, kName, "has number {number}, which is not from 1 to {count}",
                {{"number", name->number}, {"count", name->count}});
         }},
    {.id = "file-name-parts-present",
     .severities = {.spec = kNote},
     .summary = "The file's name should have a base name and a size label.",
     .why = "People cannot tell which model the file contains. The specification's regular "
            "expression accepts such a name, because it also matches the dashes around a missing "
            "part, so this is only a note.",
     .repair = "Put the base name before the first dash, and the size label between the base name "
               "and the version, for example Mixtral-8x7B-v0.1.gguf.",
     .citation = "gguf.md, naming convention: \"At a minimum all model files should have at least "
                 "BaseName, SizeLabel, Version\".",
     .since = "0.2.0",
     .needs = Needs::kName,
     .requirements = {OnlyByExpression},
     .check = FileNamePartsPresent},
    {.id = "file-name-finished",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kNote, .safety = kNote},
     .summary = "The file's name should not be that of an unfinished download or of a part.",
     .why = "Programs rename a file when it is complete. A name that still has such an ending says "
            "that something is missing, or that the parts were not joined. A person may have named "
            "a complete file so.",
     .repair = "Resume the download, or join the parts in order, such as with cat; if the file is "
               "complete, rename it.",
     .citation = "Not in the specification; the endings are those of browsers, download managers "
                 "and programs that split files.",
     .since = "0.2.0",
     .needs = Needs::kName,
     .requirements = {OnlyNamed},
     .check =
         [](const CheckContext& context, Finder& find) {
           const std::string what = WhatIsUnfinished(context.model.file.name);
           if (what.empty()) return;
           find({0, 0}, kName, "is {name}: according to it, the file is {what}",
                {{"name", context.model.file.name}, {"what", Trusted{what}}});
         }},
    {.id = "file-name-legacy-extension",
     .severities = {.spec = kNote},
     .summary = "The name of an rwkv.cpp file should end with .bin.",
     .why = "Programs choose a reader by the extension.",
     .repair = "Rename the file.",
     .citation = "rwkv.cpp's FILE_FORMAT.md: \"Preferred file extension: `.bin`\".",
     .since = "0.2.0",
     .needs = Needs::kMagic,
     .files = Files::kLegacy,
     .requirements = {OnlyRwkvCpp},
     .check =
         [](const CheckContext& context, Finder& find) {
           if (absl::EndsWith(context.model.file.name, ".bin")) return;
           find({0, 0}, kName, "is {name}, which does not end with .bin",
                {{"name", context.model.file.name}});
         }},
};

}  // namespace gguf
