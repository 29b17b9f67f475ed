// Source: a file to be read, as far as its bytes are at hand.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_SOURCE_H_
#define GGUF_PARSER_CORE_SOURCE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "parser/core/bytes.h"

namespace gguf {

// Refers to bytes and a name that outlive it and what is made from it.
struct Source {
  // A whole file.  Implicit, so that plain bytes can stand for one.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Source(Bytes whole, absl::string_view the_name = "")
      : prefix(whole), size(whole.size()), name(the_name) {}
  // The beginning of a file of `the_size` bytes, not more than all of it.
  Source(Bytes the_prefix, uint64_t the_size, absl::string_view the_name)
      : prefix(the_prefix), size(the_size), name(the_name) {}

  // Whether the data of the tensors may be looked at.
  bool is_whole() const { return !header_only && prefix.size() == size; }

  Bytes prefix;            // From the first byte of the file on.
  uint64_t size;           // Of the file.
  absl::string_view name;  // Its base name; empty for a stream.
  bool header_only = false;  // Look no further than the tensor table.
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_SOURCE_H_
