// Searches of bytes at the speed of memory: for zeros, and for a text.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_BYTE_SCAN_H_
#define GGUF_KERNELS_BYTE_SCAN_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"

namespace gguf {

// Returns whether all bytes are zero.
bool IsZero(Bytes bytes);

// Return how many bytes are zero at the beginning, and at the end.
size_t CountLeadingZeros(Bytes bytes);
size_t CountTrailingZeros(Bytes bytes);

// Returns where `text`, of at least four bytes, first occurs; bytes.size() if nowhere.
size_t FindText(Bytes bytes, absl::string_view text);

}  // namespace gguf

#endif  // GGUF_KERNELS_BYTE_SCAN_H_
