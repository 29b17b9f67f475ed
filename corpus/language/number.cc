// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace gguf::corpus {
namespace {

constexpr absl::int128 kTwo64 = absl::int128(1) << 64;

// A term of a sum.
std::optional<absl::int128> ReadTerm(absl::string_view term) {
  if (term.substr(0, 2) == "0x") return ReadDigits(term.substr(2), 16);
  const size_t power = term.find('^');
  if (power == absl::string_view::npos) return ReadDigits(term, 10);
  const auto base = ReadDigits(term.substr(0, power), 10);
  const auto exponent = ReadDigits(term.substr(power + 1), 10);
  if (!base || !exponent || *base > 1000 || *exponent > 64) return std::nullopt;
  absl::int128 value = 1;
  for (uint64_t i = 0; i < *exponent; ++i) {
    value *= *base;
    if (value > kTwo64) return std::nullopt;
  }
  return value;
}

bool IsSigned(const ScalarType& type) { return type.name[0] == 'i'; }

// A float format with fewer bits than a double.
struct Format {
  int exponent_bits;
  int mantissa_bits;
};

Format FormatOf(const ScalarType& type) {
  if (type.bytes == 8) return {11, 52};
  if (type.bytes == 4) return {8, 23};
  return type.name[0] == 'b' ? Format{8, 7} : Format{5, 10};
}

uint64_t Infinity(Format format) {
  return ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
}

// Rounds to the nearest, ties to even; values too large become infinite.
uint64_t EncodeFloat(double value, Format format) {
  const int max_exponent = (1 << format.exponent_bits) - 1;
  const int bias = max_exponent / 2;
  const uint64_t sign = uint64_t{std::signbit(value)}
                        << (format.exponent_bits + format.mantissa_bits);
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent).
  exponent = std::max(exponent - 1, 1 - bias);
  // An integer, up to rounding; the carry of a mantissa moves into the
  // exponent.
  const double scaled =
      std::nearbyint(std::ldexp(std::fabs(value), format.mantissa_bits - exponent));
  const uint64_t bits = static_cast<uint64_t>(scaled) +
                        (static_cast<uint64_t>(exponent + bias - 1) << format.mantissa_bits);
  return sign | std::min(bits, Infinity(format));
}

double DecodeFloat(uint64_t bits, Format format) {
  const int max_exponent = (1 << format.exponent_bits) - 1;
  const uint64_t mantissa = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> format.mantissa_bits) & max_exponent;
  const bool negative = bits >> (format.exponent_bits + format.mantissa_bits);
  double value = 0;
  if (exponent == max_exponent) {
    value = mantissa == 0 ? HUGE_VAL : std::nan("");
  } else {
    const uint64_t hidden = exponent == 0 ? 0 : uint64_t{1} << format.mantissa_bits;
    value = std::ldexp(static_cast<double>(mantissa | hidden),
                       std::max(exponent, 1) - max_exponent / 2 - format.mantissa_bits);
  }
  return negative ? -value : value;
}

std::optional<uint64_t> ReadFloat(absl::string_view word, const ScalarType& type) {
  const Format format = FormatOf(type);
  const uint64_t sign = uint64_t{1} << (type.bytes * 8 - 1);
  const uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  if (word == "nan") return Infinity(format) | quiet;
  if (word == "inf") return Infinity(format);
  if (word == "-inf") return Infinity(format) | sign;
  if (word.empty() || !(absl::ascii_isdigit(word[0]) || word[0] == '-' || word[0] == '.')) {
    return std::nullopt;
  }
  if (type.bytes == 4) {  // Not through a double: that would round twice.
    float value = 0;
    uint32_t bits = 0;
    if (!absl::SimpleAtof(word, &value) || !std::isfinite(value)) {
      return std::nullopt;
    }
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  double value = 0;
  if (!absl::SimpleAtod(word, &value) || !std::isfinite(value)) {
    return std::nullopt;
  }
  const uint64_t bits = EncodeFloat(value, format);
  if ((bits & ~sign) == Infinity(format)) return std::nullopt;
  return bits;
}

}  // namespace

std::optional<uint64_t> ReadDigits(absl::string_view digits, int base) {
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<absl::int128> ReadInteger(absl::string_view word) {
  absl::int128 sum = 0;
  bool negative = absl::ConsumePrefix(&word, "-");
  while (true) {
    const size_t end = std::min(word.find_first_of("+-"), word.size());
    const auto term = ReadTerm(word.substr(0, end));
    if (!term) return std::nullopt;
    sum += negative ? -*term : *term;
    if (sum < -kTwo64 || sum > kTwo64) return std::nullopt;
    if (end == word.size()) break;
    negative = word[end] == '-';
    word.remove_prefix(end + 1);
  }
  if (sum < -(kTwo64 >> 1) || sum >= kTwo64) return std::nullopt;
  return sum;
}

std::optional<uint64_t> Encode(absl::int128 number, int bytes) {
  const absl::int128 end = absl::int128(1) << (8 * bytes);
  if (number >= end || number < -(end >> 1)) return std::nullopt;
  return absl::Uint128Low64(absl::uint128(number < 0 ? number + end : number));
}

std::optional<uint64_t> ReadScalar(absl::string_view word, const ScalarType& type) {
  if (type.is_float && word.substr(0, 2) != "0x") return ReadFloat(word, type);
  const auto number = ReadInteger(word);
  const absl::int128 end = absl::int128(1) << (8 * type.bytes - (IsSigned(type) ? 1 : 0));
  if (!number || *number >= end || *number < (IsSigned(type) ? -end : 0)) {
    return std::nullopt;
  }
  return Encode(*number, type.bytes);
}

std::string PrintScalar(uint64_t bits, const ScalarType& type) {
  if (!type.is_float) {
    if (!IsSigned(type)) return absl::StrCat(bits);
    const int unused = 64 - 8 * type.bytes;
    return absl::StrCat(static_cast<int64_t>(bits << unused) >> unused);
  }
  const Format format = FormatOf(type);
  const double value = DecodeFloat(bits, format);
  std::string word = "nan";
  if (!std::isnan(value)) {
    char buffer[32];
    const auto result =
        type.bytes == 4 ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value))
                        : std::to_chars(buffer, buffer + sizeof buffer, value);
    word.assign(buffer, result.ptr);
  }
  if (ReadFloat(word, type) == bits) return word;
  return absl::StrFormat("0x%0*x", 2 * type.bytes, bits);
}

std::string PrintInteger(uint64_t number) {
  constexpr int64_t kNear = 2;
  for (int power = 31; power <= 64; ++power) {
    const absl::int128 distance = absl::int128(number) - (absl::int128(1) << power);
    if (distance < -kNear || distance > kNear) continue;
    const auto near = static_cast<int64_t>(distance);
    return absl::StrCat("2^", power, near > 0 ? "+" : "", near == 0 ? "" : absl::StrCat(near));
  }
  return absl::StrCat(number);
}

}  // namespace gguf::corpus
