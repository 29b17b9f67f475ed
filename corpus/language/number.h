// Numbers of the case language: parsing and printing.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_NUMBER_H_
#define GGUF_CORPUS_LANGUAGE_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "corpus/language/types.h"

namespace gguf::corpus {

// Parses digits of a base, and nothing else.
std::optional<uint64_t> ReadDigits(absl::string_view digits, int base);

// Parses "12", "-1", "0xff", "2^64-1": between -2^63 and 2^64-1.
std::optional<absl::int128> ReadInteger(absl::string_view word);

// Returns the two's complement of a number, if it fits into so many bytes.
std::optional<uint64_t> Encode(absl::int128 number, int bytes);

// Returns the bits of a scalar: an integer in the range of the type; for floats
// a decimal number, rounded to the nearest finite one, "nan", "inf", "-inf", or
// the bits as "0x...".
std::optional<uint64_t> ReadScalar(absl::string_view word, const ScalarType& type);

// Returns the shortest word that parses to these bits.
std::string PrintScalar(uint64_t bits, const ScalarType& type);

// Prints large powers of two and their neighbours as "2^63-1".
std::string PrintInteger(uint64_t number);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_NUMBER_H_
