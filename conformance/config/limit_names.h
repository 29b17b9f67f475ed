// The names of the limits, for flags and for configuration files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_LIMIT_NAMES_H_
#define GGUF_CONFORMANCE_CONFIG_LIMIT_NAMES_H_

#include <cstdint>

#include "parser/core/limits.h"

namespace gguf {

// One limit: its name, its help and its member.  Its flag is --limit-NAME.
struct LimitName {
  const char* name;
  const char* help;
  uint64_t Limits::*member;
};

// In the order of Limits.  The time limit, a float, is separate.
constexpr LimitName kLimitNames[] = {
    {"metadata-bytes", "bytes in header, metadata and tensor table",
     &Limits::metadata_bytes},
    {"keys", "metadata keys", &Limits::keys},
    {"tensors", "tensors", &Limits::tensors},
    {"tokens", "tokens of the vocabulary", &Limits::tokens},
    {"array-elements", "array elements per key", &Limits::array_elements},
    {"array-depth", "nesting depth of arrays", &Limits::array_depth},
    {"findings", "findings shown per rule; the rest are only counted",
     &Limits::findings_per_rule},
    {"stream-bytes", "bytes read from a pipe", &Limits::stream_bytes},
};

constexpr char kSecondsName[] = "seconds";
constexpr char kSecondsHelp[] = "seconds spent on one file; 0 for no limit";
constexpr double kMostSeconds = 1e9;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_LIMIT_NAMES_H_
