// Orders what a fuzzing run found, and writes it as text and as JSON.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/findings.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/base/json.h"
#include "conformance/base/text.h"
#include "conformance/readers/report/matrix.h"

namespace gguf::readers {
namespace {

constexpr FuzzKind kKinds[] = {
    {"memory-error", "touches memory that is not its own"},
    {"crash", "crashes"},
    {"ub", "does something undefined"},
    {"abort", "aborts"},
    {"exception", "ends with an exception that nobody caught"},
    {"oom", "needs more memory than allowed"},
    {"hang", "gives no verdict in time"},
    {"flood", "writes more output than allowed"},
    {"exit", "exits without a verdict"},
    {"protocol", "violates the protocol"},
    {"false-accept", "accepts the file"},
    {"wrong-values", "misreads the file"},
    {"false-reject", "rejects the file"},
};

// Returns the rank of a kind, and its meaning.
std::pair<size_t, const char*> Find(absl::string_view kind) {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kind == kKinds[i].name) return {i, kKinds[i].meaning};
  }
  return {std::size(kKinds), "fails"};
}

}  // namespace

absl::Span<const FuzzKind> FuzzKinds() { return kKinds; }

void SortGroups(std::vector<FuzzGroup>* groups) {
  std::sort(groups->begin(), groups->end(), [](const FuzzGroup& a, const FuzzGroup& b) {
    const auto key = [](const FuzzGroup& group) {
      return std::make_tuple(Find(group.kind).first, group.verdict != "valid", ~group.count,
                             group.signature);
    };
    return key(a) < key(b);
  });
}

std::string VerdictWords(const FuzzGroup& group) {
  const std::string does = Find(group.kind).second;
  const bool names_file = absl::EndsWith(does, "the file");
  const std::string begin =
      names_file ? absl::StrCat(does, ", ") : absl::StrCat(does, " on a file ");
  if (group.verdict == "valid") return begin + (names_file ? "which is valid" : "that is valid");
  return absl::StrCat(begin, names_file ? "which " : "that ",
                      absl::StrJoin(group.rejected_by, ", "),
                      group.rejected_by.size() == 1 ? " rejects by " : " reject by ",
                      absl::StrJoin(group.rules, ", "));
}

absl::StatusOr<FuzzReport> ReadFuzzReport(absl::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  FuzzReport report;
  const absl::Status read = RecordReader::Read(json, &report);
  if (!read.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("not a report of ggufcheck readers fuzz: ", read.message()));
  }
  return report;
}

std::string FuzzJson(const FuzzReport& report) {
  return JsonText(RecordWriter::Write(report), 1) + "\n";
}

std::string FuzzText(const FuzzReport& report, const TextStyle& style) {
  std::string out = absl::StrFormat(
      "%s %s: %d executions in %.0f s, %s\n", Visible(report.reader.name),
      Visible(report.reader.version), report.executions, report.seconds,
      report.groups.empty() ? "nothing found" : Counted(report.groups.size(), "group"));
  if (!report.incomplete.empty()) {
    absl::StrAppend(&out, "NOT COMPLETE: ", Visible(report.incomplete), "\n");
  }
  const char* const bold = style.color ? "\x1b[1m" : "";
  const char* const plain = style.color ? "\x1b[0m" : "";
  for (const FuzzGroup& group : report.groups) {
    absl::StrAppend(&out, "\n", bold, Visible(group.kind), plain, "  ", Escape(group.message, 300),
                    "\n");
    const auto line = [&](absl::string_view text) {
      absl::StrAppend(&out, Wrap(absl::StrCat("    ", text), style.width, 6), "\n");
    };
    line(absl::StrCat("It ", Visible(VerdictWords(group)), "."));
    if (!group.frames.empty())
      line(absl::StrCat("in ", Visible(absl::StrJoin(group.frames, " < "))));
    line(absl::StrCat(Counted(group.count, "mutant"), "; reduced to ", Counted(group.size, "byte"),
                      group.file.empty() ? "" : ": ", Visible(group.file)));
    line(Visible(group.reproduce));
  }
  return out;
}

}  // namespace gguf::readers
