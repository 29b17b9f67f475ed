// Limits: the resources to spend on one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_LIMITS_H_
#define GGUF_PARSER_CORE_LIMITS_H_

#include <cstdint>

namespace gguf {

// Set by the command line or a fuzz target.  Every real model fits the
// defaults.  A file that exceeds a limit was not checked completely: the result
// is incomplete, never a pass.
struct Limits {
  uint64_t metadata_bytes = uint64_t{1} << 30;  // Header, keys, tensor infos.
  uint64_t keys = 1 << 20;
  uint64_t tensors = 1 << 20;
  uint64_t tokens = 8 << 20;                    // Of the vocabulary.
  uint64_t array_elements = uint64_t{1} << 30;  // Per key, all depths.
  uint64_t array_depth = 64;                    // 2: an array in an array.
  uint64_t findings_per_rule = 100;             // More are only counted.
  uint64_t stream_bytes = uint64_t{64} << 30;   // Read from a pipe.
  double seconds = 0;                           // Per file; 0: no limit.
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LIMITS_H_
