// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json.h"

#include <utility>

#include "absl/status/status.h"
#include "conformance/json/record.h"
#include "conformance/report/json_stream.h"
#include "conformance/report/project.h"
#include "conformance/report/report_members.h"
#include "conformance/rules/check.h"

namespace gguf {
namespace {

// Returns the members before the files.
Json HeadJson(const Run& run, const char* schema) {
  Json json = {{"schema", schema},
               {"tool", {{"name", "ggufcheck"}, {"version", kToolVersion}}}};
  json.update(RecordWriter::Write(run));
  return json;
}

Json FileJson(FileReport file, Severity fail_on) {
  return RecordWriter::Write(FileRecord{&file, fail_on});
}

class JsonWriter : public ReportWriter {
 public:
  JsonWriter(const Run& run, std::ostream& out)
      : fail_on_(run.fail_on), json_(out) {
    json_.BeginObject();
    json_.Members(HeadJson(run, kReportSchema));
    json_.Key("files");
    json_.BeginArray();
  }

  void Add(const FileReport& file) override {
    json_.Value(FileJson(file, fail_on_));
  }

  void End(const Totals& totals) override {
    json_.End();
    json_.Members(RecordWriter::Write(totals));
    json_.End();
  }

 private:
  const Severity fail_on_;
  JsonStream json_;
};

class JsonLinesWriter : public ReportWriter {
 public:
  JsonLinesWriter(const Run& run, std::ostream& out)
      : fail_on_(run.fail_on), out_(out) {
    Write("run", HeadJson(run, kReportLinesSchema));
  }

  void Add(const FileReport& file) override {
    Write("file", FileJson(file, fail_on_));
  }

  void End(const Totals& totals) override {
    Write("end", RecordWriter::Write(totals));
  }

 private:
  void Write(const char* record, const Json& members) {
    Json json = {{"record", record}};
    json.update(members);
    out_ << JsonText(json) << '\n';
  }

  const Severity fail_on_;
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<ReportWriter> NewJsonWriter(const Run& run, std::ostream& out) {
  return std::make_unique<JsonWriter>(run, out);
}

std::unique_ptr<ReportWriter> NewJsonLinesWriter(const Run& run,
                                                 std::ostream& out) {
  return std::make_unique<JsonLinesWriter>(run, out);
}

absl::StatusOr<Run> RunFromJson(const Json& json) {
  Run run;
  const absl::Status status = RecordReader::Read(json, &run);
  if (!status.ok()) return status;
  return run;
}

absl::StatusOr<std::optional<BaselineOutcome>> BaselineFromJson(
    const Json& json) {
  Totals totals;
  const absl::Status status = RecordReader::Read(json, &totals);
  if (!status.ok()) return status;
  return std::move(totals.baseline);
}

absl::StatusOr<FileReport> FileFromJson(const Json& json) {
  FileReport file;
  FileRecord record{&file, Severity::kError};
  const absl::Status status = RecordReader::Read(json, &record);
  if (!status.ok()) return status;
  for (FileReport::NotChecked& rule : file.not_checked) {
    if (rule.why.view() == Reason::NotRequested().text.view())
      rule.meaning = Reason::kNotRequested;
    if (rule.why.view() == file.incomplete) rule.meaning = Reason::kIncomplete;
  }
  return file;
}

}  // namespace gguf
