// Matches patterns of rule ids.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/rule_selection.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/rules/catalogue.h"

namespace gguf {
namespace {

bool Matches(absl::string_view id, absl::string_view pattern) {
  return absl::ConsumeSuffix(&pattern, "*") ? absl::StartsWith(id, pattern) : id == pattern;
}

// Returns the rules that match a pattern; none for an invalid pattern.
std::vector<const Rule*> MatchingRules(absl::string_view pattern) {
  std::vector<const Rule*> rules;
  for (const Rule* rule : Catalogue()) {
    if (Matches(rule->id, pattern)) rules.push_back(rule);
  }
  for (const RenamedRule& renamed : RenamedRules()) {
    if (Matches(renamed.old_id, pattern) && !Matches(renamed.id, pattern)) {
      rules.push_back(FindRule(renamed.id));
    }
  }
  return rules;
}

absl::StatusOr<std::vector<const Rule*>> ParseLists(const std::vector<std::string>& lists) {
  std::vector<const Rule*> all;
  for (const std::string& list : lists) {
    const auto rules = ParseRules(list);
    if (!rules.ok()) return rules.status();
    all.insert(all.end(), rules->begin(), rules->end());
  }
  return all;
}

Severity Selected(Severity severity) {
  return severity == Severity::kOff ? Severity::kWarning : severity;
}

}  // namespace

absl::Status NoSuchRule(absl::string_view pattern) {
  const std::string error = absl::StrCat("there is no rule ", Quote(pattern));
  const auto other = [&](auto... parts) {
    return absl::InvalidArgumentError(absl::StrCat(error, "; ", parts...));
  };
  std::vector<absl::string_view> ids;
  for (const Rule* rule : MatchingRules(absl::StrCat(pattern, "*"))) {
    ids.push_back(rule->id);
  }
  if (!pattern.empty() && !ids.empty()) {
    return other("these have that prefix: ", absl::StrJoin(ids, ", "));
  }
  const std::string closest = ClosestRule(pattern);
  if (closest.empty()) return other("see ggufcheck rules");
  return other("did you mean ", closest, "?");
}

std::string OldIdIn(absl::string_view list) {
  for (const absl::string_view pattern : absl::StrSplit(list, ',')) {
    for (const auto& [old_id, id] : RenamedRules()) {
      if (!Matches(old_id, pattern) || Matches(id, pattern)) continue;
      return absl::StrCat(old_id, " is now ", id);
    }
  }
  return "";
}

absl::StatusOr<std::vector<const Rule*>> ParseRules(absl::string_view list) {
  std::vector<const Rule*> all;
  for (const absl::string_view pattern : absl::StrSplit(list, ',')) {
    const std::vector<const Rule*> rules = MatchingRules(pattern);
    if (rules.empty()) return NoSuchRule(pattern);
    all.insert(all.end(), rules.begin(), rules.end());
  }
  return all;
}

absl::StatusOr<Profile> SelectRules(const Profile& base, const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore) {
  const auto selected = ParseLists(select);
  if (!selected.ok()) return selected.status();
  const auto ignored = ParseLists(ignore);
  if (!ignored.ok()) return ignored.status();
  Profile profile = base;
  if (!select.empty()) {
    for (const Rule* rule : Catalogue()) {
      profile.Override(*rule, Severity::kOff);
    }
  }
  for (const Rule* rule : *selected) {
    profile.Override(*rule, Selected(base.SeverityOf(*rule)));
  }
  for (const Rule* rule : *ignored) profile.Override(*rule, Severity::kOff);
  return profile;
}

}  // namespace gguf
