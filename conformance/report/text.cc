// Writes a verdict per file, findings by severity, and a summary.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/algorithm/container.h"
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

constexpr uint64_t kListedFailures = 100;

const char* ColorOf(Result result) {
  return result == Result::kPass ? kGreen : result == Result::kFail ? kRed : kYellow;
}

const char* ColorOf(Severity severity) {
  return severity == Severity::kError ? kRed : severity == Severity::kWarning ? kYellow : kCyan;
}

class TextWriter : public ReportWriter {
 public:
  TextWriter(const Run& run, const TextStyle& style, std::ostream& out)
      : config_(run.config),
        profile_(run.profile),
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
    WriteFailures();
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
    if (weights_unread_) {
      Line(0, kFaint, "not checked: ", "the weights of tensors; use --weights");
    }
    if (!compared_with_.empty()) {
      Line(0, kFaint, "compared with: ", Escape(compared_with_, compared_with_.size()));
    }
    if (!config_.empty()) {
      Line(0, kFaint, "configuration: ", Escape(config_, config_.size()));
    }
  }

 private:
  // Whether the findings of a cause, or of none, are left out.
  bool IsHidden(const std::string& cause) const { return !cause.empty() && !style_.verbose; }
  bool IsShown(const FindingView& finding) const {
    return finding.cause == nullptr || style_.verbose;
  }

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

  void WriteSet(const SetView& set);
  void WriteCauses(const FileView& view);
  void WriteFindings(const FileReport& file, const FileView& view, Severity severity);
  void WriteFailures();
  void WriteNotChecked(std::vector<UncheckedRules> reasons);
  void WriteReaders(const FileReport& file);
  void WriteCompared(const FileReport& file);

  const std::string config_, profile_, compared_with_;
  const Run::Inputs inputs_;
  const Severity fail_on_;
  const TextStyle style_;
  std::ostream& out_;
  std::map<std::string, uint64_t> refusals_;  // Files, by reader.
  uint64_t files_ = 0, failures_ = 0;
  bool weights_unread_ = false;
  std::vector<std::string> failed_;  // The first files that fail, with the worst finding.
};

void TextWriter::Add(const FileReport& file) {
  const Result result = ResultOf(file, fail_on_);
  ++files_;
  const FileView view(file, profile_);
  WriteSet(view.set);
  if (style_.quiet && result == Result::kPass) return;
  weights_unread_ |= view.weights_unread;
  const std::string& description = view.description;
  Line(0, ColorOf(result), absl::AsciiStrToUpper(ResultName(result)),
       absl::StrCat("  ", view.path, description.empty() ? "" : "  (", description,
                    description.empty() ? "" : ")"));
  if (!view.about.empty()) Line(2, kFaint, "this is ", view.about);
  if (!view.incomplete.empty()) {
    Line(2, kYellow, "could not finish: ", view.incomplete);
  }
  if (result == Result::kFail && ++failures_ <= kListedFailures) {
    const bool is_caused = !view.causes.empty() && view.causes[0].severity >= fail_on_;
    failed_.push_back(absl::StrCat(view.path, ": ",
                                   is_caused               ? view.causes[0].message
                                   : view.findings.empty() ? view.rules[0].rule->summary
                                                           : view.findings[0].what));
  }
  WriteCauses(view);
  for (const Severity severity : kWorstFirst) {
    WriteFindings(file, view, severity);
  }
  if (!view.known.empty()) Line(2, kFaint, "known: ", view.known);
  WriteNotChecked(view.unchecked);
  const auto shown = absl::c_find_if(view.findings, [&](const auto& f) { return IsShown(f); });
  if (shown != view.findings.end()) {
    Line(2, kFaint, "learn more: ", absl::StrCat("ggufcheck explain ", shown->rule->rule->id));
  }
  if (!view.fix.empty()) Line(2, kFaint, "fix: ", view.fix);
  if (!file.readers.empty()) WriteReaders(file);
  if (!file.stats.empty()) out_ << StatsTable(file.stats);
  if (!file.compared.empty()) WriteCompared(file);
}

void TextWriter::WriteSet(const SetView& set) {
  if (!set.result || (style_.quiet && set.result == Result::kPass)) return;
  Line(0, ColorOf(*set.result), absl::AsciiStrToUpper(ResultName(*set.result)),
       absl::StrCat("  ", set.path, "  (", set.description, ")"));
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

// Lists files that fail again when there are too many to look through.
void TextWriter::WriteFailures() {
  constexpr uint64_t kManyFiles = 20;
  if (files_ <= kManyFiles || failures_ == 0) return;
  Line(0, kRed, "failed: ", Count(failures_, "file"));
  for (const std::string& failure : failed_) Line(2, kBold, "", failure);
  if (failures_ > failed_.size()) {
    Line(2, kBold, "...", absl::StrCat("  and ", failures_ - failed_.size(), " more"));
  }
}

void TextWriter::WriteCauses(const FileView& view) {
  for (const CauseView& cause : view.causes) {
    const char* color = ColorOf(cause.severity);
    const uint64_t findings = cause.cause->findings;
    Line(2, color, SeverityName(cause.severity), absl::StrCat(": ", cause.message));
    Line(4, kFaint, "repair: ", cause.repair);
    if (style_.verbose) continue;
    Line(4, kFaint, "",
         absl::StrCat(Count(findings, "finding"), findings == 1 ? " follows" : " follow",
                      " from this; --verbose lists ", findings == 1 ? "it" : "them"));
  }
}

void TextWriter::WriteFindings(const FileReport& file, const FileView& view, Severity severity) {
  uint64_t count = FileReport::Counts(file.counts).of(severity);
  for (const FindingView& finding : view.findings) {
    count -= finding.rule->severity == severity && !IsShown(finding);
  }
  for (const FileReport::More& more : file.more) {
    if (more.severity == severity && IsHidden(more.cause)) count -= more.count;
  }
  if (count == 0) return;
  Line(2, ColorOf(severity), Count(count, SeverityName(severity)), "");
  // The table shows the worst tensors.  On a terminal, a finding takes several
  // lines.
  const size_t most_compared = style_.width > 0 ? 1 : 3;
  const size_t most = file.compared.empty() ? ~size_t{0} : most_compared;
  for (const FindingView& finding : view.findings) {
    const Rule& rule = *finding.rule->rule;
    if (finding.rule->severity != severity || finding.index >= most || !IsShown(finding)) continue;
    Line(4, kBold, finding.at,
         absl::StrCat(finding.at.empty() ? "" : "  ", finding.what, "  [", rule.id, "]"));
    if (finding.index > 0) continue;
    Line(8, kFaint, "", rule.summary);
    Line(8, kFaint, "repair: ", finding.rule->repair);
    const std::string& readers = finding.rule->readers;
    if (!readers.empty()) Line(8, kFaint, "", readers);
  }
  std::vector<FileReport::More> omitted;
  for (const RuleView& rule : view.rules) {
    if (rule.kept.size() <= most) continue;
    omitted.push_back({rule.rule, rule.severity, rule.kept.size() - most,
                       rule.cause == nullptr ? "" : rule.cause->id});
  }
  std::sort(omitted.begin(), omitted.end(), [](const auto& a, const auto& b) {
    return absl::string_view(a.rule->id) < b.rule->id;
  });
  omitted.insert(omitted.end(), file.more.begin(), file.more.end());
  for (const FileReport::More& more : omitted) {
    if (more.severity != severity || IsHidden(more.cause)) continue;
    Line(4, kBold, "...", absl::StrCat("  and ", more.count, " more  [", more.rule->id, "]"));
  }
}

// Omits what the description tells, and why the file is incomplete.
void TextWriter::WriteNotChecked(std::vector<UncheckedRules> reasons) {
  constexpr size_t kShown = 4;
  std::sort(reasons.begin(), reasons.end(),
            [](const auto& a, const auto& b) { return a.why < b.why; });
  for (const UncheckedRules& unchecked : reasons) {
    if (unchecked.meaning == Reason::kStopped) {
      Line(2, kYellow, "not checked: ", "all that lies behind the damage");
      continue;
    }
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
    for (const Diagnostic& d : verdict.because) {
      reasons.push_back(
          absl::StrCat(d.subject, d.message.empty() ? "" : " ", d.message, " [", d.rule->id, "]"));
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
