// Writes a verdict per file, findings by severity, and a summary.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/text.h"
#include "conformance/base/text_style.h"
#include "conformance/report/file_view.h"
#include "conformance/report/tensor_tables.h"

namespace gguf {
namespace {

constexpr char kRed[] = "31", kYellow[] = "33", kCyan[] = "36", kGreen[] = "32", kBold[] = "1",
               kFaint[] = "2";

class TextWriter : public ReportWriter {
 public:
  TextWriter(const Run& run, const TextStyle& style, std::ostream& out)
      : config_(run.config),
        compared_with_(run.compared_with),
        inputs_(run.inputs),
        fail_on_(run.fail_on),
        style_(style),
        out_(out) {}

  void Add(const FileReport& file) override;

  void End(const Totals& totals) override {
    if (style_.quiet && ExitCode(totals) == 0) return;
    if (totals.files() > 1 || !totals.unfinished.empty()) {
      const std::string summary = Summary(totals);
      const size_t colon = summary.find(':');
      Line(0, kBold, summary.substr(0, colon), summary.substr(colon));
    }
    if (!totals.unfinished.empty()) {
      Line(0, kYellow, "INCOMPLETE", absl::StrCat("  ", totals.unfinished));
    }
    if (!refusals_.empty()) {
      Line(0, kBold,
           "refused by: ", absl::StrJoin(refusals_, ", ", [](std::string* out, const auto& reader) {
             absl::StrAppend(out, reader.first, " (", Count(reader.second, "file"), ")");
           }));
    }
    if (inputs_.skipped > 0) {
      constexpr size_t kShown = 3;
      const std::vector<std::string>& paths = inputs_.skipped_paths;
      const size_t shown = std::min(kShown, paths.size());
      Line(0, kFaint, "not checked: ",
           absl::StrCat(Count(inputs_.skipped, "other file"), " (",
                        absl::StrJoin(paths.begin(), paths.begin() + shown, ", "),
                        inputs_.skipped > shown ? ", ..." : "",
                        "); use --all-files or --include GLOB"));
    }
    if (!compared_with_.empty()) {
      Line(0, kFaint, "compared with: ", Escape(compared_with_, compared_with_.size()));
    }
    if (!config_.empty()) {
      Line(0, kFaint, "configuration: ", Escape(config_, config_.size()));
    }
  }

 private:
  std::string Paint(const char* color, absl::string_view text) const {
    if (!style_.color || text.empty()) return std::string(text);
    return absl::StrCat("\x1b[", color, "m", text, "\x1b[0m");
  }

  // Writes a wrapped line with a label.  Only labels are coloured, so that the
  // width of the rest is its length.
  void Line(size_t indent, const char* color, absl::string_view label, absl::string_view text) {
    const std::string plain = absl::StrCat(std::string(indent, ' '), label, text);
    std::string line = Wrap(plain, style_.width, indent + 4, label.size());
    line.replace(indent, label.size(), Paint(color, label));
    out_ << line << '\n';
  }

  void WriteFindings(const FileReport& file, const FileView& view, Severity severity);
  void WriteNotChecked(std::vector<UncheckedRules> reasons);
  void WriteReaders(const FileReport& file);
  void WriteCompared(const FileReport& file);

  const std::string config_, compared_with_;
  const Run::Inputs inputs_;
  const Severity fail_on_;
  const TextStyle style_;
  std::ostream& out_;
  std::map<std::string, uint64_t> refusals_;  // Files, by reader.
};

void TextWriter::Add(const FileReport& file) {
  const Result result = ResultOf(file, fail_on_);
  if (style_.quiet && result == Result::kPass) return;
  const char* color = result == Result::kPass ? kGreen : result == Result::kFail ? kRed : kYellow;
  const FileView view(file);
  const std::string& description = view.description;
  Line(0, color, absl::AsciiStrToUpper(ResultName(result)),
       absl::StrCat("  ", view.path, description.empty() ? "" : "  (", description,
                    description.empty() ? "" : ")"));
  if (!view.about.empty()) Line(2, kFaint, "this is ", view.about);
  if (!view.incomplete.empty()) {
    Line(2, kYellow, "could not finish: ", view.incomplete);
  }
  for (const Severity severity : kWorstFirst) {
    WriteFindings(file, view, severity);
  }
  if (!view.known.empty()) Line(2, kFaint, "known: ", view.known);
  WriteNotChecked(view.unchecked);
  if (!view.findings.empty()) {
    Line(2, kFaint,
         "learn more: ", absl::StrCat("ggufcheck explain ", view.findings[0].rule->rule->id));
  }
  if (!file.readers.empty()) WriteReaders(file);
  if (!file.stats.empty()) out_ << StatsTable(file.stats);
  if (!file.compared.empty()) WriteCompared(file);
}

void TextWriter::WriteCompared(const FileReport& file) {
  constexpr size_t kMostRows = 10, kIndent = 4, kUsualWidth = 80;
  const size_t width = style_.width > 0 ? style_.width : kUsualWidth;
  Line(2, kBold, "compared: ", ComparedSummary(file.compared));
  for (const std::string& line :
       ComparedTable(file.compared, kMostRows, std::max(width, kIndent) - kIndent)) {
    out_ << std::string(kIndent, ' ') << line << '\n';
  }
}

void TextWriter::WriteFindings(const FileReport& file, const FileView& view, Severity severity) {
  const uint64_t count = FileReport::Counts(file.counts).of(severity);
  if (count == 0) return;
  const char* color = severity == Severity::kError     ? kRed
                      : severity == Severity::kWarning ? kYellow
                                                       : kCyan;
  Line(2, color, Count(count, SeverityName(severity)), "");
  // The table shows the worst tensors.  On a terminal, a finding takes several
  // lines.
  const size_t most_compared = style_.width > 0 ? 1 : 3;
  const size_t most = file.compared.empty() ? ~size_t{0} : most_compared;
  for (const FindingView& finding : view.findings) {
    const Rule& rule = *finding.rule->rule;
    if (finding.rule->severity != severity || finding.index >= most) continue;
    Line(4, kBold, finding.at, absl::StrCat("  ", finding.what, "  [", rule.id, "]"));
    if (finding.index > 0) continue;
    Line(8, kFaint, "", rule.summary);
    // People at a terminal want to know what to do; logs stay short.
    if (style_.width > 0) Line(8, kFaint, "repair: ", rule.repair);
    const std::string& readers = finding.rule->readers;
    if (!readers.empty()) Line(8, kFaint, "", readers);
  }
  std::vector<FileReport::More> omitted;
  for (const RuleView& rule : view.rules) {
    if (rule.kept.size() <= most) continue;
    omitted.push_back({rule.rule, rule.severity, rule.kept.size() - most});
  }
  std::sort(omitted.begin(), omitted.end(), [](const auto& a, const auto& b) {
    return absl::string_view(a.rule->id) < b.rule->id;
  });
  omitted.insert(omitted.end(), file.more.begin(), file.more.end());
  for (const FileReport::More& more : omitted) {
    if (more.severity != severity) continue;
    Line(4, kBold, "...", absl::StrCat("  and ", more.count, " more  [", more.rule->id, "]"));
  }
}

// Omits what the description tells, and why the file is incomplete.
void TextWriter::WriteNotChecked(std::vector<UncheckedRules> reasons) {
  constexpr size_t kShown = 4;
  std::sort(reasons.begin(), reasons.end(),
            [](const auto& a, const auto& b) { return a.why < b.why; });
  for (const UncheckedRules& unchecked : reasons) {
    Line(2, kYellow, "not checked: ",
         absl::StrCat(unchecked.List(kShown),
                      unchecked.ids.size() == 1 ? " (" : " (all: ", unchecked.why, ")"));
  }
}

void TextWriter::WriteReaders(const FileReport& file) {
  Line(2, kBold, "readers", "");
  for (const ReaderVerdict& verdict : file.readers) {
    const std::string effect = WordOf(verdict.effect);
    const bool takes = verdict.effect <= ReaderEffect::kDegrades;
    const bool accepts = verdict.effect == ReaderEffect::kAccepts;
    const bool unknown = !takes && verdict.effect < ReaderEffect::kRejects;
    if (!takes && !unknown) ++refusals_[verdict.Name()];
    std::vector<std::string> reasons;
    if (std::string story = verdict.Story(); !story.empty()) reasons.push_back(std::move(story));
    for (const Diagnostic& diagnostic : verdict.because) {
      reasons.push_back(absl::StrCat(diagnostic.subject, " [", diagnostic.rule->id, "]"));
    }
    if (!verdict.why.empty()) reasons.push_back(verdict.why);
    Line(4,
         accepts            ? kGreen
         : takes || unknown ? kYellow
                            : kRed,
         effect,
         absl::StrCat(std::string(10 - effect.size(), ' '), verdict.Name(),
                      reasons.empty() ? "" : ": ", absl::StrJoin(reasons, ", ")));
  }
}

}  // namespace

std::unique_ptr<ReportWriter> NewTextWriter(const Run& run, const TextStyle& style,
                                            std::ostream& out) {
  return std::make_unique<TextWriter>(run, style, out);
}

}  // namespace gguf
