// Bytes, byte ranges of a file, and values that remember their range.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_BYTES_H_
#define GGUF_PARSER_CORE_BYTES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

// A view of untrusted bytes; the owner outlives the view.
using Bytes = absl::Span<const uint8_t>;

inline Bytes AsBytes(absl::string_view text) {
  return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

inline absl::string_view AsText(Bytes bytes) {
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The bytes [begin, end) of a file; offsets count from its first byte.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
};

// A value and its position in the file.  The range of a string includes its
// length prefix, where the field begins.
template <class T>
struct Field {
  T value{};
  Range where;
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_BYTES_H_
