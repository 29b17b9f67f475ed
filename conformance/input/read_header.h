// ReadHeader: as much of the beginning of a GGUF file as its tables take.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_READ_HEADER_H_
#define GGUF_CONFORMANCE_INPUT_READ_HEADER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "conformance/input/byte_source.h"
#include "parser/core/limits.h"

namespace gguf {

struct FileHeader {
  std::string prefix;  // Of the file, or all of it.
  uint64_t size;       // Of the file.
};

// Reads until the header, the keys and the tensor table are there, or until
// it is clear that they never can be read: then the file is wrong, which is
// for a check to report.  `size` is that of the whole file, for sources that do
// not know it; where both know one, they must agree.
//
// Errors: the source's; InvalidArgument when no size is known; Unavailable when
// the source ends too early; Unimplemented for a legacy format, whose table
// lies scattered over the file.
absl::StatusOr<FileHeader> ReadHeader(ByteSource* source,
                                      std::optional<uint64_t> size,
                                      const Limits& limits);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_READ_HEADER_H_
