// The --limit-* flags.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_LIMIT_FLAGS_H_
#define GGUF_CLI_LIMIT_FLAGS_H_

#include <cstdint>

#include "CLI/CLI.hpp"
#include "parser/limits.h"

namespace gguf {

// One limit: its flag without the dashes, what it bounds, and the member.
struct LimitFlag {
  const char* name;
  const char* help;
  uint64_t Limits::*member;
};

// In the order of Limits.  The limit of time, a float, stands by itself.
constexpr LimitFlag kLimitFlags[] = {
    {"limit-metadata-bytes", "bytes of header, metadata and tensor table",
     &Limits::metadata_bytes},
    {"limit-keys", "metadata keys", &Limits::keys},
    {"limit-tensors", "tensors", &Limits::tensors},
    {"limit-array-elements", "array elements in one key",
     &Limits::array_elements},
    {"limit-array-depth", "arrays inside one another", &Limits::array_depth},
    {"limit-findings", "findings shown for each rule; the rest are counted",
     &Limits::findings_per_rule},
    {"limit-stream-bytes", "bytes read from a pipe", &Limits::stream_bytes},
};

constexpr char kSecondsFlag[] = "limit-seconds";
constexpr char kSecondsHelp[] = "seconds spent on one file; 0 is no limit";

// Adds all of them to a subcommand.
void AddLimitFlags(CLI::App* command, Limits* limits);

}  // namespace gguf

#endif  // GGUF_CLI_LIMIT_FLAGS_H_
