// FrontMatterReader: reads the lines that describe a case.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_FRONT_MATTER_H_
#define GGUF_CORPUS_LANGUAGE_FRONT_MATTER_H_

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/language/case.h"
#include "corpus/language/lexer.h"

namespace gguf::corpus {

class FrontMatterReader {
 public:
  FrontMatterReader(Lexer* lexer, Case* a_case)
      : lexer_(*lexer), case_(*a_case) {}

  // Returns whether the next word belongs to the front matter.  Front matter
  // ends with the first line that does not begin with one.
  bool AtWord() const;

  // Reads that word, which must not be a duplicate, and its value.  Returns
  // false if the lexer has failed.
  bool Read();

  // The position of the value read last.
  Position value_at() const { return value_at_; }

 private:
  bool ReadValue(absl::string_view word);
  bool ReadText(std::string* text);
  bool ReadTexts(std::vector<std::string>* texts);
  bool ReadWords(std::vector<std::string>* words);
  bool ReadWordOf(std::initializer_list<absl::string_view> allowed,
                  std::string* word);
  bool ReadCount(uint64_t* count);
  bool ReadOptions();

  Lexer& lexer_;
  Case& case_;
  Position value_at_;
  std::set<std::string> said_;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_FRONT_MATTER_H_
