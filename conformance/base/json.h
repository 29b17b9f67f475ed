// JSON: text without characters that could affect a terminal or deceive a person, and records,
// whose list of members serves writing and reading.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_JSON_H_
#define GGUF_CONFORMANCE_BASE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/base/text.h"
#include "nlohmann/json.hpp"

namespace gguf {

// Members keep their order.
using Json = nlohmann::ordered_json;

// Returns `text`, which must be valid UTF-8, as a JSON string with its quotes.
// Control characters, invisible characters and bidi controls become \u escapes,
// and so does the # of what CI systems execute (BeginsCommand in
// conformance/base/text.h).
std::string JsonString(absl::string_view text);

// Returns the document on one line, or indented by `indent` spaces if that is
// not negative.  The same characters are escaped; bytes that are not UTF-8
// become U+FFFD.
std::string JsonText(const Json& json, int indent = -1);

// Writes a JSON document value by value, indented by two spaces.  Calls follow
// the document: every Begin has an End, and in an object each value has a
// Key().
class JsonStream {
 public:
  explicit JsonStream(std::ostream& out) : out_(out) {}  // Must outlive this.

  void BeginObject() { Begin('{', '}'); }
  void BeginArray() { Begin('[', ']'); }
  void End();

  void Key(absl::string_view name);
  void Value(const Json& json);
  // Writes a key and a value for each member of `object`.
  void Members(const Json& object);

 private:
  void Begin(char opening, char closing);
  // Separates the next value from the previous one.
  void Next();
  void BreakLine();

  struct Level {
    char closing;
    bool empty;
  };
  std::ostream& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

// Records as JSON objects: one list of members serves writing and reading.
//
// The list of a type is a function in its namespace; members are written in its
// order:
//
//   template <class Visitor>
//   void VisitMembers(Visitor& visit, Mark& mark) {
//     visit("offset", mark.offset);                 // Always present.
//     visit("level", mark.level, kLevelNames);      // One of these words.
//     visit.Maybe("rule", mark.rule);               // Omitted when empty.
//     visit.Written("result", ResultOf(mark));      // Not read back.
//     visit.Require(IsSane(mark), "offset", "is too large");  // When reading.
//   }
//
// A member may be a local variable that is computed before the visit, and
// stored back afterwards.  An enumeration, or a pointer to a row of a table, is
// written as its name.  Two functions in the type's namespace define the names:
//
//   const char* JsonName(Severity severity);
//   bool FromJsonName(absl::string_view name, Severity* severity);

// The allowed words of a member.
using Words = absl::Span<const absl::string_view>;

// Names with strings; a JSON object.
using TextMap = std::vector<std::pair<std::string, std::string>>;

// A string, or a list of strings, that ggufcheck composed.  One that Visible()
// (conformance/base/text.h) changes is an error, because writers show such strings
// as they are.
template <class T>
struct Printable {
  explicit Printable(T& the_value) : value(the_value) {}
  bool empty() const { return value.empty(); }
  T& value;
};
bool IsPrintable(absl::string_view text);
bool IsPrintable(const std::vector<std::string>& texts);

// A string of any bytes, for JSON: bytes that are not UTF-8 are escaped, and
// the hex of the whole string is added.
struct EncodedText {
  explicit EncodedText(absl::string_view text);

  // Returns the string after both members were visited.
  template <class Visitor>
  std::string Decoded(Visitor& visit, const char* hex_name) const {
    const std::optional<std::string> bytes = BytesFromHex(hex);
    visit.Require(bytes.has_value(), hex_name, "is not hex");
    return hex.empty() ? shown : bytes.value_or("");
  }

  std::string shown;
  std::string hex;  // Empty for UTF-8.
};

// The visitor that writes.
class RecordWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& member, Words = {}) {
    json_[name] = Value(member);
  }
  template <class T>
  void Maybe(const char* name, const T& member) {
    if (!IsEmpty(member)) json_[name] = Value(member);
  }
  template <class T>
  void Written(const char* name, const T& member) {
    json_[name] = Value(member);
  }
  void Require(bool, const char*, absl::string_view) {}

  template <class T>
  static Json Write(T record) {  // A copy: a visitor may change what it visits.
    RecordWriter writer;
    VisitMembers(writer, record);
    return std::move(writer.json_);
  }

 private:
  template <class T>
  static bool IsEmpty(const T& text_or_list) {
    return text_or_list.empty();
  }
  static bool IsEmpty(uint64_t count) { return count == 0; }
  template <class T>
  static bool IsEmpty(const std::optional<T>& value) {
    return !value.has_value();
  }

  static Json Value(const Json& json) { return json; }
  static Json Value(const std::string& text) { return text; }
  static Json Value(const char* text) { return text; }
  static Json Value(bool value) { return value; }
  static Json Value(uint32_t value) { return value; }
  static Json Value(uint64_t value) { return value; }
  static Json Value(double value) { return value; }
  static Json Value(const TextMap& texts);
  template <class T>
  static Json Value(const Printable<T>& text) {
    return Value(text.value);
  }
  template <class T>
  static Json Value(const std::optional<T>& value) {
    return value ? Value(*value) : Json(nullptr);
  }
  template <class T>
  static Json Value(const std::vector<T>& values) {
    Json json = Json::array();
    for (const T& value : values) json.push_back(Value(value));
    return json;
  }
  template <class T>
  static Json Value(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_pointer_v<T>) {
      return JsonName(value);
    } else {
      return Write(value);
    }
  }

  Json json_ = Json::object();
};

// The visitor that reads.  The first invalid member is the error; later ones
// are not examined.  Unknown members are ignored.
class RecordReader {
 public:
  template <class T>
  static absl::Status Read(const Json& json, T* record) {
    absl::Status status;
    RecordReader(json, nullptr, &status).Value(json, {}, record);
    return status;
  }

  template <class T>
  void operator()(const char* name, T&& member, Words words = {}) {
    const Json* json = Find(name);
    const Place place{place_, name};
    if (json == nullptr) return Fail(place, "is missing");
    Value(*json, place, &member);
    CheckWord(*json, place, words);
  }
  template <class T>
  void Maybe(const char* name, T&& member) {
    const Json* json = Find(name);
    if (json == nullptr || json->is_null()) return;
    Value(*json, {place_, name}, &member);
  }
  template <class T>
  void Written(const char*, const T&) {}
  void Require(bool holds, const char* name, absl::string_view what) {
    if (!holds) Fail({place_, name}, what);
  }

 private:
  // The place of a value; formatted only for an error.
  struct Place {
    const Place* outer = nullptr;
    const char* name = nullptr;  // Null for an element, or the whole.
    size_t index = 0;

    std::string Path() const;
  };

  RecordReader(const Json& json, const Place* place, absl::Status* status)
      : json_(json), place_(place), status_(*status) {}

  // Returns null when there is no such member, or after an earlier error.
  const Json* Find(const char* name) const;
  // Does nothing after an earlier error.
  void Fail(const Place& place, absl::string_view what);
  void CheckWord(const Json& json, const Place& place, Words words);

  void Value(const Json& json, const Place& place, std::string* value);
  void Value(const Json& json, const Place& place, bool* value);
  void Value(const Json& json, const Place& place, uint32_t* value);
  void Value(const Json& json, const Place& place, uint64_t* value);
  void Value(const Json& json, const Place& place, double* value);
  void Value(const Json& json, const Place& place, TextMap* texts);
  template <class T>
  void Value(const Json& json, const Place& place, Printable<T>* text) {
    Value(json, place, &text->value);
    if (!IsPrintable(text->value)) {
      Fail(place, "contains a forbidden character");
    }
  }
  template <class T>
  void Value(const Json& json, const Place& place, std::optional<T>* value) {
    *value = T();
    if (json.is_null()) return value->reset();
    Value(json, place, &**value);
  }
  template <class T>
  void Value(const Json& json, const Place& place, std::vector<T>* values) {
    if (!json.is_array()) return Fail(place, "is not a list");
    for (size_t i = 0; i < json.size() && status_.ok(); ++i) {
      Value(json[i], {&place, nullptr, i}, &values->emplace_back());
    }
  }
  template <class T>
  void Value(const Json& json, const Place& place, T* value) {
    if constexpr (std::is_enum_v<T> || std::is_pointer_v<T>) {
      std::string name;
      Value(json, place, &name);
      if (!FromJsonName(name, value)) FailName(place, name);
    } else {
      if (!json.is_object()) return Fail(place, "is not an object");
      RecordReader reader(json, &place, &status_);
      VisitMembers(reader, *value);
    }
  }
  void FailName(const Place& place, absl::string_view name);

  const Json& json_;
  const Place* const place_;
  absl::Status& status_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_JSON_H_
