// Source: a file to read, with those of its bytes that are available.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_SOURCE_H_
#define GGUF_PARSER_CORE_SOURCE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "parser/core/bytes.h"

namespace gguf {

// Reads the data of a file that is not in memory.
class DataReader {
 public:
  virtual ~DataReader() = default;

  // Copies the bytes [offset, offset + size) of the file.  Bytes that cannot be
  // read become zeros; whoever made the reader must ask it whether that
  // happened.  May be called from several threads.
  virtual void Read(uint64_t offset, uint8_t* to, size_t size) const = 0;
};

// Refers to bytes and a name, which outlive it and everything made from it.
struct Source {
  // A whole file.  Implicit, so that plain bytes can stand for one.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Source(Bytes whole, absl::string_view the_name = "")
      : prefix(whole), size(whole.size()), name(the_name) {}
  // The beginning of a file of `the_size` bytes; at most the whole file.
  Source(Bytes the_prefix, uint64_t the_size, absl::string_view the_name)
      : prefix(the_prefix), size(the_size), name(the_name) {}

  // Returns whether tensor data may be read.
  bool is_whole() const { return !header_only && (prefix.size() == size || data != nullptr); }

  Bytes prefix;              // From the first byte of the file.
  uint64_t size;             // Size of the file.
  absl::string_view name;    // Its base name; empty for a stream.
  bool header_only = false;  // Read nothing after the tensor table.
  // Reads the file's data if `prefix` ends before it; null if nothing can.
  const DataReader* data = nullptr;
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_SOURCE_H_
