// Compares numbers one by one, and strings in the order of the array.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/values.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/model/text_match.h"
#include "parser/value.h"

namespace gguf {
namespace {

// A number, or nothing that can be compared as one.
struct Number {
  enum Kind { kInteger, kFloat, kBool } kind = kInteger;
  bool is_negative = false;  // Of an integer.
  uint64_t integer = 0;      // Its bits.
  double real = 0;

  friend bool operator==(const Number& a, const Number& b) {
    if ((a.kind == kBool) != (b.kind == kBool)) return false;
    if (a.kind != kFloat && b.kind != kFloat) {
      return a.integer == b.integer && a.is_negative == b.is_negative;
    }
    return a.AsF32() == b.AsF32() || (std::isnan(a.AsF32()) && std::isnan(b.AsF32()));
  }

  float AsF32() const {
    if (kind == kFloat) return static_cast<float>(real);
    return is_negative ? static_cast<float>(static_cast<int64_t>(integer))
                       : static_cast<float>(integer);
  }

  Arg::Value Shown() const {
    if (kind == kFloat) return Trusted{absl::StrCat(AsF32())};
    if (kind == kBool) return Trusted{integer != 0 ? "true" : "false"};
    if (is_negative) return static_cast<int64_t>(integer);
    return integer;
  }
};

Number FromInteger(int64_t value) {
  return {Number::kInteger, value < 0, static_cast<uint64_t>(value), 0};
}
Number FromReal(double value) { return {Number::kFloat, false, 0, value}; }
Number FromBool(bool value) { return {Number::kBool, false, value, 0}; }

uint64_t LoadBits(const uint8_t* at, uint32_t size, Endian endian) {
  switch (size) {
    case 1:
      return *at;
    case 2:
      return LoadUnsigned<uint16_t>(at, endian);
    case 4:
      return LoadUnsigned<uint32_t>(at, endian);
    default:
      return LoadUnsigned<uint64_t>(at, endian);
  }
}

Number Load(const ValueTypeInfo& type, const uint8_t* at, Endian endian) {
  const uint64_t bits = LoadBits(at, type.size, endian);
  const int unused = 64 - 8 * static_cast<int>(type.size);
  switch (type.kind) {
    case ValueKind::kSigned:
      return FromInteger(static_cast<int64_t>(bits << unused) >> unused);
    case ValueKind::kFloat:
      return FromReal(type.size == 4 ? FloatFromBits(static_cast<uint32_t>(bits))
                                     : DoubleFromBits(bits));
    case ValueKind::kBool:
      return FromBool(bits != 0);
    default:
      return {Number::kInteger, false, bits, 0};
  }
}

// The type of a value, or of an array's elements.
const ValueTypeInfo& TypeOf(const KeyValue& kv) {
  return kv.element_type != nullptr ? *kv.element_type : *kv.type;
}
bool IsArray(const KeyValue& kv) { return kv.element_type != nullptr; }
bool IsNumeric(const KeyValue& kv) { return TypeOf(kv).size > 0; }
uint64_t CountOf(const KeyValue& kv) { return IsArray(kv) ? kv.length : 1; }

// Returns the bytes of the numbers of a value.
Bytes NumbersOf(const File& file, const KeyValue& kv) {
  const uint64_t size = CountOf(kv) * TypeOf(kv).size;
  return file.At({kv.value.end - size, kv.value.end});
}

std::string TypeWords(const KeyValue& kv) {
  return IsArray(kv) ? absl::StrCat("an array of ", TypeOf(kv).name) : TypeOf(kv).name;
}

ValueDifference OfTypes(const KeyValue& kv, std::string wanted) {
  ValueDifference difference;
  difference.kind = ValueDifference::kType;
  difference.found = Trusted{TypeWords(kv)};
  difference.wanted = Trusted{std::move(wanted)};
  return difference;
}

ValueDifference OfElements(bool is_array, uint64_t element, Arg::Value found, Arg::Value wanted) {
  return {is_array ? ValueDifference::kElement : ValueDifference::kValue, element, std::move(found),
          std::move(wanted)};
}

ValueDifference OfLengths(uint64_t found, uint64_t wanted) {
  return {ValueDifference::kLength, 0, found, wanted};
}

// Compares numbers with those that `wanted` returns by index, or does not.
template <class Function>
std::optional<ValueDifference> CompareNumbers(const File& file, const KeyValue& kv,
                                              Function wanted) {
  const Bytes numbers = NumbersOf(file, kv);
  const ValueTypeInfo& type = TypeOf(kv);
  for (uint64_t i = 0; i < numbers.size() / type.size; ++i) {
    const Number found = Load(type, numbers.data() + i * type.size, file.encoding.endian);
    const std::optional<Number> other = wanted(i);
    if (!other || found == *other) continue;
    return OfElements(IsArray(kv), i, found.Shown(), other->Shown());
  }
  return std::nullopt;
}

// Compares strings with those that `wanted` returns by index, or does not.
template <class Function>
std::optional<ValueDifference> CompareStrings(const File& file, const KeyValue& kv,
                                              Function wanted) {
  std::optional<uint64_t> element;
  absl::string_view found, expected;
  uint64_t i = 0;
  ForEachString(file, kv, [&](absl::string_view text, Range, uint64_t) {
    const std::optional<absl::string_view> other = wanted(i);
    if (!element && other && text != *other) {
      element = i;
      found = text;
      expected = *other;
    }
    ++i;
  });
  if (!element) return std::nullopt;
  return OfElements(IsArray(kv), *element, found, expected);
}

// Returns whether both files store equal values in equal bytes.
bool HaveSameLayout(const File& a, const KeyValue& a_kv, const File& b, const KeyValue& b_kv) {
  return a_kv.type == b_kv.type && a_kv.element_type == b_kv.element_type &&
         a.encoding.endian == b.encoding.endian &&
         a.encoding.length_bytes == b.encoding.length_bytes;
}

// Returns whether a token only makes up the number: "[PAD7]", in WordPiece with
// the mark of a word, or "<dummy00007>" of the first converters.
bool IsPadding(absl::string_view text) {
  absl::ConsumePrefix(&text, "\u2581");
  const bool is_padding = (absl::ConsumePrefix(&text, "[PAD") && absl::ConsumeSuffix(&text, "]")) ||
                          (absl::ConsumePrefix(&text, "<dummy") && absl::ConsumeSuffix(&text, ">"));
  return is_padding && !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

template <class T>
constexpr bool kIsText = std::is_same_v<T, std::string>;

Number AsNumber(int64_t value) { return FromInteger(value); }
Number AsNumber(double value) { return FromReal(value); }
Number AsNumber(bool value) { return FromBool(value); }

template <class T>
std::optional<ValueDifference> CompareWith(const File& file, const KeyValue& kv, const T& wanted) {
  if constexpr (kIsText<T>) {
    if (IsArray(kv) || kv.type->kind != ValueKind::kString) {
      return OfTypes(kv, "a string");
    }
    return CompareStrings(file, kv,
                          [&](uint64_t) { return std::optional<absl::string_view>(wanted); });
  } else {
    if (IsArray(kv) || !IsNumeric(kv)) return OfTypes(kv, "a number");
    return CompareNumbers(file, kv,
                          [&](uint64_t) { return std::optional<Number>(AsNumber(wanted)); });
  }
}

template <class T>
std::optional<ValueDifference> CompareWith(const File& file, const KeyValue& kv,
                                           const std::vector<T>& wanted) {
  const bool is_text = kIsText<T>;
  if (!IsArray(kv) || kv.depth > 1 || IsNumeric(kv) == is_text) {
    return OfTypes(kv, is_text ? "an array of strings" : "an array of numbers");
  }
  if (kv.length != wanted.size()) {
    return OfLengths(kv.length, wanted.size());
  }
  if constexpr (kIsText<T>) {
    return CompareStrings(file, kv, [&](uint64_t i) -> std::optional<absl::string_view> {
      if (i >= wanted.size()) return std::nullopt;
      return wanted[i];
    });
  } else {
    return CompareNumbers(file, kv, [&](uint64_t i) -> std::optional<Number> {
      if (i >= wanted.size()) return std::nullopt;
      return AsNumber(wanted[i]);
    });
  }
}

}  // namespace

CompareGroup GroupOf(absl::string_view key, absl::string_view architecture) {
  for (const ComparedKeyRow& row : kComparedKeys) {
    absl::string_view pattern = row.pattern;
    if (absl::ConsumePrefix(&pattern, "{arch}")) {
      // The architecture is text from a file, not a part of the glob.
      absl::string_view rest = key;
      if (!architecture.empty() && absl::ConsumePrefix(&rest, architecture) &&
          MatchesGlob(rest, std::string(pattern))) {
        return row.group;
      }
    } else if (MatchesGlob(key, std::string(pattern))) {
      return row.group;
    }
  }
  return CompareGroup::kFree;
}

std::optional<ValueDifference> CompareValues(const File& file, const KeyValue& kv,
                                             const File& other, const KeyValue& other_kv) {
  const bool same_layout = HaveSameLayout(file, kv, other, other_kv);
  if (same_layout && file.At(kv.value) == other.At(other_kv.value)) {
    return std::nullopt;
  }
  const bool comparable = IsArray(kv) == IsArray(other_kv) &&
                          IsNumeric(kv) == IsNumeric(other_kv) && kv.depth == other_kv.depth;
  if (!comparable) return OfTypes(kv, TypeWords(other_kv));
  if (CountOf(kv) != CountOf(other_kv)) {
    return OfLengths(CountOf(kv), CountOf(other_kv));
  }
  if (IsNumeric(kv)) {
    const Bytes numbers = NumbersOf(other, other_kv);
    const ValueTypeInfo& type = TypeOf(other_kv);
    return CompareNumbers(file, kv, [&](uint64_t i) -> std::optional<Number> {
      if ((i + 1) * type.size > numbers.size()) return std::nullopt;
      return Load(type, numbers.data() + i * type.size, other.encoding.endian);
    });
  }
  if (kv.depth > 1 || TypeOf(kv).kind != TypeOf(other_kv).kind) {
    return OfTypes(kv, absl::StrCat(TypeWords(other_kv), " with other values"));
  }
  std::vector<absl::string_view> wanted;
  ForEachString(other, other_kv,
                [&](absl::string_view text, Range, uint64_t) { wanted.push_back(text); });
  return CompareStrings(file, kv, [&](uint64_t i) -> std::optional<absl::string_view> {
    if (i >= wanted.size()) return std::nullopt;
    return wanted[i];
  });
}

std::optional<ValueDifference> CompareValues(const File& file, const KeyValue& kv,
                                             const SourceValue& wanted) {
  return std::visit([&](const auto& value) { return CompareWith(file, kv, value); }, wanted);
}

Arg::Value ShownValue(const File& file, const KeyValue& kv) {
  if (IsArray(kv)) return Trusted{absl::StrCat("an array of length ", kv.length)};
  if (const auto text = file.String(kv)) return *text;
  return Load(*kv.type, NumbersOf(file, kv).data(), file.encoding.endian).Shown();
}

Arg::Value ShownValue(const SourceValue& value) {
  return std::visit(
      [](const auto& shown) -> Arg::Value {
        using Type = std::decay_t<decltype(shown)>;
        if constexpr (kIsText<Type>) return absl::string_view(shown);
        if constexpr (std::is_arithmetic_v<Type>) return AsNumber(shown).Shown();
        if constexpr (!std::is_arithmetic_v<Type>) {
          return Trusted{absl::StrCat("an array of length ", shown.size())};
        }
      },
      value);
}

std::optional<ValueDifference> CompareTokens(const File& file, const KeyValue& kv,
                                             const SourceTokens& wanted) {
  if (!IsArray(kv) || kv.depth > 1 || IsNumeric(kv)) {
    return OfTypes(kv, "an array of strings");
  }
  const uint64_t most = wanted.most.value_or(kv.length);
  if (kv.length < wanted.least || kv.length > most) {
    const bool is_exact = wanted.most && wanted.least == most;
    const std::string limit = kv.length < wanted.least ? absl::StrCat("at least ", wanted.least)
                                                       : absl::StrCat("at most ", most);
    ValueDifference difference = OfLengths(kv.length, wanted.least);
    if (!is_exact) difference.wanted = Trusted{limit};
    return difference;
  }
  std::optional<ValueDifference> difference;
  uint64_t i = 0;
  ForEachString(file, kv, [&](absl::string_view text, Range, uint64_t) {
    const uint64_t id = i++;
    if (difference) return;
    if (id >= wanted.texts.size()) {
      if (IsPadding(text)) return;
      const Trusted padding = {absl::StrCat("[PAD", id, "]")};
      difference = OfElements(/*is_array=*/true, id, text, padding);
      return;
    }
    const std::string& expected = wanted.texts[id];
    if (text == expected || (IsPadding(text) && IsPadding(expected))) return;
    const auto older = wanted.older.find(id);
    if (older != wanted.older.end() && text == older->second) return;
    difference = OfElements(/*is_array=*/true, id, text, absl::string_view(expected));
  });
  return difference;
}

}  // namespace gguf
