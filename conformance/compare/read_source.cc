// Reads config.json, with the rows of source_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/read_source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/compare/source_files.h"
#include "conformance/tables/source_architectures.h"
#include "conformance/tables/source_keys.h"
#include "parser/core/bytes.h"
#include "parser/core/quote.h"
#include "parser/core/sniff.h"

namespace gguf {
namespace {

// Configurations of mixtures and of long vocabularies are far smaller.
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

constexpr char kConfig[] = "config.json";

// Returns a member of a member: "rope_parameters.rope_theta".
const SourceJson* FindPath(const SourceJson& json, absl::string_view path) {
  const SourceJson* at = &json;
  for (const absl::string_view name : absl::StrSplit(path, '.')) {
    at = FindMember(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::optional<SourceValue> ValueOf(const SourceJson& json, SourceKind kind) {
  switch (kind) {
    case SourceKind::kInteger:
      if (json.is_number_integer()) return json.get<int64_t>();
      break;
    case SourceKind::kReal:
      if (json.is_number()) return json.get<double>();
      break;
    case SourceKind::kFlag:
      if (json.is_boolean()) return json.get<bool>();
      break;
    case SourceKind::kAbsent:
      break;
  }
  return std::nullopt;
}

std::optional<SourceValue> ValueOfText(absl::string_view text,
                                       SourceKind kind) {
  return ValueOf(SourceJson::parse(text.begin(), text.end(), nullptr, false),
                 kind);
}

// Returns the value of a name in source_keys.tsv.
std::optional<SourceValue> Evaluate(const SourceJson& config,
                                    absl::string_view name, SourceKind kind) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  const SourceJson* json = FindPath(config, parts[0]);
  if (json == nullptr) return std::nullopt;
  if (parts.size() == 1) return ValueOf(*json, kind);
  const SourceJson* divisor = FindPath(config, parts[1]);
  if (divisor == nullptr || !json->is_number_integer() ||
      !divisor->is_number_integer() || divisor->get<int64_t>() <= 0) {
    return std::nullopt;
  }
  return json->get<int64_t>() / divisor->get<int64_t>();
}

void AddKey(const SourceJson& config, const SourceKeyRow& row,
            SourceModel* model) {
  if (row.kind == SourceKind::kAbsent) {
    model->absent_keys.emplace_back(row.key);
    return;
  }
  SourceModel::Key key;
  key.key = row.key;
  const auto otherwise = ValueOfText(row.otherwise, row.kind);
  std::optional<SourceValue> value;
  for (const char* name : row.names) {
    value = Evaluate(config, name, row.kind);
    if (value) {
      key.from = absl::StrCat(kConfig, ": ", name);
      break;
    }
    const SourceJson* member = FindPath(config, name);
    if (member != nullptr && !member->is_null()) {
      model->not_compared.emplace_back(
          CompareGroup::kHparams,
          absl::StrCat(Quote(name), " of config.json has another type than ",
                       row.key));
      return;
    }
  }
  if (!value) {
    if (!otherwise) return;
    value = otherwise;
    key.from = absl::StrCat("the default of ", model->architecture);
  }
  key.value = *value;
  key.may_lack = row.may_lack == MayLack::kYes ||
                 (row.may_lack == MayLack::kDefault && value == otherwise) ||
                 model->architecture.empty();
  model->keys.push_back(std::move(key));
}

// Returns how closely a row describes an architecture; 0 if it does not.
int RankOf(const SourceKeyRow& row, absl::string_view architecture) {
  const absl::string_view only = row.only;
  if (only == "*") return 1;
  if (architecture.empty()) return 0;
  if (only == "known") return 2;
  return only == architecture ? 3 : 0;
}

void AddKeys(const SourceJson& config, SourceModel* model) {
  std::map<absl::string_view, const SourceKeyRow*> rows;
  for (const SourceKeyRow& row : kSourceKeys) {
    const int rank = RankOf(row, model->architecture);
    if (rank == 0) continue;
    const SourceKeyRow*& best = rows.emplace(row.key, &row).first->second;
    if (rank > RankOf(*best, model->architecture)) best = &row;
  }
  for (const auto& [key, row] : rows) AddKey(config, *row, model);
}

void SetArchitecture(const SourceJson& config, SourceModel* model) {
  std::string name = "(none)";
  if (const SourceJson* names = FindMember(config, "architectures")) {
    if (names->is_array() && !names->empty() && (*names)[0].is_string()) {
      name = (*names)[0].get<std::string>();
    }
  }
  for (const SourceArchitecture& row : kSourceArchitectures) {
    if (name != row.name) continue;
    model->architecture = row.architecture;
    model->keys.push_back({"general.architecture", model->architecture,
                           absl::StrCat(kConfig, ": architectures")});
    model->not_compared.emplace_back(
        CompareGroup::kHparams,
        "the pooling type is not derived from the source");
    return;
  }
  const std::string why =
      absl::StrCat("of the architecture ", Quote(name),
                   " of config.json, only the numbers of blocks, dimensions "
                   "and heads and the base frequency are compared");
  model->not_compared.emplace_back(CompareGroup::kHparams, why);
  model->not_compared.emplace_back(CompareGroup::kRope, why);
  model->why_no_tensors =
      absl::StrCat("the tensors of the architecture ", Quote(name),
                   " of config.json are not known");
}

// Says where a document is no longer JSON.
std::string WhereOf(absl::string_view text, size_t at) {
  const absl::string_view before = text.substr(0, at);
  const size_t lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') + 1;  // 0 in the first line.
  constexpr size_t kShown = 16;
  const absl::string_view rest = text.substr(before.size(), kShown);
  return absl::StrCat(
      "line ", lines + 1, ", column ", before.size() - line_begin + 1, ", ",
      rest.empty() ? "where it ends" : absl::StrCat("at ", Quote(rest)));
}

}  // namespace

absl::StatusOr<SourceJson> ReadJson(const ReadSourceFile& read,
                                    const std::string& name) {
  const auto text = read(name, kMostBytes + 1);
  if (absl::IsNotFound(text.status())) return SourceJson();
  if (!text.ok()) return text.status();
  if (text->size() > kMostBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is too large"));
  }
  SourceJson json;
  try {
    json = SourceJson::parse(*text);
  } catch (const SourceJson::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is not valid JSON: ", WhereOf(*text, error.byte - 1)));
  }
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is not a JSON object"));
  }
  return json;
}

const SourceJson* FindMember(const SourceJson& json, absl::string_view name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(std::string(name));
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> ContentOf(const SourceJson* json) {
  if (json != nullptr && json->is_object()) json = FindMember(*json, "content");
  if (json == nullptr || !json->is_string()) return std::nullopt;
  return json->get<std::string>();
}

absl::StatusOr<SourceModel> ReadSource(const ReadSourceFile& read_any) {
  const ReadSourceFile read =
      [&](const std::string& name,
          uint64_t most) -> absl::StatusOr<std::string> {
    auto text = read_any(name, most);
    if (text.ok() && Sniff(AsBytes(*text)).is_pointer) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, " is a Git LFS pointer, not the file; fetch it: git lfs pull"));
    }
    return text;
  };
  SourceFiles files = {read, {}, {}, {}};
  SourceModel model;
  const std::pair<const char*, SourceJson*> documents[] = {
      {kConfig, &files.config},
      {"tokenizer.json", &files.tokenizer},
      {"tokenizer_config.json", &files.tokenizer_config}};
  for (const auto& [name, json] : documents) {
    auto document = ReadJson(read, name);
    if (!document.ok()) return document.status();
    *json = *std::move(document);
  }
  if (files.config.is_null()) {
    return absl::InvalidArgumentError("there is no config.json");
  }
  // Moved: the library copies with recursion, and a file may nest deeply.
  const auto text = files.config.find("text_config");
  if (text != files.config.end() && text->is_object()) {
    SourceJson members = std::move(*text);
    for (auto& [name, value] : members.items()) {
      files.config[name] = std::move(value);
    }
  }
  SetArchitecture(files.config, &model);
  AddKeys(files.config, &model);
  AddRope(files, &model);
  AddTokens(files, &model);
  absl::Status status = AddSpecialTokens(files, &model);
  if (status.ok()) status = AddTemplates(files, &model);
  if (status.ok()) status = AddTensors(files, &model);
  if (!status.ok()) return status;
  return model;
}

}  // namespace gguf
