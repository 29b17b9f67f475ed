// Lists the kinds of causes; finds truncation, missing shards and the names of other converters.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/causes/causes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/compare/read_source.h"
#include "conformance/model/file_name.h"
#include "conformance/model/foreign_layout.h"
#include "conformance/model/shard_set.h"
#include "conformance/model/tensor_data.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/check.h"
#include "conformance/rules/requirements.h"
#include "parser/file.h"
#include "parser/foreign_type.h"

namespace gguf {
namespace {

// Returns "4.29 of 9.72 GB".
std::string SizeOf(uint64_t bytes, uint64_t all) {
  constexpr std::pair<uint64_t, const char*> kUnits[] = {
      {1'000'000'000, "GB"}, {1'000'000, "MB"}, {1'000, "kB"}};
  for (const auto& [unit, name] : kUnits) {
    if (all < 10 * unit && unit == 1'000) break;  // Exact.
    if (all < unit) continue;
    const double scale = 1.0 / static_cast<double>(unit);
    return absl::StrFormat("%.2f of %.2f %s", static_cast<double>(bytes) * scale,
                           static_cast<double>(all) * scale, name);
  }
  return absl::StrCat(bytes, " of ", all, " bytes");
}

// The file ends in its header, its metadata or its tensor table.
std::optional<std::string> EndsInTables(const File& file) {
  // A count or length that asks for more is rather wrong itself.
  constexpr uint64_t kMostNeeded = uint64_t{1} << 28;
  const uint64_t needed = file.stop->needed;
  if (needed == 0 || needed > kMostNeeded || file.progress < Progress::kMagic) return std::nullopt;
  const uint64_t tensors = file.progress >= Progress::kHeader ? file.tensor_count.value : 0;
  const char* const where = file.progress < Progress::kHeader ? "its header"
                            : file.progress < Progress::kKeys ? "the metadata"
                                                              : "the list of tensors";
  std::string message =
      absl::StrCat("The file is truncated: it ends after ", Count(file.size, "byte"), ", in ",
                   where, " (", file.stop->subject.Path(), ")");
  if (!file.legacy && tensors > 0) {
    absl::StrAppend(&message, "; the data of ",
                    tensors == 1 ? "its tensor" : absl::StrCat("all ", tensors, " tensors"),
                    " is missing");
  }
  return message + ".";
}

// The tables are whole, and the data of the last tensors is missing, which would follow without a
// gap.
std::optional<std::string> EndsInData(const File& file) {
  if (!file.alignment_known || file.alignment > kMostPlausibleAlignment) return std::nullopt;
  std::vector<const TensorInfo*> tensors;
  bool any_outside = false;
  for (const TensorInfo& tensor : file.tensors) {
    if (!tensor.bytes) return std::nullopt;
    if (*tensor.bytes == 0) continue;
    tensors.push_back(&tensor);
    any_outside = any_outside || !IsInFile(file, tensor);
  }
  if (!any_outside) return std::nullopt;
  absl::c_stable_sort(tensors, [](const TensorInfo* a, const TensorInfo* b) {
    return a->offset.value < b->offset.value;
  });
  std::optional<uint64_t> end = 0;  // Of the tensors so far, from the start of the data.
  const TensorInfo* first = nullptr;
  uint64_t missing = 0;
  for (const TensorInfo* tensor : tensors) {
    const bool is_in_file = IsInFile(file, *tensor);
    if (is_in_file && first != nullptr) return std::nullopt;
    if (!is_in_file) {
      const auto begin = CheckedAlignUp(*end, file.alignment);
      if (begin != tensor->offset.value) return std::nullopt;
      if (missing++ == 0) first = tensor;
    }
    end = CheckedAdd(tensor->offset.value, *tensor->bytes);
    if (!end) return std::nullopt;
  }
  if (first == nullptr) return std::nullopt;
  end = CheckedAdd(*end, file.data_begin);
  constexpr uint64_t kLargestModel = uint64_t{1} << 44;  // Beyond it, a dimension is wrong.
  if (!end || file.size >= *end || *end > kLargestModel) return std::nullopt;
  const std::string name = Quote(first->name.value);
  return absl::StrCat("The file is truncated: ", SizeOf(file.size, *end), "; the data of ",
                      missing == tensors.size()
                          ? (missing == 1 ? "its tensor is missing."
                                          : absl::StrCat("all ", missing, " tensors is missing."))
                      : missing == 1 ? absl::StrCat("the last of ", tensors.size(), " tensors, ",
                                                    name, ", is not complete.")
                                     : absl::StrCat(missing, " of ", tensors.size(),
                                                    " tensors is missing, from ", name, " on."));
}

// The name of an unfinished file explains what is missing, and why a later part has no header.
std::optional<std::string> FindTruncation(const Model& model) {
  const File& file = model.file;
  const bool has_header = file.kind.is_gguf || file.kind.legacy != nullptr;
  const auto truncated = file.stop ? EndsInTables(file) : EndsInData(file);
  if (!truncated && has_header) return std::nullopt;
  const std::string unfinished = WhatIsUnfinished(file.name);
  if (unfinished.empty()) return truncated;
  return absl::StrCat("According to its name, the file is ", unfinished, ".",
                      truncated ? " " + *truncated : "");
}

// Returns the name of a shard's file.
std::string NameOf(absl::string_view prefix, uint64_t number, uint64_t count) {
  return Quote(absl::StrCat(prefix, ShardSuffix(number, count)));
}

std::optional<std::string> FindMissingShard(const Model& model) {
  const ShardSet* set = model.shard_set();
  if (set == nullptr || set->first_present().model != &model) return std::nullopt;
  std::vector<uint32_t> missing;  // At most two: names may announce 99,999.
  uint64_t present = 0;
  uint32_t next = 1;
  for (const ShardSet::Shard& shard : set->shards()) {
    if (!shard.name.is_in_count()) continue;
    ++present;
    if (missing.empty() && shard.name.number > next) missing.push_back(next);
    next = shard.name.number + 1;
  }
  if (missing.empty() && next <= set->count()) missing.push_back(next);
  if (missing.empty()) return std::nullopt;
  const std::string name = NameOf(set->prefix(), missing[0], set->count());
  const uint64_t count = set->count() - present;
  if (count == 1) {
    return absl::StrCat("Shard ", missing[0], " of ", set->count(), " is missing: ", name, ".");
  }
  return absl::StrCat(count, " of ", set->count(), " shards are missing, the first is ", name, ".");
}

std::optional<std::string> FindMisnamedShard(const Model& model) {
  const auto name = ParseShardName(model.file.name);
  const KeyValue* kv = model.hparams().Key(Symbol::kSplitNo);
  if (!name || kv == nullptr || kv->element_type != nullptr) return std::nullopt;
  const auto number = IntegerOf(model.file, *kv);
  const auto count = model.hparams().Get(Symbol::kSplitCount);
  if (!number || !count || *number < 0 || *number >= *count || *count != name->count) {
    return std::nullopt;
  }
  if (static_cast<uint64_t>(*number) + 1 == name->number) return std::nullopt;
  return absl::StrCat("This is shard ", *number + 1, " of ", *count, ", named as shard ",
                      name->number, "; rename it to ",
                      NameOf(name->prefix, *number + 1, name->count), ".");
}

std::optional<std::string> FindSourceNames(const Model& model) {
  const Hparams& hparams = model.whole().hparams();
  const std::vector<TensorInfo>& tensors = model.file.tensors;
  constexpr size_t kLongestName = 256;  // Of a model; longer ones cost time.
  const TensorInfo* first = nullptr;
  uint64_t count = 0;
  for (const TensorInfo& tensor : tensors) {
    const absl::string_view name = tensor.name.value;
    if (name.size() > kLongestName || absl::StartsWith(name, "blk.")) continue;
    if (!IsSourceTensorName(name, hparams.architecture_name())) continue;
    if (count++ == 0) first = &tensor;
  }
  constexpr uint64_t kFewest = 3;
  if (count < kFewest || 2 * count < tensors.size()) return std::nullopt;
  return absl::StrCat(count, " of ", tensors.size(),
                      " tensors have the names of the original "
                      "model, such as ",
                      Quote(first->name.value),
                      ": the file was made by a converter of another program.");
}

std::optional<std::string> FindForkTypes(const Model& model) {
  uint64_t tensors = 0;
  const TensorInfo* first = nullptr;
  for (const TensorInfo& tensor : model.file.tensors) {
    const bool is_own = tensor.sized != nullptr && tensor.sized->program.empty();
    const bool is_foreign = tensor.sized != nullptr || tensor.type_info() == nullptr;
    if (!is_foreign || is_own || ForeignTypesOf(tensor.type.value).empty()) continue;
    if (tensors++ == 0) first = &tensor;
  }
  if (first == nullptr) return std::nullopt;
  return absl::StrCat(
      Count(tensors, "tensor"), tensors == 1 ? " has a type" : " have types", " of ",
      first->sized != nullptr ? first->sized->program : "forks of llama.cpp", ", such as ",
      first->sized != nullptr && !first->sized->name.empty()
          ? absl::StrCat(first->sized->name, " (", first->type.value, ")")
          : absl::StrCat(first->type.value),
      ", that llama.cpp does not read.");
}

std::optional<std::string> FindOtherLayout(const Model& model) {
  const auto found = FindForeignLayout(model);
  if (!found) return std::nullopt;
  const ForeignLayout& row = *found->row;
  return absl::StrCat("The file has a layout of ", row.program, ", in which ", row.changes, ": ",
                      row.program, " translates it, llama.cpp does not.");
}

// Tokens that were added without rows, and rows that pad the embeddings, are few: at most 8, or one
// in 50.
std::optional<std::string> FindOtherVocabulary(const Model& model) {
  const Model& whole = model.whole();
  const TensorInfo* embedding = whole.FindTensor("token_embd.weight");
  const auto tokens = whole.hparams().Get(Symbol::kNTokens);
  if (embedding == nullptr || embedding->rank() != 2) return std::nullopt;
  if (tokens.value_or(0) <= 0 || whole.hparams().Get(Symbol::kNVocab) != tokens) {
    return std::nullopt;
  }
  const uint64_t rows = embedding->dims[1], count = static_cast<uint64_t>(*tokens);
  const uint64_t difference = rows > count ? rows - count : count - rows;
  if (difference <= std::max<uint64_t>(8, rows / 50)) return std::nullopt;
  return absl::StrCat("The vocabulary is that of another model: it has ", Count(count, "token"),
                      ", but the embeddings have ", Count(rows, "row"), ".");
}

// Returns the first finding of a rule about the file or a part of it, as a sentence.
std::optional<std::string> FirstFinding(const Rule& rule, const Model& model) {
  const CheckContext context = {model};
  if (!WhyNot(rule, context).empty()) return std::nullopt;
  Diagnostics found(1);
  Finder find(rule, &found);
  rule.check(context, find);
  if (found.kept().empty()) return std::nullopt;
  const Diagnostic& first = found.kept()[0];
  absl::string_view part = first.subject;
  const bool has_part = absl::ConsumePrefix(&part, "file.");
  return absl::StrCat("The ", part, has_part ? " of the file " : " ", first.message, ".");
}

std::optional<std::string> MessageOf(const CauseKind& kind, const Model& model) {
  const FileKind& file = model.file.kind;
  if (kind.damage != Damage::kNone && file.damage == kind.damage) {
    return absl::StrCat("The file is not the model: it is ", file.what, ".");
  }
  return kind.found_by != nullptr ? FirstFinding(*FindRule(kind.found_by), model)
                                  : kind.find(model);
}

bool Explains(const CauseKind& kind, const Rule& rule) {
  return kind.rules.empty() || absl::c_linear_search(kind.rules, absl::string_view(rule.id));
}

}  // namespace

const std::vector<CauseKind>& CauseKinds() {
  static const auto* const kKinds = new std::vector<CauseKind>{
      {.id = "damaged-in-transport",
       .repair = "Fetch the original again, as binary data, and compare its SHA-256 with the "
                 "publisher's.",
       .found_by = "file-not-converted",
       .damage = Damage::kInTransport,
       .is_of_whole_file = true},
      {.id = "begins-again",
       .repair = "Delete the file and fetch it again from its beginning.",
       .rules = {"header-once", "no-trailing-data", "weights-finite", "weights-scale-finite",
                 "weights-nvfp4-scale-number", "weights-index-in-range", "digest-sha256-equal",
                 "file-complete", "header-counts-fit", "array-length-fits", "value-type-known",
                 "array-element-type-known", "array-nesting-bounded", "string-utf8",
                 "tensor-dimension-count"},
       .found_by = "header-once",
       .is_of_whole_file = true},
      {.id = "joined-shards",
       .repair = "Fetch the shards again, each as a file of its own under its original name.",
       .rules = {"shards-not-joined", "no-trailing-data", "file-name-shard-number",
                 "shard-set-complete", "digest-sha256-equal"},
       .found_by = "shards-not-joined",
       .is_of_whole_file = true},
      {.id = "never-filled",
       .repair = "Fetch the file again, and compare its SHA-256 with the publisher's; its size "
                 "says nothing.",
       .rules = {"tensor-data-filled", "tensor-rows-filled", "weights-not-constant",
                 "weights-not-zero", "header-magic", "digest-sha256-equal"},
       .found_by = "tensor-data-filled",
       .damage = Damage::kNeverFilled,
       .is_of_whole_file = true},
      {.id = "truncated",
       .repair = "Resume the download, or fetch the file again, and compare its size and SHA-256 "
                 "with the publisher's.",
       .rules = {"file-complete", "header-counts-fit", "array-length-fits", "legacy-counts-fit",
                 "tensor-data-in-file", "last-tensor-padded", "digest-sha256-equal",
                 "file-name-finished", "header-magic"},
       .find = FindTruncation,
       .is_of_whole_file = true},
      {.id = "shard-missing",
       .repair = "Fetch the missing files, and keep all shards in one folder, under their original "
                 "names.",
       .rules = {"shard-set-complete", "shard-set-tensors-counted", "compare-tensors-present"},
       .find = FindMissingShard},
      {.id = "shard-misnamed",
       .repair = "Rename the file. If another file has that name, move it aside first, so that it "
                 "is not overwritten: the two may have each other's names.",
       .rules = {"shard-set-number", "file-name-shard-number"},
       .find = FindMisnamedShard},
      {.id = kForeignLayoutCause,
       .repair = "Use the file that is published for llama.cpp, with its projector if it has one; "
                 "or run this one with the program that made it.",
       .rules = {"layout-of-upstream",
                 "architecture-known",
                 "architecture-loadable",
                 "attention-has-projections",
                 "graph-hparams-consistent",
                 "graph-hparams-safe",
                 "graph-tensors-present",
                 "key-array-length",
                 "key-known",
                 "key-type-loaded",
                 "kind-keys-present",
                 "llama-cpp-keys-present",
                 "model-block-in-count",
                 "model-blocks-named",
                 "model-blocks-present",
                 "model-tensor-names-current",
                 "model-tensor-names-standard",
                 "model-tensor-shapes",
                 "model-tensors-known",
                 "model-tensors-present",
                 "older-llama-cpp-keys-present",
                 "pre-tokenizer-known",
                 "pre-tokenizer-present",
                 "size-label-parameters",
                 "spec-keys-present",
                 "usual-keys-present",
                 "usual-tensors-present"},
       .find = FindOtherLayout},
      {.id = "fork-types",
       .repair =
           "Run the file with the program that made it, or use a file with llama.cpp's types.",
       .rules = {"tensor-layout-of-type", "tensor-type-known", "tensor-type-not-removed",
                 "tensor-row-whole-blocks", "file-type-matches-tensors", "file-type-known"},
       .find = FindForkTypes},
      {.id = "other-converter",
       .repair = "Convert the model with convert_hf_to_gguf.py of llama.cpp.",
       .rules = {"model-tensors-known", "model-tensors-present", "model-blocks-present",
                 "model-blocks-named", "model-tensor-names-current", "model-tensor-names-standard",
                 "attention-has-projections", "graph-tensors-present", "kind-agrees-with-tensors",
                 "tensor-name-length-ggml"},
       .find = FindSourceNames},
      {.id = "other-vocabulary",
       .repair = "Convert the model again, with the tokenizer that was published with its weights.",
       .rules = {"vocabulary-fits-embedding", "rwkv-head-rows", "token-ids-in-range",
                 "default-token-ids-in-range", "padding-token-id-in-range", "end-tokens-end-text",
                 "default-tokens-special"},
       .find = FindOtherVocabulary},
      {.id = "hyperparameter",
       .repair = "Write the value that fits, which the configuration of the original model has; or "
                 "convert the model again.",
       .rules = {"model-tensor-shapes"},
       .find =
           [](const Model& model) {
             const auto wrong = FindWrongHparam(model);
             return wrong ? std::make_optional(wrong->message) : std::nullopt;
           }},
  };
  return *kKinds;
}

void AddCauses(const Model& model, FileReport* report) {
  bool has_of_whole_file = false;
  for (const CauseKind& kind : CauseKinds()) {
    if (kind.is_of_whole_file && has_of_whole_file) continue;
    auto message = MessageOf(kind, model);
    if (!message) continue;
    has_of_whole_file |= kind.is_of_whole_file;
    report->causes.push_back({kind.id, kind.id, *std::move(message), kind.repair});
    for (auto* findings : {&report->findings, &report->off.findings}) {
      for (Finding& finding : *findings) {
        if (finding.cause.empty() && Explains(kind, *finding.diagnostic.rule)) {
          finding.cause = kind.id;
        }
      }
    }
    for (auto* more : {&report->more, &report->off.more}) {
      for (FileReport::More& rule : *more) {
        if (rule.cause.empty() && Explains(kind, *rule.rule)) rule.cause = kind.id;
      }
    }
  }
  CountCauses(report);
}

void CountCauses(FileReport* report) {
  for (Cause& cause : report->causes) {
    cause.findings = absl::c_count_if(
        report->findings, [&](const Finding& finding) { return finding.cause == cause.id; });
    for (const FileReport::More& more : report->more) {
      if (more.cause == cause.id) cause.findings += more.count;
    }
  }
}

}  // namespace gguf
