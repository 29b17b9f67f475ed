// Reads the tables of a ggufcheck.toml.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/config.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/check/rule_selection.h"
#include "conformance/rules/catalogue.h"
#include "parser/tensor_type.h"

namespace gguf {

std::optional<uint64_t> ParseSize(absl::string_view text) {
  // SimpleAtoi would also accept signs and spaces.
  if (text.empty() || !absl::ascii_isdigit(text[0])) return std::nullopt;
  constexpr absl::string_view kUnits = "KMG";
  uint64_t unit = 1;
  const size_t power = kUnits.find(text.back());
  if (power != kUnits.npos) {
    unit = uint64_t{1024} << (10 * power);
    text.remove_suffix(1);
  }
  uint64_t number;
  if (!absl::ascii_isdigit(text.back()) || !absl::SimpleAtoi(text, &number)) {
    return std::nullopt;
  }
  return CheckedMultiply(number, unit);
}

namespace {

// Reads a number, or a string with a unit such as "50G".  Returns as Read().
bool ReadSize(TomlTable table, absl::string_view key, uint64_t* value) {
  if (!table.IsString(key)) return table.Read(key, value);
  std::string text;
  table.Read(key, &text);
  const auto size = ParseSize(text);
  if (!size) {
    table.Fail(key, absl::StrCat(Quote(key), " must be a number or a string like 50G"));
    return false;
  }
  *value = *size;
  return true;
}

// Reads a list, which must not be empty if it is present.
bool ReadList(TomlTable table, absl::string_view key, std::vector<std::string>* list) {
  if (!table.Read(key, list)) return false;
  if (list->empty()) {
    table.Fail(key, absl::StrCat(Quote(key), " must not be empty"));
  }
  return !list->empty();
}

void ReadFileName(TomlTable table, Policy* policy) {
  constexpr char kKey[] = "file-name";
  std::string pattern;
  if (!table.Read(kKey, &pattern)) return;
  RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<const RE2>(pattern, options);
  if (expression->ok()) {
    policy->file_name = std::move(expression);
  } else {
    table.Fail(kKey, absl::StrCat(Quote(kKey),
                                  " is not an RE2 expression: ", Escape(expression->error())));
  }
}

std::vector<absl::string_view> TensorTypeNames(const OwnTypes& own) {
  std::vector<absl::string_view> names;
  for (const auto types : {AllTensorTypes(), OldTensorTypes()}) {
    for (const TensorTypeInfo& type : types) names.push_back(type.name);
  }
  for (const auto& [id, type] : own.by_id) names.push_back(type.name);
  return names;
}

// Reads a number from 1 to `most`.
void ReadNumber(TomlTable table, absl::string_view key, uint64_t most, uint64_t* value) {
  if (!table.Read(key, value) || (*value >= 1 && *value <= most)) return;
  table.Fail(key, absl::StrCat(Quote(key), " is ", *value, "; it must be from 1 to ", most));
}

// Reads the size of all tensors of a type.
void ReadSizeExpression(TomlTable table, SizedType* type) {
  constexpr char kKey[] = "size";
  if (!table.Read(kKey, &type->size)) return;
  type->blocks.elements = 1;
  std::string expected;
  const auto of_none = EvaluateSize(type->size, 0, &expected);
  const auto of_many = EvaluateSize(type->size, 1 << 30, &expected);
  if (!expected.empty()) {
    table.Fail(kKey, absl::StrCat(Quote(kKey), " must be an expression: expected ", expected));
  } else if (!of_none || !of_many || *of_many <= *of_none) {
    table.Fail(kKey, "\"size\" must grow with the elements, and be below 2^64 for 2^30 of them");
  }
}

// Returns what is wrong with a type; empty if that is not seen yet.
std::string WhyNoType(absl::string_view name, const std::vector<std::string>& sorted_keys,
                      const OwnTypes& own) {
  const auto is_plain = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  if (name.empty() || name.size() > 64 || !absl::ascii_isalpha(name[0]) ||
      !std::all_of(name.begin(), name.end(), is_plain)) {
    return "must have a name of at most 64 letters A-Z and a-z, digits and _, first a letter";
  }
  for (const absl::string_view other : TensorTypeNames(own)) {
    if (absl::EqualsIgnoreCase(name, other)) return "must have a name that no other type has";
  }
  using Keys = std::vector<std::string>;
  const bool is_whole =
      sorted_keys == Keys{"bytes", "elements", "id"} || sorted_keys == Keys{"id", "size"};
  return is_whole ? "" : "must have either id, elements and bytes, or id and size";
}

// Stops at the first error.
OwnTypes ReadTypes(std::optional<TomlTable> types) {
  constexpr uint64_t kLargestBlock = 1 << 20, kMostId = 0xFFFFFFFF;
  OwnTypes own;
  if (!types) return own;
  for (const std::string& name : types->Keys()) {
    auto table = types->Table(name);
    if (types->failed()) break;
    const std::string why = WhyNoType(name, table->Keys(), own);
    if (!why.empty()) {
      types->Fail(name, absl::StrCat("the tensor type ", Quote(name), " ", why));
      break;
    }
    SizedType type;
    uint64_t id = 0;
    ReadNumber(*table, "id", kMostId, &id);
    ReadNumber(*table, "elements", kLargestBlock, &type.blocks.elements);
    ReadNumber(*table, "bytes", kLargestBlock, &type.blocks.bytes);
    ReadSizeExpression(*table, &type);
    if (types->failed()) break;
    type.id = static_cast<uint32_t>(id);
    type.name = name;
    const TensorTypeInfo* const known = FindTensorType(type.id);
    if (known != nullptr || !own.by_id.emplace(type.id, type).second) {
      table->Fail("id", absl::StrCat("\"id\" is ", id, ", as that of ",
                                     known != nullptr ? known->name : own.by_id[id].name,
                                     "; it must be that of no other type"));
    }
  }
  return own;
}

void ReadTensorTypes(TomlTable table, const OwnTypes& own, Policy* policy) {
  constexpr char kKey[] = "tensor-types";
  std::vector<std::string> types;
  if (!ReadList(table, kKey, &types) || table.failed()) return;  // Perhaps of [types].
  const std::vector<absl::string_view> known = TensorTypeNames(own);
  for (size_t i = 0; i < types.size(); ++i) {
    if (std::find(known.begin(), known.end(), types[i]) != known.end()) {
      continue;
    }
    return table.Fail(
        kKey, i,
        absl::StrCat("unknown tensor type ", Quote(types[i]), DidYouMean(types[i], known)));
  }
  policy->tensor_types.insert(types.begin(), types.end());
}

void ReadPolicy(TomlTable table, const OwnTypes& own, Policy* policy) {
  ReadFileName(table, policy);
  uint64_t size;
  if (ReadSize(table, "file-size", &size)) policy->file_size = size;
  std::vector<std::string> architectures;
  if (ReadList(table, "architectures", &architectures)) {
    policy->architectures.insert(architectures.begin(), architectures.end());
  }
  ReadTensorTypes(table, own, policy);
  auto keys = table.Table("keys");
  if (!keys) return;
  for (const std::string& name : keys->Keys()) {
    std::vector<std::string> values;
    if (!ReadList(*keys, name, &values)) return;
    policy->keys.push_back({name, std::move(values)});
  }
}

// Returns "did you mean" with the closest word, or a list of all words.
std::string OneOf(absl::string_view word, const std::vector<absl::string_view>& words) {
  const std::string closest = ClosestWord(word, words);
  return closest.empty() ? absl::StrCat("expected one of ", absl::StrJoin(words, ", "))
                         : absl::StrCat("did you mean ", closest, "?");
}

std::vector<absl::string_view> ProfileNames(const Config& config) {
  std::vector<absl::string_view> names;
  for (const Profile& profile : Profile::BuiltIn()) {
    names.push_back(profile.name());
  }
  for (const auto& profile : config.profiles) names.push_back(profile.name);
  return names;
}

std::string NoProfile(absl::string_view name, const std::vector<absl::string_view>& names) {
  return absl::StrCat("there is no profile ", Quote(name), "; ", OneOf(name, names));
}

void ReadSeverity(TomlTable table, absl::string_view key, Severity* value, bool may_be_off) {
  std::string name;
  if (!table.Read(key, &name)) return;
  const auto severity = ParseSeverity(name);
  if (severity && (may_be_off || *severity != Severity::kOff)) {
    *value = *severity;
    return;
  }
  table.Fail(key, absl::StrCat(Quote(key), " must be error, warning",
                               may_be_off ? ", note or off" : " or note"));
}

void WarnOfOldId(TomlTable table, absl::string_view key, absl::string_view list) {
  const std::string renamed = OldIdIn(list);
  if (!renamed.empty()) table.Warn(key, renamed);
}

// Stops at the first error: suggesting corrections for many unknown rules would
// take long.
void ReadSeverities(std::optional<TomlTable> table, RuleSeverities* out) {
  if (!table) return;
  for (const std::string& id : table->Keys()) {
    Severity severity = Severity::kOff;
    ReadSeverity(*table, id, &severity, true);
    if (table->failed()) return;
    const Rule* rule = FindRule(id);
    if (rule == nullptr) return table->Fail(id, NoSuchRule(id).message());
    WarnOfOldId(*table, id, id);
    out->emplace_back(rule, severity);
  }
}

// Reads lists of rules; stops as above.
std::vector<const Rule*> ReadRules(TomlTable table, absl::string_view key,
                                   std::vector<std::string>* lists) {
  std::vector<const Rule*> all;
  if (!table.Read(key, lists)) return all;
  for (size_t i = 0; i < lists->size() && !table.failed(); ++i) {
    const auto rules = ParseRules((*lists)[i]);
    if (!rules.ok()) {
      table.Fail(key, i, rules.status().message());
      break;
    }
    WarnOfOldId(table, key, (*lists)[i]);
    all.insert(all.end(), rules->begin(), rules->end());
  }
  return all;
}

bool IsProfileName(absl::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '.';
  });
}

void ReadProfiles(std::optional<TomlTable> profiles, Config* config) {
  if (!profiles) return;
  const std::vector<absl::string_view> built_in = ProfileNames(Config());
  for (const std::string& name : profiles->Keys()) {
    auto table = profiles->Table(name);
    if (profiles->failed()) return;
    if (!IsProfileName(name)) {
      return profiles->Fail(name, absl::StrCat("the name of the profile ", Quote(name),
                                               " may only contain a-z, 0-9, - and ."));
    }
    if (Profile::Find(name) != nullptr) {
      return profiles->Fail(
          name, absl::StrCat("the profile ", Quote(name), " is built in; choose another name"));
    }
    std::string extends;
    if (!table->Read("extends", &extends)) {
      return profiles->Fail(
          name, absl::StrCat("the profile ", Quote(name), " must have extends = one of ",
                             absl::StrJoin(built_in, ", ")));
    }
    const Profile* base = Profile::Find(extends);
    if (base == nullptr) {
      return table->Fail("extends", NoProfile(extends, built_in));
    }
    config->profiles.push_back({name, base, {}});
    ReadSeverities(table->Table("severities"), &config->profiles.back().severities);
  }
}

// Checks that there is a profile of the name that is the value of a key.
void RequireProfile(TomlTable table, absl::string_view key, absl::string_view name,
                    const Config& config) {
  const auto names = ProfileNames(config);
  if (std::count(names.begin(), names.end(), name) > 0) return;
  table.Fail(key, NoProfile(name, names));
}

void ReadFileProfiles(std::optional<TomlTable> table, Config* config) {
  if (!table) return;
  for (const std::string& glob : table->Keys()) {
    std::string profile;
    if (table->Read(glob, &profile)) {
      RequireProfile(*table, glob, profile, *config);
    }
    if (table->failed()) return;
    config->file_profiles.push_back({glob, profile});
  }
  std::stable_sort(config->file_profiles.begin(), config->file_profiles.end(),
                   [](const auto& a, const auto& b) { return a.glob.size() > b.glob.size(); });
}

void ReadFileIgnores(std::optional<TomlTable> table, Config* config) {
  if (!table) return;
  for (const std::string& glob : table->Keys()) {
    std::vector<std::string> lists;
    config->file_ignores.push_back({glob, ReadRules(*table, glob, &lists)});
    if (table->failed()) return;
  }
}

void ReadLimits(std::optional<TomlTable> table, Limits* limits) {
  if (!table) return;
  for (const LimitName& limit : kLimitNames) {
    ReadSize(*table, limit.name, &(limits->*limit.member));
  }
  double seconds = 0;
  if (!table->Read(kSecondsName, &seconds)) return;
  if (seconds >= 0 && seconds <= kMostSeconds) {
    limits->seconds = seconds;
  } else {
    table->Fail(kSecondsName, absl::StrCat(Quote(kSecondsName), " must be from 0 to 1e9"));
  }
}

// Also accepts the table under its old name.
void ReadPolicyTable(TomlTable root, const OwnTypes& own, Policy* policy) {
  auto table = root.Table("policy");
  if (auto old = root.Table("house")) {
    if (table) return root.Fail("house", "[house] duplicates [policy]");
    root.Warn("house", "[house] is now [policy]");
    table = old;
  }
  if (table) ReadPolicy(*table, own, policy);
}

}  // namespace

std::optional<Severity> ParseSeverity(absl::string_view name) {
  for (const Severity severity :
       {Severity::kError, Severity::kWarning, Severity::kNote, Severity::kOff}) {
    if (name == SeverityName(severity)) return severity;
  }
  return std::nullopt;
}

absl::StatusOr<Config> ReadConfig(TomlFile file) {
  Config config;
  TomlTable root = file.root();
  ReadProfiles(root.Table("profiles"), &config);
  if (root.Read("profile", &config.profile)) {
    RequireProfile(root, "profile", config.profile, config);
  }
  ReadSeverity(root, "fail-on", &config.fail_on, false);
  root.Read("preview", &config.preview);
  ReadRules(root, "select", &config.select);
  ReadRules(root, "ignore", &config.ignore);
  ReadSeverities(root.Table("severities"), &config.severities);
  ReadFileProfiles(root.Table("per-file-profiles"), &config);
  ReadFileIgnores(root.Table("per-file-ignores"), &config);
  ReadLimits(root.Table("limits"), &config.limits);
  config.limits.own_types = std::make_shared<OwnTypes>(ReadTypes(root.Table("types")));
  ReadPolicyTable(root, *config.limits.own_types, &config.policy);
  const absl::Status status = file.Finish();
  if (!status.ok()) return status;
  config.warnings = file.warnings();
  return config;
}

absl::StatusOr<Profile> FindProfile(const Config& config, absl::string_view name) {
  const auto own = std::find_if(config.profiles.begin(), config.profiles.end(),
                                [&](const auto& profile) { return profile.name == name; });
  const bool is_own = own != config.profiles.end();
  const Profile* base = is_own ? own->extends : Profile::Find(name);
  if (base == nullptr) {
    return absl::InvalidArgumentError(NoProfile(name, ProfileNames(config)));
  }
  Profile profile = base->Named(name);
  if (config.preview) profile.EnablePreview();
  for (const Rule* rule : RulesOf(config.policy)) {
    profile.Override(*rule, Severity::kError);
  }
  const RuleSeverities none;
  for (const auto* severities : {is_own ? &own->severities : &none, &config.severities}) {
    for (const auto& [rule, severity] : *severities) {
      profile.Override(*rule, severity);
    }
  }
  return profile;
}

absl::StatusOr<Profile> MakeProfile(const Config& config, absl::string_view name,
                                    const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore) {
  const auto base = FindProfile(config, name);
  if (!base.ok()) return base.status();
  if (!select.empty()) return SelectRules(*base, select, ignore);
  std::vector<std::string> all = config.ignore;
  all.insert(all.end(), ignore.begin(), ignore.end());
  return SelectRules(*base, config.select, all);
}

}  // namespace gguf
