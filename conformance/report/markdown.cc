// Writes GitHub's Markdown, with all untrusted text in code spans.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/base/escape.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/report/file_view.h"
#include "conformance/report/writers.h"
#include "conformance/rules/profile.h"

namespace gguf {
namespace {

// GitHub does not show a summary of more than 1 MiB at all.
constexpr size_t kMostBytes = 500000;
constexpr size_t kRulesOfFile = 50;
constexpr size_t kLongestPath = 300;

class MarkdownWriter : public ReportWriter {
 public:
  MarkdownWriter(const Run& run, std::ostream& out) : run_(run), out_(out) {}

  void Add(const FileReport& file) override {
    const Result result = ResultOf(file, run_.fail_on);
    const FileView view(file, run_.profile, MarkdownCode, kLongestPath);
    if (view.set.result && view.set.result != Result::kPass) {
      Keep(*view.set.result,
           Heading(view.set.path, *view.set.result) + "Verdict on " + view.set.description + ".\n");
    }
    if (result == Result::kPass && file.findings.empty()) return;
    Keep(result, Table(view, result));
  }

  void End(const Totals& totals) override {
    out_ << "## ggufcheck: " << ResultName(totals) << "\n\n"
         << Summary(totals) << ". Profile " << MarkdownCode(run_.profile);
    if (!run_.compared_with.empty()) {
      out_ << ", compared with " << MarkdownCode(Escape(run_.compared_with, kLongestPath));
    }
    out_ << ".\n";
    if (!totals.unfinished.empty()) {
      out_ << "\n**Incomplete:** " << MarkdownCode(totals.unfinished) << "\n";
    }
    for (const std::string& table : tables_) out_ << table;
    if (left_out_ > 0) {
      out_ << "\nNot shown: " << Count(left_out_, "more file") << " with findings.\n";
    }
  }

 private:
  void Keep(Result result, const std::string& text) {
    if (bytes_ + text.size() > kMostBytes) {
      ++left_out_;
      return;
    }
    bytes_ += text.size();
    tables_[result == Result::kFail ? 0 : result == Result::kIncomplete ? 1 : 2] += text;
  }

  static std::string Heading(absl::string_view path, Result result) {
    return absl::StrCat("\n### ", path, ": ", ResultName(result), "\n\n");
  }
  static std::string Table(const FileView& view, Result result);

  const Run run_;
  std::ostream& out_;
  std::array<std::string, 3> tables_;  // Of files that fail, are incomplete, and pass.
  size_t bytes_ = 0;                   // Of all of them.
  uint64_t left_out_ = 0;
};

std::string MarkdownWriter::Table(const FileView& view, Result result) {
  std::string out = Heading(view.path, result);
  if (!view.incomplete.empty()) {
    absl::StrAppend(&out, "Could not finish: ", view.incomplete, "\n\n");
  }
  if (!view.known.empty()) {
    absl::StrAppend(&out, "Known: ", view.known, ".\n\n");
  }
  for (const CauseView& cause : view.causes) {
    absl::StrAppend(&out, "**", cause.cause->kind, ":** ", cause.message, " ", cause.repair, " (",
                    Count(cause.cause->findings, "finding"), ")\n\n");
  }
  std::vector<RuleView> rules = view.rules;
  std::stable_sort(rules.begin(), rules.end(),
                   [](const RuleView& a, const RuleView& b) { return a.severity > b.severity; });
  if (rules.empty()) return out;
  out +=
      "| severity | rule | first at | first finding | count |\n"
      "|---|---|---|---|---|\n";
  for (size_t i = 0; i < std::min(rules.size(), kRulesOfFile); ++i) {
    const RuleView& rule = rules[i];
    std::string where, what;
    if (!rule.kept.empty()) {
      where = rule.kept.front()->at;
      what = rule.kept.front()->what;
    }
    absl::StrAppend(&what, "<br>",
                    rule.cause != nullptr ? absl::StrCat("Cause: ", rule.cause->kind)
                                          : absl::StrCat("Repair: ", rule.repair));
    if (!rule.readers.empty()) absl::StrAppend(&what, "<br>", rule.readers);
    const std::string url = RuleUrl(rule.rule->id);
    const std::string id =
        url.empty() ? rule.rule->id : absl::StrCat("[", rule.rule->id, "](", url, ")");
    out += MarkdownRow({SeverityName(rule.severity), id, where, what, absl::StrCat(rule.count)});
  }
  if (rules.size() > kRulesOfFile) {
    absl::StrAppend(&out, "\nNot shown: ", rules.size() - kRulesOfFile, " more rules.\n");
  }
  if (!view.fix.empty()) absl::StrAppend(&out, "\nFix: ", view.fix, "\n");
  return out;
}

}  // namespace

std::unique_ptr<ReportWriter> NewMarkdownWriter(const Run& run, std::ostream& out) {
  return std::make_unique<MarkdownWriter>(run, out);
}

}  // namespace gguf
