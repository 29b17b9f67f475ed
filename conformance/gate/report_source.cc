// Reads JSON documents and NDJSON lines.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/report_source.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/report/json.h"
#include "parser/core/quote.h"

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

}  // namespace gguf
