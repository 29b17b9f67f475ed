// SPDX-License-Identifier: Apache-2.0

// What llama.cpp says of a file that is not a whole model of an architecture
// that it knows: an adapter, a projector, a vocabulary, a later shard.
export const kNoModel = new RegExp(
  [
    "un(known|supported) model architecture",
    "key not found in model: (general\\.architecture|\\S+\\.context_length)",
    "tensor 'token_embd\\.weight' not found",
    "not be used as main model",
    "must be loaded with the first split",
  ].join("|"),
);
