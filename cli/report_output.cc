// Temporary files, renamed when they are complete.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/report_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "conformance/report/formats.h"
#include "parser/quote.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

// Creates an empty file that was not there: nobody else's is written to.
absl::Status CreateNew(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      0666);  // Less the umask.
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot create");
  close(fd);
  return absl::OkStatus();
}

// Why a stream failed, as far as the system said.
absl::Status WriteError() {
  return errno == 0 ? absl::DataLossError("not everything could be written")
                    : absl::ErrnoToStatus(errno, "cannot write");
}

absl::Status WithName(const std::string& name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("cannot write ", name, ": ",
                                                  Visible(status.message())));
}

}  // namespace

absl::StatusOr<std::vector<ReportTarget>> ParseReportTargets(
    const std::vector<std::string>& flags) {
  const std::vector<std::string> formats = ReportFormatNames();
  std::vector<ReportTarget> targets;
  for (const std::string& flag : flags) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(flag, absl::MaxSplits('=', 1));
    const ReportTarget target{parts.first, parts.second};
    if (std::count(formats.begin(), formats.end(), target.format) == 0 ||
        target.path.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--report wants FORMAT=PATH with a format of ",
                       absl::StrJoin(formats, ", "), ", not ", Quote(flag)));
    }
    if (target.path == "-") {
      return absl::InvalidArgumentError(
          "--report writes to files; --format chooses what standard output "
          "gets");
    }
    for (const ReportTarget& other : targets) {
      if (other.path != target.path) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("two reports would go to ", Quote(target.path)));
    }
    targets.push_back(target);
  }
  return targets;
}

std::unique_ptr<ReportOutput> ReportOutput::ToStandardOutput(
    const std::string& format, const Run& run) {
  auto output = std::unique_ptr<ReportOutput>(new ReportOutput());
  output->name_ = "to standard output";
  errno = 0;
  output->writer_ =
      NewReportWriter(format, run, {UseColor(), TerminalWidth()}, std::cout);
  output->Look(std::cout);
  return output;
}

absl::StatusOr<std::unique_ptr<ReportOutput>> ReportOutput::ToFile(
    const ReportTarget& target, const Run& run) {
  auto output = std::unique_ptr<ReportOutput>(new ReportOutput());
  output->name_ = absl::StrCat("the report ", Quote(target.path));
  output->path_ = target.path;
  std::string path = target.path;
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (!fs::exists(there) || fs::is_regular_file(there)) {
    // A link stays, and what it leads to is replaced.
    const fs::path canonical = fs::weakly_canonical(path, error);
    if (!error) output->path_ = canonical.string();
    path = absl::StrCat(output->path_, ".", getpid(), ".tmp");
    const absl::Status created = CreateNew(path);
    if (!created.ok()) return WithName(output->name_, created);
    output->temporary_ = path;
  }
  errno = 0;
  output->file_.open(path, std::ios::binary);
  if (!output->file_) return WithName(output->name_, WriteError());
  output->writer_ =
      NewReportWriter(target.format, run, TextStyle{}, output->file_);
  output->Look(output->file_);
  if (output->failed()) return output->status_;
  return output;
}

ReportOutput::~ReportOutput() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void ReportOutput::Look(std::ostream& out) {
  if (!out) status_ = WithName(name_, WriteError());
}

void ReportOutput::Add(const FileReport& file) {
  if (failed()) return;
  errno = 0;
  try {
    writer_->Add(file);
  } catch (const std::exception& error) {  // Out of memory, above all.
    status_ = absl::InternalError(
        absl::StrCat("cannot write ", name_, ": ", error.what()));
    return;
  }
  // Who reads along sees each file as soon as it is there.
  if (path_.empty()) std::cout.flush();
  Look(path_.empty() ? std::cout : file_);
}

absl::Status ReportOutput::Close(const Totals& totals) {
  if (failed()) return status_;
  errno = 0;
  writer_->End(totals);
  if (path_.empty()) {
    std::cout.flush();
    Look(std::cout);
    return status_;
  }
  file_.close();
  Look(file_);
  if (failed() || temporary_.empty()) return status_;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    return WithName(name_, absl::ErrnoToStatus(errno, "cannot rename"));
  }
  temporary_.clear();
  return absl::OkStatus();
}

absl::StatusOr<ReportOutputs> ReportOutputs::Open(
    const std::string& format, const std::vector<ReportTarget>& targets,
    const Run& run) {
  ReportOutputs outputs;
  for (const ReportTarget& target : targets) {
    auto output = ReportOutput::ToFile(target, run);
    if (!output.ok()) return output.status();
    outputs.outputs_.push_back(*std::move(output));
  }
  outputs.outputs_.push_back(ReportOutput::ToStandardOutput(format, run));
  return outputs;
}

bool ReportOutputs::Add(const FileReport& file) {
  bool any = false;
  for (const auto& output : outputs_) {
    output->Add(file);
    any |= !output->failed();
  }
  return any;
}

int ReportOutputs::Close(const Totals& totals) {
  int code = ExitCode(totals);
  for (const auto& output : outputs_) {
    const absl::Status status = output->Close(totals);
    if (status.ok()) continue;
    PrintError(status.message());
    code = kCouldNotRun;
  }
  return code;
}

}  // namespace gguf
