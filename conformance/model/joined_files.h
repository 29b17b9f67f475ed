// Finds files that were joined into one, and files that were converted as if they were texts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_JOINED_FILES_H_
#define GGUF_CONFORMANCE_MODEL_JOINED_FILES_H_

#include <cstdint>
#include <optional>

#include "conformance/model/model.h"

namespace gguf {

// Returns where the data of a model ends, with its padding; nothing if a tensor is misplaced.
std::optional<uint64_t> PaddedDataEnd(const Model& model);

// Returns how many shards the file holds, if another one follows its data.  Nothing if what follows
// is no shard.
std::optional<uint64_t> CountJoinedShards(const Model& model);

// A conversion that a binary file does not survive.
enum class TextConversion {
  kNone,
  kLineEnds,      // A carriage return was put before each line feed.
  kReplacements,  // What is no UTF-8 became U+FFFD.
};

// Looks at the end of a file that is broken, or longer or shorter than its tables say.
TextConversion FindTextConversion(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_JOINED_FILES_H_
