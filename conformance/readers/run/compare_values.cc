// Compares values word by word.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/compare_values.h"

#include <cmath>

#include "absl/base/casts.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/readers/protocol/value_words.h"
#include "parser/core/quote.h"
#include "parser/core/utf8.h"

namespace gguf::readers {
namespace {

using Step = ValueWords::Step;

// Parses the bits of a float of either size, in hex.
double FloatOf(const ValueType& type, absl::string_view word) {
  uint64_t bits = 0;
  if (!absl::SimpleHexAtoi(word, &bits))
    return 0;  // Cannot fail: checked before.
  return type.size == 4 ? absl::bit_cast<float>(static_cast<uint32_t>(bits))
                        : absl::bit_cast<double>(bits);
}

// Returns an integer that fits u64 or i64 in decimal, otherwise an empty
// string.
std::string WholeNumber(double number) {
  if (number != std::floor(number)) return "";
  if (number >= 0 && number < 0x1p64) {
    return absl::StrCat(static_cast<uint64_t>(number));
  }
  if (number < 0 && number >= -0x1p63) {
    return absl::StrCat(static_cast<int64_t>(number));
  }
  return "";
}

bool IsInteger(const ValueType& type) {
  return type.kind == ValueKind::kUnsigned || type.kind == ValueKind::kSigned;
}

// Numbers of different types are equal if they are exactly the same number.
bool EqualNumbers(const ValueWords& a, const ValueWords& b, const Caps& caps) {
  const bool a_is_float = a.type().kind == ValueKind::kFloat;
  const bool b_is_float = b.type().kind == ValueKind::kFloat;
  if (IsInteger(a.type()) && IsInteger(b.type())) return a.word() == b.word();
  if (a_is_float && b_is_float) {
    const double x = FloatOf(a.type(), a.word());
    const double y = FloatOf(b.type(), b.word());
    if (std::isnan(x) || std::isnan(y)) {
      return caps.nan_canon && std::isnan(x) && std::isnan(y);
    }
    return x == y && std::signbit(x) == std::signbit(y);
  }
  if (a_is_float && IsInteger(b.type())) {
    return WholeNumber(FloatOf(a.type(), a.word())) == b.word();
  }
  if (b_is_float && IsInteger(a.type())) return EqualNumbers(b, a, caps);
  return false;
}

bool EqualScalars(const ValueWords& a, const ValueWords& b, const Caps& caps) {
  if (&a.type() != &b.type()) return caps.untyped && EqualNumbers(a, b, caps);
  if (a.word() == b.word()) return true;
  switch (a.type().kind) {
    case ValueKind::kFloat:
      return caps.nan_canon && std::isnan(FloatOf(a.type(), a.word())) &&
             std::isnan(FloatOf(b.type(), b.word()));
    case ValueKind::kString: {
      std::string a_text, b_text;
      return caps.lossy_utf8 && ParseHex(a.word(), &a_text) &&
             ParseHex(b.word(), &b_text) &&
             ComparedText(a_text, caps) == ComparedText(b_text, caps);
    }
    default:
      return false;
  }
}

bool EqualArrays(const ValueWords& a, const ValueWords& b, const Caps& caps) {
  return a.length() == b.length() && (caps.untyped || &a.type() == &b.type());
}

std::string ShowStep(Step step, const ValueWords& at) {
  switch (step) {
    case ValueWords::kArray:
      return absl::StrCat("arr ", at.type().name, " of ", at.length());
    case ValueWords::kScalar:
      break;
    case ValueWords::kEnd:
    case ValueWords::kBad:
      return "no value";
  }
  std::string text;
  if (at.type().kind == ValueKind::kString && ParseHex(at.word(), &text)) {
    return absl::StrCat(at.type().name, " ", Quote(text));
  }
  if (at.type().kind == ValueKind::kFloat) {
    return absl::StrFormat("%s %s (%.17g)", at.type().name,
                           std::string(at.word()),
                           FloatOf(at.type(), at.word()));
  }
  return absl::StrCat(at.type().name, " ", at.word());
}

bool Equal(Step a_step, const ValueWords& a, Step b_step, const ValueWords& b,
           const Caps& caps) {
  if (a_step != b_step || a_step == ValueWords::kBad) return false;
  if (a_step == ValueWords::kScalar) return EqualScalars(a, b, caps);
  return EqualArrays(a, b, caps);
}

}  // namespace

std::optional<Difference> CompareValues(absl::string_view expected,
                                        absl::string_view observed,
                                        const Caps& caps) {
  if (expected == observed) return std::nullopt;
  ValueWords a(expected), b(observed);
  for (;;) {
    const Step a_step = a.Next();
    const Step b_step = b.Next();
    if (a_step == ValueWords::kEnd && b_step == ValueWords::kEnd) {
      return std::nullopt;
    }
    if (!Equal(a_step, a, b_step, b, caps)) {
      return Difference{a.Place(), ShowStep(a_step, a), ShowStep(b_step, b)};
    }
  }
}

std::string ShowValue(absl::string_view value) {
  ValueWords words(value);
  const Step step = words.Next();
  return ShowStep(step, words);
}

std::string ComparedText(absl::string_view text, const Caps& caps) {
  constexpr char kReplacement[] = "\xEF\xBF\xBD";
  if (!caps.lossy_utf8) return std::string(text);
  std::string compared;
  bool in_run = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code_point = NextCodePoint(text, &at);
    const bool lost = code_point == kBadCodePoint || code_point == 0xFFFD;
    if (!lost) absl::StrAppend(&compared, text.substr(begin, at - begin));
    if (lost && !in_run) compared += kReplacement;
    in_run = lost;
  }
  return compared;
}

bool IsNanBits(uint32_t bits) {
  return std::isnan(absl::bit_cast<float>(bits));
}

std::string ShowFloatBits(uint32_t bits) {
  return absl::StrFormat("%08x (%.9g)", bits, absl::bit_cast<float>(bits));
}

}  // namespace gguf::readers
