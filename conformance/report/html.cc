// Writes a page with a collapsible section per file (page/).  The summary is
// known last and is last in the document; the style sheet moves it to the top,
// and the worst files before the others.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/base/escape.h"
#include "conformance/base/page_source.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/report/file_view.h"
#include "conformance/report/page/page.h"
#include "conformance/report/writers.h"
#include "conformance/rules/profile.h"

namespace gguf {
namespace {

// Where the page's placeholder for files splits it.
constexpr char kFiles[] = "{{files}}";

// Returns a word in the colour of its class.
std::string Word(const char* word) {
  return absl::StrCat("<b class=\"", word, "\">", word, "</b>");
}

// Returns the rule's id, as a link to its page if there is one.
std::string RuleLink(const Rule& rule) {
  const std::string url = RuleUrl(rule.id);
  if (url.empty()) return rule.id;
  return absl::StrCat("<a href=\"", url, "\">", rule.id, "</a>");
}

class HtmlWriter : public ReportWriter {
 public:
  HtmlWriter(const Run& run, std::ostream& out) : run_(run), out_(out) {
    out_ << absl::string_view(page_).substr(0, page_.find(kFiles));
  }

  void Add(const FileReport& file) override;
  void End(const Totals& totals) override;

 private:
  void WriteFindings(const FileReport& file, const FileView& view);
  void WriteReaders(const FileReport& file);

  const Run run_;
  const std::string page_ = WithStyleAndScript(kCheckPage);
  std::ostream& out_;
  std::map<std::string, uint64_t> causes_;  // Files, by kind.
};

void HtmlWriter::Add(const FileReport& file) {
  const FileView view(file, run_.profile, HtmlText);
  const Result result = ResultOf(file, run_.fail_on);
  out_ << "<details class=\"file " << ResultName(result) << "\""
       << (result == Result::kPass ? "" : " open") << "><summary>" << Word(ResultName(result))
       << " <code>" << view.path << "</code> <span class=\"dim\">" << CountsText(file.counts)
       << "</span></summary>\n";
  if (const SetView& set = view.set; set.result) {
    out_ << "<p class=\"set\">" << Word(ResultName(*set.result)) << " <code>" << set.path
         << "</code>, " << set.description << "</p>\n";
  }
  if (!view.description.empty()) {
    out_ << "<p class=\"dim\">" << view.description
         << (view.weights_unread ? ". Weights were not checked (--weights)." : "") << "</p>\n";
  }
  if (!view.about.empty()) out_ << "<p>This is " << view.about << "</p>\n";
  if (!view.incomplete.empty()) {
    out_ << "<p>Could not finish: <code>" << view.incomplete << "</code></p>\n";
  }
  if (!view.known.empty()) out_ << "<p>Known: " << view.known << "</p>\n";
  for (const CauseView& cause : view.causes) {
    out_ << "<p class=\"cause\">" << Word(SeverityName(cause.severity)) << " <b>" << cause.message
         << "</b> " << cause.repair << " <span class=\"dim\">"
         << Count(cause.cause->findings, "finding") << "</span></p>\n";
    ++causes_[cause.cause->kind];
  }
  if (!view.findings.empty()) WriteFindings(file, view);
  if (!view.fix.empty()) out_ << "<p>Fix: <code>" << view.fix << "</code></p>\n";
  for (const UncheckedRules& unchecked : view.unchecked) {
    out_ << "<details><summary>not checked: " << Count(unchecked.ids.size(), "rule") << " ("
         << unchecked.why << ")</summary>" << unchecked.List() << "</details>\n";
  }
  if (!file.readers.empty()) WriteReaders(file);
  out_ << "</details>\n";
}

void HtmlWriter::WriteFindings(const FileReport& file, const FileView& view) {
  out_ << "<div class=\"box\"><table><tr><th>severity<th>finding<th>at byte<th>rule</tr>\n";
  for (const FindingView& finding : view.findings) {
    const Rule& rule = *finding.rule->rule;
    const char* name = SeverityName(finding.rule->severity);
    out_ << "<tr class=\"finding\" data-severity=\"" << name << "\" data-rule=\"" << rule.id
         << "\"><td>" << Word(name) << "<td>" << finding.what;
    if (finding.cause != nullptr) {
      out_ << "<br><span class=\"dim\">Cause: " << finding.cause->kind << "</span>";
    } else if (finding.index == 0) {
      const std::string& readers = finding.rule->readers;
      out_ << "<br><span class=\"dim\">" << HtmlText(rule.summary) << " "
           << HtmlText(finding.rule->repair) << (readers.empty() ? "" : " ") << readers
           << "</span>";
    }
    out_ << "<td class=\"where\">" << finding.at << "<td>" << RuleLink(rule) << "</tr>\n";
  }
  for (const FileReport::More& more : file.more) {
    out_ << "<tr><td>" << Word(SeverityName(more.severity)) << "<td>" << more.count
         << " more<td><td>" << more.rule->id << "</tr>\n";
  }
  out_ << "</table></div>\n";
}

void HtmlWriter::WriteReaders(const FileReport& file) {
  out_ << "<div class=\"box\"><table><tr><th>reader<th>verdict<th>because</tr>\n";
  for (const ReaderVerdict& verdict : file.readers) {
    out_ << "<tr><td>" << HtmlText(verdict.Name()) << "<td>" << WordOf(verdict.effect) << "<td>";
    if (const std::string story = verdict.Story(); !story.empty()) out_ << story << "<br>";
    for (const Diagnostic& d : verdict.because) {
      out_ << HtmlText(d.subject) << " " << d.rule->id << "<br>";
    }
    out_ << HtmlText(verdict.why) << "</tr>\n";
  }
  out_ << "</table></div>\n";
}

void HtmlWriter::End(const Totals& totals) {
  // A file that fails says more than one whose check is incomplete.
  const char* const result = totals.fail > 0 ? ResultName(Result::kFail) : ResultName(totals);
  out_ << "<header><h1>ggufcheck: " << Word(result) << "</h1>\n<p>" << HtmlText(Summary(totals));
  for (const auto& [kind, files] : causes_) out_ << "<br>" << kind << ": " << Count(files, "file");
  out_ << "<br><span class=\"dim\">"
       << "version " << kToolVersion << ", profile " << HtmlText(run_.profile);
  if (!run_.compared_with.empty()) {
    out_ << ", compared with " << HtmlText(Escape(run_.compared_with, run_.compared_with.size()));
  }
  out_ << "</span></p>\n";
  if (!run_.command.empty()) {
    out_ << "<p class=\"command\">" << HtmlText(run_.date) << " <code>"
         << HtmlText(Escape(run_.command, run_.command.size())) << "</code></p>\n";
  }
  if (!totals.unfinished.empty()) {
    out_ << "<p>" << Word("incomplete") << ": " << HtmlText(totals.unfinished) << "</p>\n";
  }
  out_ << "</header>" << absl::string_view(page_).substr(page_.find(kFiles) + sizeof(kFiles) - 1);
}

}  // namespace

std::unique_ptr<ReportWriter> NewHtmlWriter(const Run& run, std::ostream& out) {
  return std::make_unique<HtmlWriter>(run, out);
}

}  // namespace gguf
