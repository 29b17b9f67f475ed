// Splitter: cuts a text into words as a pre-tokenizer of llama.cpp does.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_SPLITTER_H_
#define GGUF_CONFORMANCE_MODEL_SPLITTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/tables/pre_tokenizers.h"
#include "re2/re2.h"

namespace gguf {

// Text for a splitter has one byte for each character: that of an ASCII character is the character
// itself, and other characters share one from 0x80 on if they belong to the same sets of
// character_sets.tsv.

// Returns that byte for a code point.
uint8_t ClassOf(uint32_t code_point);

// Returns whether a byte stands for letters, or for marks such as accents.
bool IsLetterClass(uint8_t byte);
bool IsMarkClass(uint8_t byte);

class Splitter {
 public:
  // Compiles the expressions of splittings.tsv.
  explicit Splitter(Splitting splitting);

  // Returns where the words end, in increasing order; the last end is that of the text.
  std::vector<size_t> WordEnds(absl::string_view text) const;

  // Returns whether a part of the text, which is not empty, lies in one word.
  bool IsInOneWord(absl::string_view text, size_t begin, size_t end) const;

 private:
  std::vector<std::unique_ptr<const RE2>> steps_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_SPLITTER_H_
