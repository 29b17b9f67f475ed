// BlockName: the number in a tensor's name, and the name without it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_BLOCK_NAME_H_
#define GGUF_CONFORMANCE_MODEL_BLOCK_NAME_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// "blk.7.attn_q.weight" is block 7 of "blk.%d.attn_q.weight".
struct BlockName {
  std::string pattern;       // As the tables have it, with %d for each number.
  absl::string_view prefix;  // "blk.": of the name, up to the first number.
  int64_t block = -1;        // The first number; -1 without one.
};

// Whether it is decimal, without leading zeros, and of at most 18 digits.
bool IsBlockNumber(absl::string_view segment);

// A number is a whole segment of a name.
BlockName ParseBlockName(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_BLOCK_NAME_H_
