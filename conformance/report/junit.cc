// Writes one test suite per file and one test case per rule with findings.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/base/escape.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/report/file_view.h"
#include "conformance/report/writers.h"
#include "conformance/rules/profile.h"

namespace gguf {
namespace {

// Returns one line for each kept finding.
std::string Lines(const RuleView& rule) {
  std::string lines = absl::StrCat(rule.rule->summary, "\n");
  for (const FindingView* finding : rule.kept) {
    absl::StrAppend(&lines, finding->at, finding->at.empty() ? "" : "  ", finding->what, "\n");
  }
  if (rule.count > rule.kept.size()) {
    absl::StrAppend(&lines, "... and ", rule.count - rule.kept.size(), " more\n");
  }
  if (rule.cause != nullptr) {
    absl::StrAppend(&lines, "cause: ", rule.cause->message, "\nrepair: ", rule.cause->repair, "\n");
  } else {
    absl::StrAppend(&lines, "repair: ", rule.repair, "\n");
  }
  if (!rule.readers.empty()) absl::StrAppend(&lines, rule.readers, "\n");
  const std::string url = RuleUrl(rule.rule->id);
  if (!url.empty()) absl::StrAppend(&lines, url, "\n");
  return lines;
}

// Returns "not checked: id, id: why; id: why".
std::string NotChecked(const std::vector<UncheckedRules>& reasons) {
  return absl::StrCat(
      "not checked: ",
      absl::StrJoin(reasons, "; ", [](std::string* out, const UncheckedRules& unchecked) {
        absl::StrAppend(out, unchecked.List(), ": ", unchecked.why);
      }));
}

class JunitWriter : public ReportWriter {
 public:
  JunitWriter(const Run& run, std::ostream& out)
      : profile_(run.profile),
        fail_on_(run.fail_on),
        // Without the zone, as the schema requires.
        timestamp_(run.date.substr(0, 19)),
        out_(out) {
    xml_.Open("testsuites", {{"name", "ggufcheck"}});
    out_ << xml_.Take();
  }

  void Add(const FileReport& file) override;

  void End(const Totals& totals) override {
    if (!totals.unfinished.empty()) {
      xml_.OpenSuite("ggufcheck", {1, 0, 1, 0}, Times(std::nullopt));
      Case("all-files-checked", "error", totals.unfinished);
      xml_.Close();
    }
    xml_.Close();
    out_ << xml_.Take();
  }

 private:
  // Returns the attributes of a suite that are known.
  JunitXml::Attributes Times(std::optional<double> seconds) const {
    JunitXml::Attributes times;
    if (seconds) times.emplace_back("time", absl::StrFormat("%.3f", *seconds));
    if (!timestamp_.empty()) times.emplace_back("timestamp", timestamp_);
    return times;
  }

  void Case(const char* name, const char* outcome, const std::string& message,
            const std::string& text = "") {
    xml_.OpenCase(name);
    xml_.Add(outcome, {{"message", message}, {"type", name}}, text);
    xml_.Close();
  }

  // The set of shards is a suite of its own, with one case.
  void WriteSet(const SetView& set) {
    if (!set.result) return;
    const bool fails = set.result == Result::kFail, incomplete = set.result == Result::kIncomplete;
    xml_.OpenSuite(set.path, {1, fails, incomplete, 0}, Times(std::nullopt));
    if (set.result == Result::kPass) {
      xml_.OpenCase("all-shards");
      xml_.Close();
    } else {
      Case("all-shards", fails ? "failure" : "error",
           absl::StrCat(set.description, ": ", ResultName(*set.result)));
    }
    xml_.Close();
  }

  const std::string profile_;
  const Severity fail_on_;
  const std::string timestamp_;
  std::ostream& out_;
  JunitXml xml_;  // Emptied after each file, to save memory.
};

void JunitWriter::Add(const FileReport& file) {
  const FileView view(file, profile_);
  WriteSet(view.set);
  const bool incomplete = !view.incomplete.empty();
  const size_t failures =
      std::count_if(view.rules.begin(), view.rules.end(),
                    [&](const auto& rule) { return rule.severity >= fail_on_; });
  const bool skipped = !view.unchecked.empty();
  xml_.OpenSuite(view.path, {1 + view.rules.size() + skipped, failures, incomplete, skipped},
                 Times(file.seconds));
  if (incomplete) {
    Case("completed", "error", view.incomplete);
  } else {
    xml_.OpenCase("completed");
    xml_.Close();
  }
  for (const RuleView& rule : view.rules) {
    if (rule.severity >= fail_on_) {
      Case(rule.rule->id, "failure", Count(rule.count, SeverityName(rule.severity)), Lines(rule));
    } else {
      xml_.OpenCase(rule.rule->id);
      xml_.Add("system-out", {}, Lines(rule));
      xml_.Close();
    }
  }
  if (skipped) {
    xml_.OpenCase("all-rules-checked");
    xml_.Add("skipped", {{"message", NotChecked(view.unchecked)}});
    xml_.Close();
  }
  std::vector<std::string> more;
  for (const CauseView& cause : view.causes) {
    more.push_back(
        absl::StrCat("cause: ", cause.message, " (", Count(cause.cause->findings, "finding"), ")"));
  }
  if (!view.known.empty()) more.push_back(absl::StrCat("known: ", view.known));
  if (!more.empty()) xml_.Add("system-out", {}, absl::StrJoin(more, "\n"));
  xml_.Close();
  out_ << xml_.Take();
}

}  // namespace

std::unique_ptr<ReportWriter> NewJunitWriter(const Run& run, std::ostream& out) {
  return std::make_unique<JunitWriter>(run, out);
}

}  // namespace gguf
