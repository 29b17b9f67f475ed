// Source: a file to read, with those of its bytes that are available.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_SOURCE_H_
#define GGUF_PARSER_CORE_SOURCE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "parser/core/bytes.h"

namespace gguf {

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
  bool is_whole() const { return !header_only && prefix.size() == size; }

  Bytes prefix;              // From the first byte of the file.
  uint64_t size;             // Size of the file.
  absl::string_view name;    // Its base name; empty for a stream.
  bool header_only = false;  // Read nothing after the tensor table.
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_SOURCE_H_
