// ValueWords: parses a metadata value in the syntax of the protocol.
//
//   VALUE := TYPE SCALAR | "arr" ARRAY
//   ARRAY := TYPE COUNT SCALAR... | "arr" COUNT ARRAY...
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROTOCOL_VALUE_WORDS_H_
#define GGUF_CONFORMANCE_READERS_PROTOCOL_VALUE_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::readers {

enum class ValueKind { kUnsigned, kSigned, kFloat, kBool, kString, kArray };

// A type of metadata values, as the protocol spells it.
struct ValueType {
  const char* name;
  int size;  // Bytes of a value; 0 if values vary in size.
  ValueKind kind;
};

// Returns the type with this number in GGUF files, or null.
const ValueType* FindValueType(uint32_t id);

// Splits a line into words, which are separated by one space.  Any other
// separator gives empty or wrong words.
class Words {
 public:
  explicit Words(absl::string_view line) : rest_(line) {}
  bool at_end() const { return at_end_; }
  absl::string_view Next();  // Empty at the end.
  absl::string_view rest() { return rest_; }

 private:
  absl::string_view rest_;
  bool at_end_ = false;
};

// Parse a decimal number without sign or leading zeros, and bytes in lower-case
// hex or "-" for none.  Return false if the word is malformed.
bool ParseDecimal(absl::string_view word, uint64_t* number);
bool ParseHex(absl::string_view word, std::string* bytes);

// Walks over the scalars and arrays of one value.
class ValueWords {
 public:
  explicit ValueWords(absl::string_view value) : words_(value) {}

  enum Step { kScalar, kArray, kEnd, kBad };

  // Moves to the next scalar, or to the beginning of the next array.  kBad: the
  // text is malformed, see why().  Memory grows only with the nesting depth.
  Step Next();

  // The type of the current scalar, or of the elements of the current array.
  const ValueType& type() const { return *type_; }
  absl::string_view word() const { return word_; }  // Of a scalar.
  uint64_t length() const { return length_; }       // Of an array.
  const std::string& why() const { return why_; }

  // Returns the position within the value: "", "[3]", "[1][0]".
  std::string Place() const;

 private:
  struct Level {
    const ValueType* type;
    uint64_t length;
    uint64_t next;  // Index of the next element.
  };

  Step Bad(std::string why);
  Step Scalar(const ValueType& type);
  Step Open();

  Words words_;
  std::vector<Level> open_;
  bool begun_ = false;
  const ValueType* type_ = nullptr;
  absl::string_view word_;
  uint64_t length_ = 0;
  std::string why_;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_VALUE_WORDS_H_
