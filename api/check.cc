// Runs the checks and keeps their report for the C interface.
//
// SPDX-License-Identifier: Apache-2.0

#include "api/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/check/check_inputs.h"
#include "conformance/check/gate.h"
#include "conformance/check/work_shard.h"
#include "conformance/input/open.h"
#include "conformance/report/json.h"
#include "conformance/rules/catalogue.h"

namespace gguf::api {
namespace {

constexpr char kNoName[] = "-";  // The path of a file without a name.

// Returns why a path cannot be read.
absl::Status TryToOpen(const std::string& path) {
  const auto error = [&](absl::string_view why) {
    return absl::FailedPreconditionError(absl::StrCat(Quote(path), " ", why));
  };
  if (path == "-") return error("is not a path; for such a file, use ./-");
  if (IsUrl(path)) return error("is a URL; the library reads files only");
  struct stat status;
  bool failed = stat(path.c_str(), &status) != 0;
  if (!failed && S_ISREG(status.st_mode)) {  // A pipe can be opened only once.
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    failed = fd < 0;
    if (!failed) close(fd);
  }
  if (failed) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", Quote(path)));
  }
  return S_ISDIR(status.st_mode) ? error("is a directory") : absl::OkStatus();
}

// Returns the only report of a file that is not on disk.
Checked OfOne(FileReport report, const std::string& name, const CheckInputs& inputs) {
  const std::string path = name.empty() ? kNoName : name;
  report.path = path;
  Checked checked;
  checked.run = inputs.run();
  FileGroup group;
  group.files.push_back({path, absl::OkStatus()});
  checked.run.inputs = InputsOf({group});
  checked.files.push_back(std::move(report));
  return checked;
}

// Returns whether an error is a limit, and not the environment's.
bool IsLimit(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsCancelled(status) ||
         absl::IsUnimplemented(status);
}

}  // namespace

// Returns the message of a cause; empty if there is none of this id.
static const char* MessageOf(const FileReport& file, absl::string_view cause) {
  for (const Cause& one : file.causes) {
    if (one.id == cause) return one.message.c_str();
  }
  return "";
}

Report::Report(Checked checked) : checked_(std::move(checked)) {
  size_t count = 0;
  for (const FileReport& file : checked_.files) {
    totals_.Add(file, checked_.run.fail_on);
    count += file.findings.size();
  }
  urls_.reserve(count);
  for (const FileReport& file : checked_.files) {
    for (const Finding& finding : file.findings) {
      const Diagnostic& diagnostic = finding.diagnostic;
      urls_.push_back(RuleUrl(diagnostic.rule->id));
      findings_.push_back({diagnostic.rule->id, SeverityName(finding.severity),
                           diagnostic.where.begin, diagnostic.where.end, diagnostic.subject.c_str(),
                           diagnostic.message.c_str(), diagnostic.rule->repair,
                           urls_.back().c_str(), file.path.c_str(),
                           ScopeName(diagnostic.rule->scope), MessageOf(file, finding.cause),
                           WordOf(FixOf(*diagnostic.rule).fix)});
    }
  }
}

const char* Report::json() const {
  std::call_once(json_once_, [this] {
    std::ostringstream out;
    const auto writer = NewJsonWriter(checked_.run, out);
    for (const FileReport& file : checked_.files) writer->Add(file);
    writer->End(totals_);
    json_ = out.str();
  });
  return json_.c_str();
}

absl::StatusOr<Checked> CheckFile(const std::string& path, CheckOptions options) {
  if (options.size) {
    return absl::InvalidArgumentError("option \"size\" is for buffers: a file has its size");
  }
  options.paths = {path};
  const auto inputs = CheckInputs::Open(&options);
  if (!inputs.ok()) return inputs.status();
  const absl::Status opened = TryToOpen(path);
  if (!opened.ok()) return opened;
  auto gate = Gate::Open(options, *inputs);
  if (!gate.ok()) return gate.status();
  Checked checked;
  GateCallbacks callbacks;
  callbacks.take = [&](FileReport report) {
    checked.files.push_back(std::move(report));
    return true;
  };
  const GateResult result = gate->Check(callbacks);
  for (FileReport& file : checked.files) {
    if (file.incomplete.empty()) file.incomplete = result.totals.unfinished;
  }
  checked.run = gate->run();
  return checked;
}

absl::StatusOr<Checked> CheckBuffer(Bytes bytes, const std::string& name, CheckOptions options) {
  const auto inputs = CheckInputs::Open(&options);
  if (!inputs.ok()) return inputs.status();
  const std::string base_name = BaseName(name);
  Source source(bytes, options.size.value_or(bytes.size()), base_name);
  source.header_only = options.header_only;
  if (options.size && !options.header_only) {
    return absl::InvalidArgumentError("option \"size\" requires \"header-only\"");
  }
  if (source.size < bytes.size()) {
    return absl::InvalidArgumentError("option \"size\" is smaller than the buffer");
  }
  return OfOne(CheckSource(source, name, options, *inputs), name, *inputs);
}

absl::StatusOr<Checked> CheckCallback(const Read& read, uint64_t size, const std::string& name,
                                      CheckOptions options) {
  if (options.size) {
    return absl::InvalidArgumentError("option \"size\" is for buffers: the size is an argument");
  }
  const auto inputs = CheckInputs::Open(&options);
  if (!inputs.ok()) return inputs.status();
  std::atomic<bool> failed{false};
  const auto read_at = [&](uint64_t offset, void* to, size_t count) -> absl::StatusOr<size_t> {
    const int64_t got = read(offset, to, count);
    if (got > 0 && static_cast<uint64_t>(got) <= count) return got;
    failed = true;
    if (got == 0) {
      return absl::DataLossError(
          absl::StrCat("the file ends after ", offset, " of ", size, " bytes"));
    }
    return absl::UnavailableError(
        absl::StrCat(got < 0 ? "the function failed" : "the function returned a wrong count",
                     " at offset ", offset));
  };
  const auto input =
      Input::OpenReader(read_at, size, BaseName(name), {options.limits, inputs->header(), nullptr});
  if (!input.ok()) {
    if (!IsLimit(input.status())) return input.status();
    return OfOne(Unchecked(input.status().message(), inputs->profile()), name, *inputs);
  }
  FileReport report = CheckSource(input->source(), name, options, *inputs);
  if (failed) {
    return absl::UnavailableError("the function failed during the check");
  }
  return OfOne(std::move(report), name, *inputs);
}

}  // namespace gguf::api
