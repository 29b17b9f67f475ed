// ValueWords: reads the words of a metadata value as the protocol writes it.
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
#include "parser/core/value_type.h"

namespace gguf::readers {

// Takes the words of a line one by one.  Between two there is one space; what
// else stands there makes words empty or wrong.
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

// Numbers and bytes as words: decimal without sign or leading zeros; lower-case
// hex, "-" for none.  False when the word is none.
bool ParseDecimal(absl::string_view word, uint64_t* number);
bool ParseHex(absl::string_view word, std::string* bytes);
bool IsHex(absl::string_view word);

// The type of this name ("u32"), or null.
const ValueTypeInfo* FindValueTypeByName(absl::string_view name);

class ValueWords {
 public:
  explicit ValueWords(absl::string_view value) : words_(value) {}

  enum Step { kScalar, kArray, kEnd, kBad };

  // Goes to the next scalar, or to the beginning of the next array.  kBad: the
  // text is no value, and why() says why.  Memory grows with the nesting only.
  Step Next();

  // Of the step: a scalar's type, or that of the array's elements.
  const ValueTypeInfo& type() const { return *type_; }
  absl::string_view word() const { return word_; }  // Of a scalar.
  uint64_t length() const { return length_; }       // Of an array.
  const std::string& why() const { return why_; }

  // Where that is in the value: "", "[3]", "[1][0]".
  std::string Place() const;

 private:
  struct Level {
    const ValueTypeInfo* type;
    uint64_t length;
    uint64_t next;  // Index of the element to be read.
  };

  Step Bad(std::string why);
  Step Scalar(const ValueTypeInfo& type);
  Step Open();

  Words words_;
  std::vector<Level> open_;
  bool begun_ = false;
  const ValueTypeInfo* type_ = nullptr;
  absl::string_view word_;
  uint64_t length_ = 0;
  std::string why_;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_VALUE_WORDS_H_
