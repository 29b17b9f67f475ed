// Searches of bytes at the speed of memory: for zeros, and for a text.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_BYTE_SCAN_H_
#define GGUF_KERNELS_BYTE_SCAN_H_

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"

namespace gguf {

// Returns whether all bytes are zero.
bool IsZero(Bytes bytes);

// Return how many bytes are zero at the beginning, and at the end.
size_t CountLeadingZeros(Bytes bytes);
size_t CountTrailingZeros(Bytes bytes);

// Searches for one text.  The longer it is, the fewer bytes are read.
class TextFinder {
 public:
  // `text` has at least 16 bytes, and outlives the object.
  explicit TextFinder(absl::string_view text);

  absl::string_view text() const { return text_; }

  // Returns where the text first occurs; bytes.size() if nowhere.
  size_t Find(Bytes bytes) const;

 private:
  static constexpr size_t kWord = sizeof(uint64_t);
  static constexpr int kBits = 12;

  static size_t Place(const uint8_t* at);

  absl::string_view text_;
  // Wherever the text stands, it covers a word at a multiple of this.
  size_t step_;
  // The places of all words of the text; other words may share them.
  std::bitset<1 << kBits> words_;
};

}  // namespace gguf

#endif  // GGUF_KERNELS_BYTE_SCAN_H_
