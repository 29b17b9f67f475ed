// HeaderInput: a GGUF file of which only the beginning has arrived.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_HEADER_INPUT_H_
#define GGUF_CLI_HEADER_INPUT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "cli/byte_source.h"
#include "parser/bytes.h"
#include "parser/limits.h"

namespace gguf {

class HeaderInput {
 public:
  // Reads until the header, the keys and the tensor table are there, or until
  // it is clear that they never can be read: then the file is wrong, which is
  // for a check to say.  `size` is that of the whole file, for sources that do
  // not know it; where both say one, they must agree.
  //
  // Errors: the source's; InvalidArgument when nobody says a size;
  // Unavailable when the source ends too early; Unimplemented for an ancestor
  // of GGUF, whose table lies scattered over the file.
  static absl::StatusOr<HeaderInput> Read(ByteSource* source,
                                          std::optional<uint64_t> size,
                                          const Limits& limits);

  HeaderInput(HeaderInput&& other) noexcept;
  HeaderInput& operator=(HeaderInput&& other) = delete;
  ~HeaderInput();

  // As many as the file has; those that were not read are zeros.  They take no
  // memory.
  Bytes bytes() const { return Bytes(map_, size_); }

  // How many were read.  With this as Limits::metadata_bytes, no zero is taken
  // for the file's.
  uint64_t present() const { return present_; }

 private:
  HeaderInput() = default;
  absl::Status Map(uint64_t size);
  absl::Status Append(absl::string_view prefix);

  uint8_t* map_ = nullptr;
  uint64_t size_ = 0;
  uint64_t present_ = 0;
};

}  // namespace gguf

#endif  // GGUF_CLI_HEADER_INPUT_H_
