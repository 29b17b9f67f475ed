// Parses lists of known failures, and compares them with runs.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/known_failures.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "conformance/base/text.h"

namespace gguf::readers {
namespace {

// The three parts of a line, all empty for a comment or an empty line.
struct Line {
  absl::string_view id, result, reason;
};

absl::string_view TakeWord(absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  const absl::string_view word = text->substr(0, text->find_first_of(" \t\r"));
  text->remove_prefix(word.size());
  return word;
}

Line SplitLine(absl::string_view text) {
  Line line;
  line.id = TakeWord(&text);
  if (absl::StartsWith(line.id, "#")) return Line();
  line.result = TakeWord(&text);
  line.reason = absl::StripAsciiWhitespace(text);
  return line;
}

// Returns the result with this name if it can be a known failure.
std::optional<CaseResult> FindFailure(absl::string_view name) {
  CaseResult result;
  if (!FromJsonName(name, &result) || result == CaseResult::kXpass || !IsUnexpected(result)) {
    return std::nullopt;
  }
  return result;
}

std::string FormatLine(absl::string_view id, CaseResult result, absl::string_view reason) {
  return absl::StrFormat("%s  %s  %s\n", id, InfoOf(result).name, reason);
}

std::string NewReason(const CaseRecord& record) {
  const std::string seen = record.result == CaseResult::kWrongValues && record.difference
                               ? record.difference->path
                               : record.outcome;
  return absl::StrCat("new: ", Escape(seen), "; not yet reviewed");
}

}  // namespace

absl::StatusOr<KnownFailures> KnownFailures::Parse(absl::string_view text) {
  KnownFailures known;
  int number = 0;
  for (absl::string_view text_line : absl::StrSplit(text, '\n')) {
    ++number;
    const Line line = SplitLine(text_line);
    if (line.id.empty()) continue;
    const auto fail = [&](absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", what));
    };
    const auto result = FindFailure(line.result);
    if (!result) {
      return fail(absl::StrCat(
          "expected unsafe, wrong-values, false-accept or false-reject after the case, not ",
          Quote(line.result)));
    }
    if (line.reason.empty()) return fail("missing reason at the end");
    const Entry entry{*result, std::string(line.reason)};
    if (!known.entries_.emplace(line.id, entry).second) {
      return fail(absl::StrCat("duplicate case ", Quote(line.id)));
    }
  }
  return known;
}

void KnownFailures::Apply(CaseRecord* record) const {
  const auto found = entries_.find(record->id);
  if (found == entries_.end()) return;
  record->known = found->second.reason;
  if (record->result == found->second.result) {
    record->result = CaseResult::kXfail;
  } else if (record->result == CaseResult::kPass || record->result == CaseResult::kInfo ||
             record->result == CaseResult::kNonStrict) {
    record->result = CaseResult::kXpass;
  }
}

std::vector<std::string> KnownFailures::Gone(const std::set<std::string>& ids) const {
  std::vector<std::string> gone;
  for (const auto& [id, entry] : entries_) {
    if (ids.count(id) == 0) gone.push_back(id);
  }
  return gone;
}

std::string KnownFailures::Fix(absl::string_view text, const std::vector<CaseRecord>& records,
                               const std::set<std::string>& ids) {
  std::map<std::string, const CaseRecord*> run;
  for (const CaseRecord& record : records) run[record.id] = &record;
  std::string fixed;
  for (absl::string_view text_line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    const Line line = SplitLine(text_line);
    const std::string id(line.id);
    const auto found = run.find(id);
    const bool stays = line.id.empty() || (found == run.end() && ids.count(id) > 0) ||
                       (found != run.end() && found->second->result != CaseResult::kXpass);
    if (stays && found != run.end() && IsUnexpected(found->second->result)) {
      absl::StrAppend(&fixed, FormatLine(id, found->second->result, line.reason));
    } else if (stays && !(text_line.empty() && text.empty())) {
      absl::StrAppend(&fixed, text_line, "\n");
    }
    if (found != run.end()) run.erase(found);
  }
  for (const auto& [id, record] : run) {
    if (!IsUnexpected(record->result)) continue;
    absl::StrAppend(&fixed, FormatLine(id, record->result, NewReason(*record)));
  }
  return fixed;
}

}  // namespace gguf::readers
