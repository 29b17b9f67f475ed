// The names of values that are written as words.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/report_members.h"

#include <initializer_list>
#include <optional>

#include "conformance/engine/catalogue.h"
#include "conformance/engine/profile.h"
#include "conformance/model/gguf_kind.h"

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
const char* JsonName(Endian endian) {
  return endian == Endian::kLittle ? "little" : "big";
}
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
  return FindNamed(
      {Severity::kOff, Severity::kNote, Severity::kWarning, Severity::kError},
      name, severity);
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
  return FindNamed(
      {ComparedTensor::kNotCompared, ComparedTensor::kPass,
       ComparedTensor::kError, ComparedTensor::kScale, ComparedTensor::kBlock,
       ComparedTensor::kRequantized, ComparedTensor::kUneven},
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

}  // namespace gguf
