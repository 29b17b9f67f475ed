// TokenShapes: the tokens that merges make, as pre-tokenizers tell them apart.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TOKEN_SHAPES_H_
#define GGUF_CONFORMANCE_MODEL_TOKEN_SHAPES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "parser/file.h"

namespace gguf {

// Tokens that every pre-tokenizer cuts alike: " the" and " of" have the shape " a".
struct TokenShape {
  // For a Splitter: a digit is 0, and a run of letters of one class is one letter.  Letters stay as
  // they are beside an apostrophe, because some pre-tokenizers keep 're and 'll together.
  std::string text;
  uint64_t count = 0;
  // The first merge that makes one of them, and its place.
  absl::string_view merge;
  Range where;
  uint64_t element = 0;
};

class TokenShapes {
 public:
  // Reads a value that is an array of strings, and at most `most` of its merges, at even
  // distances.  The file must outlive this object.
  TokenShapes(const File& file, const KeyValue& merges, uint64_t most);

  // The shapes, most frequent first, but for words of small letters, which nothing cuts.
  const std::vector<TokenShape>& shapes() const { return shapes_; }
  // The number of tokens: those of at least two characters, all of them whole, and none a mark.
  // llama.cpp cuts at marks, such as accents, where the original tokenizers often do not.
  uint64_t tokens() const { return tokens_; }
  // Returns whether the merges are in the letters of byte-level BPE, where Ġ is a space; nothing if
  // too few have a space to tell.
  std::optional<bool> is_byte_level() const;

 private:
  std::vector<TokenShape> shapes_;
  uint64_t tokens_ = 0;
  uint64_t with_byte_space_ = 0;
  uint64_t with_plain_space_ = 0;
};

// Returns the text of the token that a merge makes, such as " the" of "Ġt he"; nothing if it has
// other letters than those of byte-level BPE.
std::optional<std::string> TextOfMerge(absl::string_view merge);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TOKEN_SHAPES_H_
