// Patterns of rule ids.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/rule_selection.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/rules/catalogue.h"
#include "parser/quote.h"

namespace gguf {
namespace {

// The rules that a pattern stands for; none when it is wrong.
std::vector<const Rule*> MatchingRules(absl::string_view pattern) {
  absl::string_view prefix = pattern;
  const bool star = absl::ConsumeSuffix(&prefix, "*");
  std::vector<const Rule*> rules;
  for (const Check& check : Catalogue()) {
    const absl::string_view id = check.rule->id;
    if (star ? absl::StartsWith(id, prefix) : id == pattern) {
      rules.push_back(check.rule);
    }
  }
  return rules;
}

absl::Status NoSuchRule(absl::string_view pattern) {
  const std::string closest = ClosestRule(pattern);
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no rule ", Quote(pattern),
      closest.empty() ? "; see ggufcheck rules"
                      : absl::StrCat("; did you mean ", closest, "?")));
}

Severity Selected(Severity severity) {
  return severity == Severity::kOff ? Severity::kWarning : severity;
}

}  // namespace

absl::StatusOr<Profile> SelectRules(const Profile& base,
                                    const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore) {
  Profile profile = base;
  if (!select.empty()) {
    for (const Check& check : Catalogue()) {
      profile.Override(*check.rule, Severity::kOff);
    }
  }
  for (const auto* lists : {&select, &ignore}) {
    for (const std::string& list : *lists) {
      for (const absl::string_view pattern : absl::StrSplit(list, ',')) {
        const std::vector<const Rule*> rules = MatchingRules(pattern);
        if (rules.empty()) return NoSuchRule(pattern);
        for (const Rule* rule : rules) {
          profile.Override(*rule, lists == &select
                                      ? Selected(base.SeverityOf(*rule))
                                      : Severity::kOff);
        }
      }
    }
  }
  return profile;
}

}  // namespace gguf
