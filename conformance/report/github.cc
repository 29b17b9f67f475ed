// Writes workflow commands, the worst first.
//
// SPDX-License-Identifier: Apache-2.0

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

// The number of annotations of each kind that GitHub shows, minus the summary.
constexpr size_t kShown = 9;

const char* CommandOf(Severity severity) {
  return severity == Severity::kNote ? "notice" : SeverityName(severity);
}

class GithubWriter : public ReportWriter {
 public:
  GithubWriter(const Run& run, std::ostream& out) : profile_(run.profile), out_(out) {}

  void Add(const FileReport& file) override {
    const FileView view(file, profile_);
    if (!view.incomplete.empty()) {
      Keep(Severity::kError, view.path, "ggufcheck could not finish", view.incomplete);
    }
    for (const CauseView& cause : view.causes) {
      Keep(cause.severity, view.path, cause.cause->kind,
           absl::StrCat(cause.message, " Findings: ", cause.cause->findings,
                        ". Repair: ", cause.repair));
    }
    for (const RuleView& rule : view.rules) {
      std::string message;
      if (!rule.kept.empty()) {
        const FindingView& first = *rule.kept.front();
        message = absl::StrCat(
            first.what, first.at.empty() ? "" : absl::StrCat(" (at byte ", first.at, ")"), ".");
      }
      if (rule.count > 1) {
        absl::StrAppend(&message, " ", rule.count, " such findings.");
      }
      absl::StrAppend(&message, " ", rule.rule->summary);
      if (rule.cause != nullptr) {
        absl::StrAppend(&message, " Cause: ", rule.cause->message);
      } else {
        absl::StrAppend(&message, " Repair: ", rule.repair);
      }
      if (!rule.readers.empty()) absl::StrAppend(&message, " ", rule.readers);
      const std::string url = RuleUrl(rule.rule->id);
      if (!url.empty()) absl::StrAppend(&message, " ", url);
      Keep(rule.severity, view.path, rule.rule->id, message);
    }
  }

  void End(const Totals& totals) override {
    const int code = ExitCode(totals);
    std::string summary = Summary(totals);
    if (!totals.unfinished.empty()) {
      absl::StrAppend(&summary, "; incomplete: ", totals.unfinished);
    }
    if (hidden_ > 0) {
      absl::StrAppend(&summary, "; ", Count(hidden_, "annotation"),
                      " not shown: see the other reports");
    }
    out_ << Command(code == 0 ? Severity::kNote : Severity::kError, "title=ggufcheck", summary);
    for (const Severity severity : kWorstFirst) {
      for (const std::string& line : kept_[static_cast<int>(severity)]) {
        out_ << line;
      }
    }
  }

 private:
  static std::string Command(Severity severity, absl::string_view properties,
                             absl::string_view message) {
    return absl::StrCat("::", CommandOf(severity), " ", properties, "::", GithubMessage(message),
                        "\n");
  }

  void Keep(Severity severity, const std::string& path, absl::string_view title,
            absl::string_view message) {
    std::vector<std::string>& kept = kept_[static_cast<int>(severity)];
    if (kept.size() == kShown) {
      ++hidden_;
      return;
    }
    kept.push_back(Command(
        severity, absl::StrCat("file=", GithubProperty(path), ",title=", GithubProperty(title)),
        message));
  }

  const std::string profile_;
  std::ostream& out_;
  std::array<std::vector<std::string>, 4> kept_;  // By severity.
  uint64_t hidden_ = 0;
};

}  // namespace

std::unique_ptr<ReportWriter> NewGithubWriter(const Run& run, std::ostream& out) {
  return std::make_unique<GithubWriter>(run, out);
}

}  // namespace gguf
