// SpecialTokens: collects texts of a template that look like special tokens.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_SPECIAL_TOKENS_H_
#define GGUF_CONFORMANCE_JINJA_SPECIAL_TOKENS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/lexer.h"
#include "parser/core/name_hash.h"

namespace gguf::jinja {

// Collects texts of the form <|name|>, or with the wide bars (U+FF5C) of other
// models.  Keeps each once, as a part of the template; the first thousand.
class SpecialTokens {
 public:
  static constexpr size_t kMost = 1000;

  // Finds those in a text or string of the template.
  void FindIn(const Token& token);

  const std::vector<Token>& tokens() const { return tokens_; }
  bool is_full() const { return tokens_.size() == kMost; }

 private:
  void Add(absl::string_view text, size_t offset);

  std::vector<Token> tokens_;
  NameSet<> seen_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_SPECIAL_TOKENS_H_
