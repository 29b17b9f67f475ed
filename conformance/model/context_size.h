// The memory that llama.cpp allocates for a context of a model.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_CONTEXT_SIZE_H_
#define GGUF_CONFORMANCE_MODEL_CONTEXT_SIZE_H_

#include <cstdint>
#include <optional>

#include "conformance/model/hparams.h"

namespace gguf {

// A context of the model's own length, of one sequence, with the defaults of
// llama.cpp's programs: a cache in F16, batches of 512 tokens, and for blocks with
// a sliding window only its tokens.  UINT64_MAX stands for more.
struct ContextSize {
  uint64_t length = 0;           // In tokens.
  uint64_t kv_cache = 0;         // In bytes, as is
  uint64_t recurrent_state = 0;  // the state of recurrent blocks.
};

// Returns nothing if a hyperparameter is not known, or if the architecture has
// memory of another kind (tables/context_sizes.tsv).
std::optional<ContextSize> ContextSizeOf(const Hparams& hparams);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_CONTEXT_SIZE_H_
