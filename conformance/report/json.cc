// Names the values that are written as words, and writes and reads documents.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "conformance/base/json.h"
#include "conformance/base/project.h"
#include "conformance/report/report_members.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"

namespace gguf {
namespace {

// Sets *value to the one with that name; returns false if there is none.
template <class T>
bool FindNamed(std::initializer_list<T> all, absl::string_view name, T* value) {
  for (const T one : all) {
    if (name != JsonName(one)) continue;
    *value = one;
    return true;
  }
  return false;
}

template <class T>
bool SetIfFound(const std::optional<T>& found, T* value) {
  if (found) *value = *found;
  return found.has_value();
}

}  // namespace

const char* JsonName(Severity severity) { return SeverityName(severity); }
const char* JsonName(Endian endian) { return endian == Endian::kLittle ? "little" : "big"; }
const char* JsonName(GgufKind kind) { return WordOf(kind); }
const char* JsonName(ReaderEffect effect) { return WordOf(effect); }
const char* JsonName(ComparedTensor::Result result) {
  switch (result) {
    case ComparedTensor::kPass:
      return "pass";
    case ComparedTensor::kError:
      return "error";
    case ComparedTensor::kScale:
      return "scale";
    case ComparedTensor::kBlock:
      return "block";
    case ComparedTensor::kRequantized:
      return "requantized";
    case ComparedTensor::kUneven:
      return "uneven";
    case ComparedTensor::kNotCompared:
      break;
  }
  return "not compared";
}
const char* JsonName(const Rule* rule) { return rule->id; }
const char* JsonName(const Reader* reader) { return reader->name; }

bool FromJsonName(absl::string_view name, Severity* severity) {
  return FindNamed({Severity::kOff, Severity::kNote, Severity::kWarning, Severity::kError}, name,
                   severity);
}

bool FromJsonName(absl::string_view name, Endian* endian) {
  return FindNamed({Endian::kLittle, Endian::kBig}, name, endian);
}

bool FromJsonName(absl::string_view name, GgufKind* kind) {
  return SetIfFound(FindWord<GgufKind>(name), kind);
}

bool FromJsonName(absl::string_view name, ReaderEffect* effect) {
  return SetIfFound(FindWord<ReaderEffect>(name), effect);
}

bool FromJsonName(absl::string_view name, ComparedTensor::Result* result) {
  return FindNamed({ComparedTensor::kNotCompared, ComparedTensor::kPass, ComparedTensor::kError,
                    ComparedTensor::kScale, ComparedTensor::kBlock, ComparedTensor::kRequantized,
                    ComparedTensor::kUneven},
                   name, result);
}

bool FromJsonName(absl::string_view name, const Rule** rule) {
  *rule = FindRule(name);
  return *rule != nullptr;
}

bool FromJsonName(absl::string_view name, const Reader** reader) {
  *reader = FindReader(name);
  return *reader != nullptr;
}

bool CountsFit(const FileReport& file) {
  FileReport::Counts left = file.counts;
  for (const Finding& finding : file.findings) --left.of(finding.severity);
  for (const FileReport::More& more : file.more) {
    left.of(more.severity) -= more.count;
  }
  return left.error == 0 && left.warning == 0 && left.note == 0;
}

namespace {

// Returns the members before the files.
Json HeadJson(const Run& run, const char* schema) {
  Json json = {{"schema", schema}, {"tool", {{"name", "ggufcheck"}, {"version", kToolVersion}}}};
  json.update(RecordWriter::Write(run));
  return json;
}

Json FileJson(FileReport file, Severity fail_on) {
  return RecordWriter::Write(FileRecord{&file, fail_on});
}

class JsonWriter : public ReportWriter {
 public:
  JsonWriter(const Run& run, std::ostream& out) : fail_on_(run.fail_on), json_(out) {
    json_.BeginObject();
    json_.Members(HeadJson(run, kReportSchema));
    json_.Key("files");
    json_.BeginArray();
  }

  void Add(const FileReport& file) override { json_.Value(FileJson(file, fail_on_)); }

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
  JsonLinesWriter(const Run& run, std::ostream& out) : fail_on_(run.fail_on), out_(out) {
    Write("run", HeadJson(run, kReportLinesSchema));
  }

  void Add(const FileReport& file) override { Write("file", FileJson(file, fail_on_)); }

  void End(const Totals& totals) override { Write("end", RecordWriter::Write(totals)); }

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

std::unique_ptr<ReportWriter> NewJsonLinesWriter(const Run& run, std::ostream& out) {
  return std::make_unique<JsonLinesWriter>(run, out);
}

absl::StatusOr<Run> RunFromJson(const Json& json) {
  Run run;
  const absl::Status status = RecordReader::Read(json, &run);
  if (!status.ok()) return status;
  return run;
}

absl::StatusOr<std::optional<BaselineOutcome>> BaselineFromJson(const Json& json) {
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
    if (rule.why.view() == Reason::NotRequested().text.view()) rule.meaning = Reason::kNotRequested;
    if (rule.why.view() == file.incomplete) rule.meaning = Reason::kIncomplete;
  }
  return file;
}

}  // namespace gguf
