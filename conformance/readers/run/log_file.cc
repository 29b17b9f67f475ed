// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/log_file.h"

#include <ostream>

namespace gguf::readers {
namespace {

void Write(const RunLog& log, std::ostream& out) {
  out << ToLine(log.header);
  for (const CaseRecord& record : log.cases) out << ToLine(record);
  if (log.footer) out << ToLine(*log.footer);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogFile>> LogFile::Create(
    const std::string& path, const InputFiles& inputs) {
  auto file = OutputFile::Create(path, path, inputs);
  if (!file.ok()) return file.status();
  return std::unique_ptr<LogFile>(new LogFile(path, inputs, *std::move(file)));
}

absl::Status LogFile::Begin(const RunHeader& header) {
  if (file_->in_place()) return absl::OkStatus();
  file_->out() << ToLine(header);
  return file_->Publish();
}

void LogFile::Add(const CaseRecord& record) {
  if (file_->in_place()) return;
  const std::string line = ToLine(record);
  const std::lock_guard<std::mutex> lock(mutex_);
  file_->out() << line << std::flush;  // Finish() writes it again.
}

absl::Status LogFile::Finish(const RunLog& log) {
  if (file_->in_place()) {
    Write(log, file_->out());
    return file_->Close();
  }
  const auto whole = OutputFile::Create(path_, path_, inputs_);
  if (!whole.ok()) return whole.status();
  Write(log, (*whole)->out());
  return (*whole)->Close();
}

}  // namespace gguf::readers
