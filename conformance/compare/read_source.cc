// Reads config.json, with the rows of source_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/read_source.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/compare/source_files.h"
#include "conformance/tables/source_architectures.h"
#include "conformance/tables/source_keys.h"
#include "parser/sniff.h"

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
      if (IsInteger(json)) return json.get<int64_t>();
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

std::optional<SourceValue> ValueOfText(absl::string_view text, SourceKind kind) {
  return ValueOf(SourceJson::parse(text.begin(), text.end(), nullptr, false), kind);
}

// Returns the value of a name in source_keys.tsv.
std::optional<SourceValue> Evaluate(const SourceJson& config, absl::string_view name,
                                    SourceKind kind) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  const SourceJson* json = FindPath(config, parts[0]);
  if (json == nullptr) return std::nullopt;
  if (parts.size() == 1) return ValueOf(*json, kind);
  const SourceJson* divisor = FindPath(config, parts[1]);
  if (divisor == nullptr || !IsInteger(*json) || !IsInteger(*divisor) ||
      divisor->get<int64_t>() <= 0) {
    return std::nullopt;
  }
  return json->get<int64_t>() / divisor->get<int64_t>();
}

void AddKey(const SourceJson& config, const SourceKeyRow& row, SourceModel* model) {
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
                       absl::StrReplaceAll(row.key, {{"{arch}.", ""}})));
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
    model->keys.push_back(
        {"general.architecture", model->architecture, absl::StrCat(kConfig, ": architectures")});
    model->not_compared.emplace_back(CompareGroup::kHparams,
                                     "the pooling type is not derived from the source");
    return;
  }
  const std::string why = absl::StrCat("of the architecture ", Quote(name),
                                       " of config.json, only the numbers of blocks, dimensions "
                                       "and heads and the base frequency are compared");
  model->not_compared.emplace_back(CompareGroup::kHparams, why);
  model->not_compared.emplace_back(CompareGroup::kRope, why);
  model->why_no_tensors = absl::StrCat("the tensors of the architecture ", Quote(name),
                                       " of config.json are not known");
}

// Finds the token with which a text is no longer JSON.
class ErrorFinder : public SourceJson::json_sax_t {
 public:
  explicit ErrorFinder(absl::string_view text) : text_(text) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(SourceJson::binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(std::string&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  // Also called for a number that is too large.  `token` may have what precedes
  // it as well, unless it is a string.
  bool parse_error(size_t end, const std::string& token, const SourceJson::exception&) override {
    begin_ = std::min(end, text_.size());
    if (end > text_.size()) return false;
    if (absl::EndsWith(token, "\"")) {
      begin_ -= std::min(end, token.size());
      return false;
    }
    while (begin_ > 0 && IsOfWord(text_[begin_ - 1])) --begin_;
    if (begin_ == end && end > 0) --begin_;
    return false;
  }

  size_t begin() const { return begin_; }

 private:
  // Of a number or a literal.
  static bool IsOfWord(char c) {
    return absl::ascii_isalnum(c) || c == '+' || c == '-' || c == '.';
  }

  const absl::string_view text_;
  size_t begin_ = 0;
};

// Returns the line and column of a position, and the text there.
std::string PlaceOf(absl::string_view text, size_t at) {
  const absl::string_view before = text.substr(0, at);
  const size_t lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') + 1;  // 0 in the first line.
  const absl::string_view rest = text.substr(before.size());
  constexpr size_t kShown = 24;
  size_t shown = std::min(rest.size(), kShown);
  while (shown < rest.size() && (rest[shown] & 0xC0) == 0x80) ++shown;
  return absl::StrCat(
      "line ", lines + 1, ", column ", before.size() - line_begin + 1, ", ",
      rest.empty() ? "where it ends" : absl::StrCat("at ", Quote(rest.substr(0, shown))));
}

}  // namespace

absl::StatusOr<SourceJson> ReadJson(const ReadSourceFile& read, const std::string& name) {
  const auto text = read(name, kMostBytes + 1);
  if (absl::IsNotFound(text.status())) return SourceJson();
  if (!text.ok()) return text.status();
  if (text->size() > kMostBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is too large"));
  }
  SourceJson json = SourceJson::parse(*text, nullptr, false);
  if (json.is_discarded()) {
    ErrorFinder error(*text);
    SourceJson::sax_parse(*text, &error);
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is not valid JSON: ", PlaceOf(*text, error.begin())));
  }
  if (!json.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is not a JSON object"));
  }
  return json;
}

bool IsInteger(const SourceJson& json) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return json.is_number_integer() && (!json.is_number_unsigned() || json.get<uint64_t>() <= kMost);
}

const SourceJson* FindMember(const SourceJson& json, absl::string_view name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(std::string(name));
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::optional<int64_t> IdIn(const SourceJson* json) {
  if (json == nullptr || !IsInteger(*json)) return std::nullopt;
  const auto id = json->get<int64_t>();
  return id < 0 ? std::nullopt : std::optional<int64_t>(id);
}

std::optional<std::string> ContentOf(const SourceJson* json) {
  if (json != nullptr && json->is_object()) json = FindMember(*json, "content");
  if (json == nullptr || !json->is_string()) return std::nullopt;
  return json->get<std::string>();
}

absl::StatusOr<SourceModel> ReadSource(const ReadSourceFile& read_any) {
  const ReadSourceFile read = [&](const std::string& name,
                                  uint64_t most) -> absl::StatusOr<std::string> {
    auto text = read_any(name, most);
    if (text.ok() && Sniff(AsBytes(*text)).is_pointer) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quote(name), " is a Git LFS pointer, not the file; fetch it: git lfs pull"));
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
