// What a reader spends on one file at most.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_LIMITS_H_
#define GGUF_PARSER_CORE_LIMITS_H_

#include <cstdint>

namespace gguf {

// Handed down from the command line or a fuzz target.  Every real model fits
// the defaults.  A file that runs into a limit was not checked to its end: the
// result is incomplete, never a pass.
struct Limits {
  uint64_t metadata_bytes = uint64_t{1} << 30;  // Header, keys, tensor infos.
  uint64_t keys = 16 << 20;
  uint64_t tensors = 16 << 20;
  uint64_t array_elements = uint64_t{1} << 30;  // In one key, all depths.
  uint64_t array_depth = 64;                    // An array in an array has 2.
  uint64_t findings_per_rule = 100;             // The rest are only counted.
  uint64_t stream_bytes = uint64_t{64} << 30;   // Read from a pipe.
  double seconds = 0;                           // A file; 0 is no limit.
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LIMITS_H_
