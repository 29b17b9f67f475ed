// Reads and writes baseline files, and composes warnings about them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/baseline_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/gate/files.h"
#include "conformance/output/output_file.h"
#include "corpus/language/image_file.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestBaseline = 64 << 20;

absl::StatusOr<std::string> ReadBaseline(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) > kLargestBaseline) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot read ", path, ": the file is larger than ", kLargestBaseline, " bytes"));
  }
  return corpus::ReadRegularFile(path);
}

std::string Shown(const KnownFinding& known) {
  return absl::StrCat(known.file, ", ", known.rule, ", ", known.subject);
}

}  // namespace

BaselineFile::BaselineFile(const CheckOptions& options)
    : options_(&options), folder_(FolderOf(path())) {}

absl::StatusOr<BaselineFile> BaselineFile::Open(const CheckOptions& options) {
  BaselineFile file(options);
  std::error_code error;
  const bool write = !options.write_baseline.empty();
  if (write && !fs::exists(file.path(), error)) return file;
  const auto text = ReadBaseline(file.path());
  if (!text.ok()) return text.status();
  auto baseline = Baseline::Parse(
      *text, file.path(), write ? Baseline::Reasons::kOptional : Baseline::Reasons::kNeeded);
  if (!baseline.ok()) return baseline.status();
  file.baseline_ = *std::move(baseline);
  return file;
}

void BaselineFile::Settle(const Profile& profile, FileReport* report) {
  const std::string path = PathFrom(folder_, report->path);
  const std::string shown = Escape(path, path.size());
  if (options_->write_baseline.empty()) {
    baseline_.Apply(shown, profile, options_->baseline_safety, report);
    return;
  }
  baseline_.Learn(shown, profile, options_->baseline_safety, options_->baseline_reason, report);
  unsafe_ += report->findings.size();
  if (not_all_kept_.empty() && !report->more.empty()) {
    const FileReport::More& more = report->more[0];
    not_all_kept_ = absl::StrCat(more.count, " more findings of ", more.rule->id, " in ", shown);
  }
}

absl::Status BaselineFile::Finish(bool complete) {
  std::error_code error;
  for (const std::string& file : baseline_.UnseenFiles()) {
    // An escaped name cannot be looked up on disk.
    if (file == "-" || absl::StrContains(file, '\\')) continue;
    if (!fs::exists(fs::path(folder_) / file, error) && !error) {
      baseline_.Forget(file);
    }
  }
  if (options_->write_baseline.empty()) return absl::OkStatus();
  if (!complete) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write ", options_->write_baseline, ": not all files were checked"));
  }
  if (!not_all_kept_.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("cannot write ", options_->write_baseline,
                                                      ": ", not_all_kept_,
                                                      " were not kept; raise --limit-findings"));
  }
  return ReplaceFile(options_->write_baseline, baseline_.Text(), InputFiles());
}

std::vector<std::string> BaselineFile::Warnings() const {
  const BaselineOutcome outcome = baseline_.Outcome();
  std::vector<std::string> lines;
  const auto add = [&](auto... parts) { lines.push_back(absl::StrCat(path(), ": ", parts...)); };
  for (const std::string& old_id : baseline_.old_ids()) add(old_id);
  if (options_->write_baseline.empty()) {
    for (const KnownFinding& known : outcome.stale) {
      add("stale, no longer found: ", Shown(known));
    }
  }
  for (const KnownFinding& known : outcome.refused) {
    add("an error of the profile safety still counts without --baseline-safety: ", Shown(known));
  }
  if (unsafe_ > 0) {
    add("omitted ", unsafe_, unsafe_ == 1 ? " error" : " errors",
        " of the profile safety; use --baseline-safety to include them");
  }
  if (!options_->write_baseline.empty() && baseline_.without_reason() > 0) {
    add(baseline_.without_reason(),
        " of its lines have no reason yet; --baseline requires a reason in every line");
  }
  return lines;
}

}  // namespace gguf
