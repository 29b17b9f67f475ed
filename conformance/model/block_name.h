// BlockName: a tensor's name, split into its number and the rest.
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
  std::string pattern;       // As in the tables, with %d for each number.
  absl::string_view prefix;  // The name up to the first number: "blk.".
  int64_t block = -1;        // The first number; -1 if none.
};

// Returns whether the text is a decimal number without leading zeros and of at
// most 18 digits.
bool IsBlockNumber(absl::string_view segment);

// Parses a name.  A number is a whole segment of it.
BlockName ParseBlockName(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_BLOCK_NAME_H_
