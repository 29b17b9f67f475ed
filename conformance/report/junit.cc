// Writes one test suite per file and one test case per rule with findings.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/engine/profile.h"
#include "conformance/report/junit_xml.h"
#include "conformance/report/rule_findings.h"
#include "conformance/report/vulnerabilities.h"
#include "conformance/report/writers.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// Returns one line for each kept finding.
std::string Lines(const RuleFindings& found) {
  std::string lines = absl::StrCat(found.rule->summary, "\n");
  for (const Diagnostic* d : found.kept) {
    absl::StrAppendFormat(&lines, "0x%x  %s %s\n", d->where.begin, d->subject,
                          d->message);
  }
  if (found.count > found.kept.size()) {
    absl::StrAppend(&lines, "... and ", found.count - found.kept.size(),
                    " more\n");
  }
  const std::string readers = VulnerableReaders(found.kept);
  if (!readers.empty()) absl::StrAppend(&lines, readers, "\n");
  return lines;
}

// Returns "not checked: id, id: why; id: why".
std::string NotChecked(const std::vector<UncheckedRules>& reasons) {
  return absl::StrCat(
      "not checked: ",
      absl::StrJoin(reasons, "; ",
                    [](std::string* out, const UncheckedRules& unchecked) {
                      absl::StrAppend(out, absl::StrJoin(unchecked.ids, ", "),
                                      ": ", unchecked.why);
                    }));
}

class JunitWriter : public ReportWriter {
 public:
  JunitWriter(const Run& run, std::ostream& out)
      : fail_on_(run.fail_on),
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

  const Severity fail_on_;
  const std::string timestamp_;
  std::ostream& out_;
  JunitXml xml_;  // Emptied after each file, to save memory.
};

void JunitWriter::Add(const FileReport& file) {
  const std::vector<RuleFindings> rules = FindingsByRule(file);
  const std::vector<UncheckedRules> reasons = UncheckedByReason(file);
  const bool incomplete = !file.incomplete.empty();
  size_t failures = 0;
  for (const RuleFindings& found : rules) {
    if (found.severity >= fail_on_) ++failures;
  }
  const bool skipped = !reasons.empty();
  xml_.OpenSuite(Escape(file.path, file.path.size()),
                 {1 + rules.size() + skipped, failures, incomplete, skipped},
                 Times(file.seconds));
  if (incomplete) {
    Case("completed", "error", file.incomplete);
  } else {
    xml_.OpenCase("completed");
    xml_.Close();
  }
  for (const RuleFindings& found : rules) {
    if (found.severity >= fail_on_) {
      Case(found.rule->id, "failure",
           Count(found.count, SeverityName(found.severity)), Lines(found));
    } else {
      xml_.OpenCase(found.rule->id);
      xml_.Add("system-out", {}, Lines(found));
      xml_.Close();
    }
  }
  if (skipped) {
    xml_.OpenCase("all-rules-checked");
    xml_.Add("skipped", {{"message", NotChecked(reasons)}});
    xml_.Close();
  }
  if (!file.known.empty()) {
    xml_.Add("system-out", {}, absl::StrCat("known: ", KnownCount(file)));
  }
  xml_.Close();
  out_ << xml_.Take();
}

}  // namespace

std::unique_ptr<ReportWriter> NewJunitWriter(const Run& run,
                                             std::ostream& out) {
  return std::make_unique<JunitWriter>(run, out);
}

}  // namespace gguf
