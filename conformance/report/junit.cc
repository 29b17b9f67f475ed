// A suite a file, a test case a rule.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/junit.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/report/escape.h"
#include "conformance/report/rule_findings.h"
#include "conformance/rules/profile.h"
#include "parser/quote.h"
#include "tinyxml2.h"

namespace gguf {
namespace {

// A line for each finding that is kept.
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
  return lines;
}

class JunitWriter : public ReportWriter {
 public:
  JunitWriter(const Run& run, std::ostream& out)
      : fail_on_(run.fail_on), out_(out) {
    xml_.PushDeclaration("xml version=\"1.0\" encoding=\"UTF-8\"");
    Open("testsuites", {{"name", "ggufcheck"}});
    Flush();
  }

  void Add(const FileReport& file) override;

  void End(const Totals& totals) override {
    if (!totals.unfinished.empty()) {
      OpenSuite("ggufcheck", 1, 0, 1, 0);
      Case("all-files-checked", "error", totals.unfinished, "");
      xml_.CloseElement();
    }
    xml_.CloseElement();
    Flush();
  }

 private:
  using Attributes = std::vector<std::pair<const char*, std::string>>;

  void Open(const char* element, const Attributes& attributes) {
    xml_.OpenElement(element);
    for (const auto& [name, value] : attributes) {
      xml_.PushAttribute(name, XmlText(value).c_str());
    }
  }

  void OpenSuite(const std::string& name, size_t tests, size_t failures,
                 size_t errors, size_t skipped) {
    suite_ = name;
    Open("testsuite", {{"name", name},
                       {"tests", absl::StrCat(tests)},
                       {"failures", absl::StrCat(failures)},
                       {"errors", absl::StrCat(errors)},
                       {"skipped", absl::StrCat(skipped)}});
  }

  // A test case with an outcome, or with a text in `outcome` when that is
  // "system-out"; "" is one that passes and says nothing.
  void Case(const std::string& name, const std::string& outcome,
            const std::string& message, const std::string& text);

  // Hands over what there is, so that it need not be kept.
  void Flush() {
    out_ << xml_.CStr();
    xml_.ClearBuffer(false);
  }

  const Severity fail_on_;
  std::ostream& out_;
  tinyxml2::XMLPrinter xml_;  // Into its own memory.
  std::string suite_;
};

void JunitWriter::Case(const std::string& name, const std::string& outcome,
                       const std::string& message, const std::string& text) {
  Open("testcase", {{"name", name}, {"classname", suite_}});
  if (outcome == "system-out") {
    Open("system-out", {});
  } else if (outcome == "skipped") {
    Open("skipped", {{"message", message}});
  } else if (!outcome.empty()) {
    Open(outcome.c_str(), {{"message", message}, {"type", name}});
  }
  if (!text.empty()) xml_.PushText(XmlText(text).c_str());
  if (!outcome.empty()) xml_.CloseElement();
  xml_.CloseElement();
}

void JunitWriter::Add(const FileReport& file) {
  const std::vector<RuleFindings> rules = FindingsByRule(file);
  const std::vector<UncheckedRules> reasons = UncheckedByReason(file);
  size_t failures = 0, skipped = 0;
  for (const RuleFindings& found : rules) {
    if (found.severity >= fail_on_) ++failures;
  }
  for (const UncheckedRules& unchecked : reasons) {
    skipped += unchecked.rules.size();
  }
  const bool incomplete = !file.incomplete.empty();
  OpenSuite(Escape(file.path, file.path.size()), 1 + rules.size() + skipped,
            failures, incomplete, skipped);
  Case("checked-to-its-end", incomplete ? "error" : "", file.incomplete, "");
  for (const RuleFindings& found : rules) {
    if (found.severity >= fail_on_) {
      Case(found.rule->id, "failure",
           Count(found.count, SeverityName(found.severity)), Lines(found));
    } else {
      Case(found.rule->id, "system-out", "", Lines(found));
    }
  }
  for (const UncheckedRules& unchecked : reasons) {
    for (const Rule* rule : unchecked.rules) {
      Case(rule->id, "skipped", unchecked.why, "");
    }
  }
  if (!file.known.empty()) {
    Open("system-out", {});
    xml_.PushText(absl::StrCat("known: ", KnownCount(file)).c_str());
    xml_.CloseElement();
  }
  xml_.CloseElement();
  Flush();
}

}  // namespace

std::unique_ptr<ReportWriter> NewJunitWriter(const Run& run,
                                             std::ostream& out) {
  return std::make_unique<JunitWriter>(run, out);
}

}  // namespace gguf
