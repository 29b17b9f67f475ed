// Splits lines into words, and words into values.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/protocol/value_words.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"

namespace gguf::readers {
namespace {

// By number.
constexpr ValueType kValueTypes[] = {
    {"u8", 1, ValueKind::kUnsigned},  {"i8", 1, ValueKind::kSigned},
    {"u16", 2, ValueKind::kUnsigned}, {"i16", 2, ValueKind::kSigned},
    {"u32", 4, ValueKind::kUnsigned}, {"i32", 4, ValueKind::kSigned},
    {"f32", 4, ValueKind::kFloat},    {"bool", 1, ValueKind::kBool},
    {"str", 0, ValueKind::kString},   {"arr", 0, ValueKind::kArray},
    {"u64", 8, ValueKind::kUnsigned}, {"i64", 8, ValueKind::kSigned},
    {"f64", 8, ValueKind::kFloat},
};

bool IsHexDigits(absl::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return absl::ascii_isdigit(c) || ('a' <= c && c <= 'f'); });
}

bool IsHex(absl::string_view word) {
  return word == "-" || (!word.empty() && word.size() % 2 == 0 && IsHexDigits(word));
}

// Whether `word` is a number in [low, high], written as StrCat writes it.
template <class Number>
bool IsNumber(absl::string_view word, Number low, Number high) {
  Number number;
  return absl::SimpleAtoi(word, &number) && absl::StrCat(number) == word && low <= number &&
         number <= high;
}

bool IsValueOf(const ValueType& type, absl::string_view word) {
  const int bits = 8 * type.size;
  switch (type.kind) {
    case ValueKind::kUnsigned:
    case ValueKind::kBool:
      return IsNumber<uint64_t>(word, 0, ~uint64_t{0} >> (64 - bits));
    case ValueKind::kSigned: {
      const int64_t high = std::numeric_limits<int64_t>::max() >> (64 - bits);
      return IsNumber<int64_t>(word, -high - 1, high);
    }
    case ValueKind::kFloat:
      return word.size() == size_t{2} * type.size && IsHexDigits(word);
    case ValueKind::kString:
      return IsHex(word);
    case ValueKind::kArray:
      break;
  }
  return false;
}

// Returns the expected form of a scalar's word.
std::string Wanted(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::kFloat:
      return absl::StrCat("its bits as ", 2 * type.size, " lower-case hex digits");
    case ValueKind::kString:
      return "its bytes in lower-case hex, or - for none";
    default:
      return "a decimal number";
  }
}

// Returns the type with this name ("u32"), or null.
const ValueType* FindValueTypeByName(absl::string_view name) {
  for (const ValueType& type : kValueTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace

const ValueType* FindValueType(uint32_t id) {
  return id < std::size(kValueTypes) ? &kValueTypes[id] : nullptr;
}

absl::string_view Words::Next() {
  if (at_end_) return "";
  const size_t space = rest_.find(' ');
  const absl::string_view word = rest_.substr(0, space);
  at_end_ = space == absl::string_view::npos;
  rest_ = at_end_ ? "" : rest_.substr(space + 1);
  return word;
}

bool ParseDecimal(absl::string_view word, uint64_t* number) {
  return absl::SimpleAtoi(word, number) && absl::StrCat(*number) == word;
}

bool ParseHex(absl::string_view word, std::string* bytes) {
  if (!IsHex(word)) return false;
  *bytes = word == "-" ? "" : *BytesFromHex(word);
  return true;
}

ValueWords::Step ValueWords::Bad(std::string why) {
  why_ = std::move(why);
  return kBad;
}

ValueWords::Step ValueWords::Scalar(const ValueType& type) {
  if (words_.at_end()) {
    return Bad(absl::StrCat("the line ends where a ", type.name, " was expected"));
  }
  type_ = &type;
  word_ = words_.Next();
  if (IsValueOf(type, word_)) return kScalar;
  return Bad(
      absl::StrCat(Quote(word_), " is not a valid ", type.name, ": expected ", Wanted(type)));
}

ValueWords::Step ValueWords::Open() {
  const absl::string_view name = words_.Next();
  type_ = FindValueTypeByName(name);
  if (type_ == nullptr) {
    return Bad(absl::StrCat(Quote(name), " is not an element type"));
  }
  const absl::string_view count = words_.Next();
  if (!ParseDecimal(count, &length_)) {
    return Bad(absl::StrCat(Quote(count), " is not a number of elements"));
  }
  open_.push_back({type_, length_, 0});
  return kArray;
}

ValueWords::Step ValueWords::Next() {
  if (!begun_) {
    begun_ = true;
    const absl::string_view name = words_.Next();
    const ValueType* const type = FindValueTypeByName(name);
    if (type == nullptr) {
      return Bad(absl::StrCat(Quote(name), " is not a value type"));
    }
    return type->kind == ValueKind::kArray ? Open() : Scalar(*type);
  }
  while (!open_.empty() && open_.back().next == open_.back().length) {
    open_.pop_back();
  }
  if (open_.empty()) {
    if (words_.at_end()) return kEnd;
    return Bad(absl::StrCat("unexpected text after the value: ", Quote(words_.rest())));
  }
  const ValueType& type = *open_.back().type;
  ++open_.back().next;
  return type.kind == ValueKind::kArray ? Open() : Scalar(type);
}

std::string ValueWords::Place() const {
  std::string place;
  for (const Level& level : open_) {
    if (level.next > 0) absl::StrAppend(&place, "[", level.next - 1, "]");
  }
  return place;
}

}  // namespace gguf::readers
