// JsonMembers: the members of an object in a report that is read back.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JSON_MEMBERS_H_
#define GGUF_CONFORMANCE_REPORT_JSON_MEMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "parser/rule.h"

namespace gguf {

// Reads members of an object.  The first that is missing or wrong is the error,
// InvalidArgument in `status`; later reads do nothing.  A text with a character
// that no report has (control, invisible or reordering ones) is wrong: writers
// show our own texts as they are.
class JsonMembers {
 public:
  // Both outlive it.
  JsonMembers(const nlohmann::ordered_json& json, absl::Status* status);

  // Whether there is such a member, and it is not null.
  bool Has(const char* name) const;

  void Read(const char* name, uint64_t* value);
  void Read(const char* name, uint32_t* value);
  void Read(const char* name, std::string* value);
  void Read(const char* name, std::vector<std::string>* values);
  // Null or absent is nothing.
  template <class T>
  void Read(const char* name, std::optional<T>* value) {
    if (Has(name)) Read(name, &value->emplace());
  }
  // Text from a file, which writers escape.
  void ReadRaw(const char* name, std::string* value);
  // "name", or the bytes of "name_hex".
  void ReadBytes(const std::string& name, std::string* value);

  // "rule", which is one of the catalogue.
  void ReadRule(const Rule** rule);
  void ReadSeverity(const char* name, Severity* severity);

  // Empty when it is none, or absent.
  const nlohmann::ordered_json& Array(const char* name);
  // An empty object when it is none.
  const nlohmann::ordered_json& Object(const char* name);

  void Fail(const char* name, absl::string_view what);

 private:
  const nlohmann::ordered_json* Find(const char* name);

  const nlohmann::ordered_json& json_;
  absl::Status& status_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JSON_MEMBERS_H_
