// Reads JSON documents and NDJSON lines, and merges the reports of runs.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/merge.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/text.h"
#include "conformance/check/files.h"
#include "conformance/report/json.h"

namespace gguf {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kNoEnd[] = "truncated report: the run was killed or is still running";

Json Parsed(const std::string& text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

absl::Status Wrong(const std::string& path, const std::string& place, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the report ", Quote(path), place, ": ", Visible(what)));
}

class DocumentSource : public ReportSource {
 public:
  DocumentSource(std::string path, Run run, Json document)
      : ReportSource(std::move(path), std::move(run)), document_(std::move(document)) {}

 protected:
  absl::StatusOr<std::optional<FileReport>> Read() override {
    if (next_ == document_["files"].size()) {
      const absl::Status end = ReadEnd(document_);
      if (!end.ok()) return end;
      return std::nullopt;
    }
    auto file = FileFromJson(document_["files"][next_++]);
    if (file.ok()) return *std::move(file);
    return Wrong(path_, absl::StrCat(", file ", next_), file.status().message());
  }

 private:
  const Json document_;
  size_t next_ = 0;
};

class LinesSource : public ReportSource {
 public:
  LinesSource(std::string path, Run run, std::unique_ptr<std::istream> in)
      : ReportSource(std::move(path), std::move(run)), in_(std::move(in)) {}

 protected:
  absl::StatusOr<std::optional<FileReport>> Read() override {
    std::string text;
    const bool is_there = static_cast<bool>(std::getline(*in_, text));
    ++line_;
    // The last line of a killed run may be incomplete.
    if (!is_there || in_->eof()) {
      unfinished_ = kNoEnd;
      return std::nullopt;
    }
    const std::string place = absl::StrCat(", line ", line_);
    const Json json = Parsed(text);
    if (!json.is_object() || !json.contains("record")) {
      return Wrong(path_, place, "not a record");
    }
    if (json["record"] == "end") {
      const absl::Status end = ReadEnd(json);
      if (!end.ok()) return end;
      return std::nullopt;
    }
    if (json["record"] != "file") return Wrong(path_, place, "not a file");
    auto file = FileFromJson(json);
    if (!file.ok()) return Wrong(path_, place, file.status().message());
    return *std::move(file);
  }

 private:
  const std::unique_ptr<std::istream> in_;
  uint64_t line_ = 1;
};

}  // namespace

absl::Status ReportSource::ReadEnd(const Json& end) {
  const auto unfinished = end.find("unfinished");
  if (unfinished != end.end() && unfinished->is_string()) {
    unfinished_ = Visible(unfinished->get<std::string>());
  }
  auto baseline = BaselineFromJson(end);
  if (!baseline.ok()) {
    return Wrong(path_, ", its end", baseline.status().message());
  }
  baseline_ = *std::move(baseline);
  return absl::OkStatus();
}

absl::Status ReportSource::Advance() {
  file_.reset();
  auto next = Read();
  if (!next.ok()) return next.status();
  if (!next->has_value()) return absl::OkStatus();
  const uint64_t index = (*next)->index;
  if (last_index_ && index <= *last_index_) {
    return Wrong(path_, "", "files are out of order");
  }
  last_index_ = index;
  file_ = *std::move(next);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ReportSource>> ReportSource::Open(const std::string& path) {
  errno = 0;
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if ((!*file || file->peek() == EOF) && errno != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read the report ", Quote(path)));
  }
  return From(std::move(file), path);
}

absl::StatusOr<std::unique_ptr<ReportSource>> ReportSource::From(std::unique_ptr<std::istream> in,
                                                                 const std::string& path) {
  std::string first;
  if (!std::getline(*in, first)) return Wrong(path, "", "the file is empty");
  Json head = Parsed(first);
  const bool is_lines = head.is_object() && head.contains("record");
  if (!is_lines) {
    std::string rest((std::istreambuf_iterator<char>(*in)), {});
    head = Parsed(absl::StrCat(first, "\n", rest));
  }
  const Json schema = is_lines ? kReportLinesSchema : kReportSchema;
  if (!head.is_object() || !head.contains("schema") || head["schema"] != schema ||
      (!is_lines && !(head.contains("files") && head["files"].is_array()))) {
    return Wrong(path, "", "not a ggufcheck report in JSON or NDJSON, or truncated");
  }
  auto run = RunFromJson(head);
  if (!run.ok()) return Wrong(path, "", run.status().message());
  if (is_lines) {
    return std::make_unique<LinesSource>(path, *std::move(run), std::move(in));
  }
  return std::make_unique<DocumentSource>(path, *std::move(run), std::move(head));
}

namespace {

// The most missing shards named in a message.
constexpr size_t kNamed = 10;

}  // namespace

// Returns why a report cannot be merged with the first one.
absl::Status Merge::Compare(const ReportSource& source) const {
  const Run& a = sources_.front()->run();
  const Run& b = source.run();
  const char* what = nullptr;
  if (a.profile != b.profile || a.fail_on != b.fail_on || a.select != b.select ||
      a.ignore != b.ignore || a.severities != b.severities || a.compared_with != b.compared_with ||
      a.baseline.empty() != b.baseline.empty()) {
    what =
        "has other settings (profile, severities, --fail-on, --select, --ignore, --baseline, BASE "
        "of compare)";
  } else if (a.shard.count != b.shard.count) {
    what = "has a different number of shards";
  } else if (a.shard.count > 1 &&
             (a.inputs.files != b.inputs.files || a.inputs.digest != b.inputs.digest)) {
    what = "has different files (some appeared or vanished between the runs)";
  }
  if (what == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot merge: the run of ", Quote(source.path()), " ", what, " than that of ",
                   Quote(sources_.front()->path())));
}

absl::Status Merge::Add(std::unique_ptr<ReportSource> source) {
  if (!sources_.empty()) {
    const absl::Status status = Compare(*source);
    if (!status.ok()) return status;
  }
  const WorkShard shard = source->run().shard;
  if (shard.count > 1 && !shards_.emplace(shard.index, source.get()).second) {
    problems_.push_back(absl::StrCat("duplicate report for shard ", shard.index + 1, "; ",
                                     Quote(source->path()), " ignored"));
    return absl::OkStatus();
  }
  sources_.push_back(std::move(source));
  return absl::OkStatus();
}

absl::Status Merge::Open(const std::vector<std::string>& paths) {
  std::vector<std::unique_ptr<ReportSource>> sources;
  for (const std::string& path : paths) {
    auto source = ReportSource::Open(path);
    if (!source.ok()) return source.status();
    sources.push_back(*std::move(source));
  }
  return Open(std::move(sources));
}

absl::Status Merge::Open(std::vector<std::unique_ptr<ReportSource>> sources) {
  for (auto& source : sources) {
    const absl::Status status = Add(std::move(source));
    if (!status.ok()) return status;
  }
  SayMissing();
  return absl::OkStatus();
}

void Merge::SayMissing() {
  if (!of_shards()) return;
  const uint64_t count = sources_.front()->run().shard.count;
  const uint64_t missing = count - shards_.size();
  if (missing == 0) return;
  std::vector<std::string> named;
  for (uint64_t i = 0; i < count && named.size() < kNamed; ++i) {
    if (shards_.count(i) == 0) named.push_back(absl::StrCat(i + 1));
  }
  problems_.push_back(absl::StrCat("missing: ", Count(missing, "shard"), " of ", count, ": ",
                                   absl::StrJoin(named, ", "),
                                   missing > named.size() ? ", ..." : ""));
}

Run Merge::run() const {
  Run run = sources_.front()->run();
  run.shard = WorkShard();
  if (of_shards() || sources_.size() == 1) return run;
  run.inputs = {};
  for (const auto& source : sources_) {
    const Run::Inputs& inputs = source->run().inputs;
    run.inputs.files += inputs.files;
    run.inputs.skipped += inputs.skipped;
    for (const std::string& path : inputs.skipped_paths) {
      if (run.inputs.skipped_paths.size() == kMostSkippedPaths) break;
      run.inputs.skipped_paths.push_back(path);
    }
  }
  return run;
}

// Moves a source to its next file.  A report ends at its first error.
void Merge::Advance(ReportSource* source) {
  const absl::Status status = source->Advance();
  if (!status.ok()) {
    problems_.push_back(std::string(status.message()));
  } else if (!source->file() && !source->unfinished().empty()) {
    problems_.push_back(absl::StrCat(Quote(source->path()), ": ", source->unfinished()));
  }
}

// Returns the source with the next file in order; null at the end.
ReportSource* Merge::Next() const {
  ReportSource* next = nullptr;
  for (const auto& source : sources_) {
    if (!source->file()) continue;
    if (next == nullptr || (of_shards() && source->file()->index < next->file()->index)) {
      next = source.get();
    }
  }
  return next;
}

Totals Merge::Take(const std::function<bool(const FileReport& file)>& take) {
  const Run run = this->run();
  Totals totals;
  uint64_t next_index = 0;
  for (const auto& source : sources_) Advance(source.get());
  while (ReportSource* source = Next()) {
    FileReport file = *std::move(source->file());
    if (!of_shards()) file.index = totals.files();
    // If no index is duplicate or too large, a matching sum covers all files.
    if (of_shards() && (file.index < next_index || file.index >= run.inputs.files)) {
      problems_.push_back(absl::StrCat(Quote(source->path()), ": file index ", file.index,
                                       " is too large or in another report"));
    }
    next_index = file.index + 1;
    totals.Add(file, run.fail_on);
    if (!take(file)) break;
    Advance(source);
  }
  if (problems_.empty() && totals.files() < run.inputs.files) {
    problems_.push_back(absl::StrCat(run.inputs.files - totals.files(), " of ",
                                     Count(run.inputs.files, "file"), " without a report"));
  }
  totals.unfinished =
      problems_.empty() ? totals.with_base.WhyNone() : absl::StrJoin(problems_, "; ");
  for (const auto& source : sources_) {
    if (!source->baseline()) continue;
    if (!totals.baseline) totals.baseline.emplace();
    totals.baseline->Add(*source->baseline());
  }
  return totals;
}

}  // namespace gguf
