// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/readers/run_members.h"
#include "conformance/report/escape.h"
#include "nlohmann/json.hpp"
#include "parser/quote.h"

namespace gguf::readers {
namespace {

using Json = nlohmann::ordered_json;

// Writing ---------------------------------------------------------------------

template <class T>
Json RecordJson(const T& record);

Json ToJson(const std::string& text) { return text; }
Json ToJson(bool value) { return value; }
Json ToJson(uint64_t value) { return value; }
Json ToJson(double value) { return value; }
Json ToJson(CaseResult result) { return InfoOf(result).name; }

Json ToJson(const std::array<LevelState, kLevels>& levels) {
  Json json = Json::object();
  for (size_t i = 0; i < kLevels; ++i) {
    json[LevelName(i)] = LevelStateName(levels[i]);
  }
  return json;
}

template <class T>
Json ToJson(const T& record) {
  return RecordJson(record);
}

template <class T>
Json ToJson(const std::optional<T>& value) {
  return value ? ToJson(*value) : Json(nullptr);
}

template <class T>
Json ToJson(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(ToJson(value));
  return json;
}

struct MemberWriter {
  template <class T>
  void operator()(const char* name, const T& member, Choices = {}) {
    json[name] = ToJson(member);
  }
  Json json = Json::object();
};

template <class T>
Json RecordJson(const T& record) {
  MemberWriter writer;
  T members = record;  // A visitor may change what it visits; not this one.
  VisitMembers(writer, members);
  return std::move(writer.json);
}

template <class T>
std::string Line(const T& record) {
  return EscapeJsonDocument(RecordJson(record).dump(
             -1, ' ', false, Json::error_handler_t::replace)) +
         "\n";
}

// Reading ---------------------------------------------------------------------

// Takes members out of an object.  The first that is not as it should be is
// the error; later ones are not looked at.
class MemberReader {
 public:
  MemberReader(const Json& json, std::string path, absl::Status* status)
      : json_(json), path_(std::move(path)), status_(status) {}

  template <class T>
  void operator()(const char* name, T& member, Choices words = {}) {
    if (!status_->ok()) return;
    const auto found = json_.find(name);
    if (found == json_.end()) return Fail(Path(name), "is missing");
    Read(*found, Path(name), &member);
    if (status_->ok() && !words.empty()) CheckWord(name, *found, words);
  }

 private:
  std::string Path(absl::string_view name) const {
    return path_.empty() ? std::string(name) : absl::StrCat(path_, ".", name);
  }

  void Fail(absl::string_view path, absl::string_view what) {
    *status_ = absl::InvalidArgumentError(absl::StrCat(path, " ", what));
  }

  void CheckWord(const char* name, const Json& json, Choices words) {
    const std::string word = json.get<std::string>();
    if (std::find(words.begin(), words.end(), word) != words.end()) return;
    Fail(Path(name), absl::StrCat("is ", Quote(word), ", not ",
                                  absl::StrJoin(words, " or ")));
  }

  void Read(const Json& json, const std::string& path, std::string* value) {
    if (!json.is_string()) return Fail(path, "is no text");
    *value = json.get<std::string>();
  }
  void Read(const Json& json, const std::string& path, bool* value) {
    if (!json.is_boolean()) return Fail(path, "is neither true nor false");
    *value = json.get<bool>();
  }
  void Read(const Json& json, const std::string& path, uint64_t* value) {
    if (!json.is_number_unsigned()) return Fail(path, "is no count");
    *value = json.get<uint64_t>();
  }
  void Read(const Json& json, const std::string& path, double* value) {
    if (!json.is_number()) return Fail(path, "is no number");
    *value = json.get<double>();
  }

  void Read(const Json& json, const std::string& path, CaseResult* value) {
    std::string name;
    Read(json, path, &name);
    if (!status_->ok()) return;
    const std::optional<CaseResult> result = FindCaseResult(name);
    if (!result)
      return Fail(path, absl::StrCat("is ", Quote(name), ", no result"));
    *value = *result;
  }

  void Read(const Json& json, const std::string& path,
            std::array<LevelState, kLevels>* levels) {
    if (!json.is_object()) return Fail(path, "is no object");
    MemberReader states(json, path, status_);
    for (size_t i = 0; i < kLevels; ++i) states(LevelName(i), (*levels)[i]);
  }
  void Read(const Json& json, const std::string& path, LevelState* state) {
    for (const LevelState known :
         {LevelState::kNotTested, LevelState::kFail, LevelState::kPass}) {
      if (json != LevelStateName(known)) continue;
      *state = known;
      return;
    }
    Fail(path, "is neither pass nor fail nor not-tested");
  }

  template <class T>
  void Read(const Json& json, const std::string& path,
            std::optional<T>* value) {
    value->reset();
    if (!json.is_null()) Read(json, path, &value->emplace());
  }
  template <class T>
  void Read(const Json& json, const std::string& path, std::vector<T>* values) {
    if (!json.is_array()) return Fail(path, "is no list");
    for (size_t i = 0; i < json.size() && status_->ok(); ++i) {
      Read(json[i], absl::StrCat(path, "[", i, "]"), &values->emplace_back());
    }
  }
  template <class T>
  void Read(const Json& json, const std::string& path, T* record) {
    if (!json.is_object()) return Fail(path, "is no object");
    MemberReader reader(json, path, status_);
    VisitMembers(reader, *record);
  }

  const Json& json_;
  const std::string path_;
  absl::Status* status_;
};

template <class T>
absl::Status ReadRecord(const Json& json, T* record) {
  absl::Status status;
  MemberReader reader(json, "", &status);
  VisitMembers(reader, *record);
  return status;
}

// One line behind the first.
absl::Status AddRecord(const Json& json, RunLog* log) {
  if (log->footer) {
    return absl::InvalidArgumentError("there is more behind the footer");
  }
  if (json.contains("case")) {
    return ReadRecord(json, &log->cases.emplace_back());
  }
  if (json.contains("complete")) {
    return ReadRecord(json, &log->footer.emplace());
  }
  return absl::InvalidArgumentError(
      "is neither the record of a case nor the footer");
}

absl::Status AddLine(absl::string_view line, bool is_first, RunLog* log) {
  const Json json = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object()) return absl::InvalidArgumentError("is no JSON object");
  return is_first ? ReadRecord(json, &log->header) : AddRecord(json, log);
}

bool IsJson(absl::string_view line) {
  return Json::accept(line.begin(), line.end());
}

}  // namespace

std::string ToLine(const RunHeader& header) { return Line(header); }
std::string ToLine(const CaseRecord& record) { return Line(record); }
std::string ToLine(const RunFooter& footer) { return Line(footer); }

absl::StatusOr<RunLog> ReadRunLog(absl::string_view text) {
  RunLog log;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const absl::string_view line = text.substr(0, end);
    const bool is_cut = end == absl::string_view::npos && !IsJson(line);
    if (is_cut && number > 0) break;
    ++number;
    const absl::Status status = AddLine(line, number == 1, &log);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": ", status.message()));
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  if (number == 0) return absl::InvalidArgumentError("the log is empty");
  return log;
}

}  // namespace gguf::readers
