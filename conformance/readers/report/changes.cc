// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/report/changes.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/words.h"
#include "conformance/report/escape.h"

namespace gguf::readers {
namespace {

constexpr size_t kShownCases = 30;  // Of each kind.

bool Same(const CaseRecord& a, const CaseRecord& b) {
  return a.result == b.result && a.outcome == b.outcome;
}

// Whether the reader fails the case.  One that is listed as a known failure and
// passes makes the run fail, but is no failure.
bool Fails(const CaseRecord& record) {
  const CaseResultInfo& info = InfoOf(record.result);
  return info.unexpected && !info.passed;
}

// Returns the result as a code span: "`false-accept`", "`info: reject`".
std::string ResultOf(const CaseRecord* record) {
  return record == nullptr ? "not run" : MarkdownCode(CellText(record));
}

// Writes cases with what the reader does now.
void AppendCases(absl::string_view title,
                 const std::vector<Changes::Change>& changes,
                 std::string* out) {
  if (changes.empty()) return;
  absl::StrAppend(out, "\n### ", title, ": ", changes.size(), "\n\n");
  for (size_t i = 0; i < changes.size() && i < kShownCases; ++i) {
    const auto& [before, after] = changes[i];
    absl::StrAppend(out, "- ", MarkdownCode(after->id), ": ", ResultOf(before),
                    " → ", ResultOf(after));
    if (Fails(*after)) {
      const std::string words =
          absl::StrCat(WhatItDid(*after), " ", WhatItShould(*after));
      absl::StrAppend(out, "; ", MarkdownCode(after->title), ". ",
                      MarkdownCode(words));
    }
    *out += "\n";
  }
  if (changes.size() > kShownCases) {
    absl::StrAppend(out, "- and ", changes.size() - kShownCases, " more\n");
  }
}

// Returns "12 of 15 judged cases pass".
std::string Passed(const ReaderRun& run) {
  size_t judged = 0, passed = 0;
  for (const CaseRecord& record : run.cases) {
    judged += InfoOf(record.result).judged;
    passed += InfoOf(record.result).passed;
  }
  return absl::StrCat(passed, " of ", Counted(judged, "judged case"), " pass");
}

}  // namespace

Changes FindChanges(const ReaderRun& before, const ReaderRun& after) {
  std::map<absl::string_view, const CaseRecord*> earlier;
  for (const CaseRecord& record : before.cases) earlier[record.id] = &record;
  Changes changes;
  for (const CaseRecord& record : after.cases) {
    const auto found = earlier.find(record.id);
    const CaseRecord* const was =
        found == earlier.end() ? nullptr : found->second;
    if (was != nullptr) earlier.erase(found);
    const bool fails = Fails(record);
    if (was == nullptr) {
      if (fails) changes.added.push_back({was, &record});
    } else if (fails && !Fails(*was)) {
      changes.broken.push_back({was, &record});
    } else if (Fails(*was) && record.result == CaseResult::kXfail) {
      changes.listed.push_back({was, &record});
    } else if (!fails && Fails(*was)) {
      changes.fixed.push_back({was, &record});
    } else if (!Same(*was, record)) {
      changes.other.push_back({was, &record});
    }
  }
  for (const auto& [id, record] : earlier) changes.removed.push_back(record);
  return changes;
}

std::string ChangesReport(const ReaderRun& before, const ReaderRun& after) {
  const Changes changes = FindChanges(before, after);
  std::string out = absl::StrCat(
      "## ", MarkdownCode(after.label), " over the GGUF conformance suite\n\n",
      Passed(after), "; in the run of ", MarkdownCode(before.header.date), ", ",
      Passed(before), ".\n");
  if (!changes.removed.empty()) {
    absl::StrAppend(&out, "\n", Counted(changes.removed.size(), "case"),
                    " of that run did not run now.\n");
  }
  for (const std::string& problem : after.problems) {
    absl::StrAppend(&out, "\n**Not complete:** ", MarkdownCode(problem), "\n");
  }
  AppendCases("New failures", changes.broken, &out);
  AppendCases("Failures of cases that are new", changes.added, &out);
  AppendCases("Fixed", changes.fixed, &out);
  AppendCases("Now listed as known failures", changes.listed, &out);
  AppendCases("Other changes", changes.other, &out);
  if (changes.broken.empty() && changes.added.empty() &&
      changes.fixed.empty() && changes.listed.empty() &&
      changes.other.empty()) {
    out += "\nNothing changed.\n";
  }
  return out;
}

}  // namespace gguf::readers
