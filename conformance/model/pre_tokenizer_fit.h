// PreTokenizerFit: which pre-tokenizers a BPE vocabulary was learnt with.
//
// Merges are learnt from words, so no token crosses the end of one: a pre-tokenizer that always
// cuts a token is another one.  docs/pre-tokenizers.md has the shares of tokens that each
// pre-tokenizer cuts in published vocabularies.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_PRE_TOKENIZER_FIT_H_
#define GGUF_CONFORMANCE_MODEL_PRE_TOKENIZER_FIT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/model/token_shapes.h"
#include "conformance/tables/pre_tokenizers.h"

namespace gguf {

// The tokens that a splitting cuts, whatever stands beside them.
struct CutTokens {
  uint64_t count = 0;
  const TokenShape* first = nullptr;  // The most frequent shape of them; null if there is none.
};

// Finds them.  Stops once there are more than `most`.
CutTokens FindCutTokens(const TokenShapes& tokens, Splitting splitting,
                        uint64_t most = ~uint64_t{0});

// Returns how many tokens at most the right pre-tokenizer cuts: 0.03 %, and never fewer than 2.
// Nothing for fewer than 500 tokens, which are too few to tell.
std::optional<uint64_t> MostCutByRightOne(const TokenShapes& tokens);

// Returns the splittings that cut no more tokens than that, those that find most words first.
// Leaves out those that hardly ever cut, because they fit any vocabulary.
std::vector<Splitting> FittingSplittings(const TokenShapes& tokens);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_PRE_TOKENIZER_FIT_H_
