// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/front_matter.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gguf::corpus {

bool FrontMatterReader::AtWord() const {
  constexpr absl::string_view kWords[] = {
      "title",  "why",        "level", "importance", "flags",
      "clause", "references", "scope", "file_name",  "options",
      "budget", "base",       "set"};
  return std::any_of(
      std::begin(kWords), std::end(kWords),
      [this](absl::string_view word) { return lexer_.AtWord(word); });
}

bool FrontMatterReader::Read() {
  const std::string word(lexer_.next().word);
  if (!said_.insert(word).second) {
    return lexer_.Fail(lexer_.next().at, absl::StrCat("duplicate ", word));
  }
  lexer_.Advance();
  value_at_ = lexer_.next().at;
  return ReadValue(word);
}

bool FrontMatterReader::ReadValue(absl::string_view word) {
  if (word == "title") return ReadText(&case_.title);
  if (word == "why") return ReadText(&case_.why);
  if (word == "clause") return ReadText(&case_.clause);
  if (word == "file_name") return ReadText(&case_.file_name);
  if (word == "base") return ReadText(&case_.base);
  if (word == "level") {
    return ReadWordOf({"must", "should", "may"}, &case_.level);
  }
  if (word == "importance") {
    return ReadWordOf({"critical", "major", "minor"}, &case_.importance);
  }
  if (word == "scope") {
    return ReadWordOf({"container", "model"}, &case_.scope);
  }
  if (word == "budget") {
    return ReadCount(&case_.budget_ms) && ReadCount(&case_.budget_mib);
  }
  if (word == "flags") return ReadWords(&case_.flags);
  if (word == "references") return ReadTexts(&case_.references);
  if (word == "set") return ReadTexts(&case_.set);
  return ReadOptions();
}

bool FrontMatterReader::ReadText(std::string* text) {
  const Text& next = lexer_.next().text;
  if (lexer_.next().kind != Token::Kind::kText || next.pieces.size() > 1 ||
      next.times != 1) {
    return lexer_.FailExpected("a plain text");
  }
  *text = next.pieces[0];
  lexer_.Advance();
  return true;
}

bool FrontMatterReader::ReadTexts(std::vector<std::string>* texts) {
  while (lexer_.next().kind == Token::Kind::kText) {
    if (!ReadText(&texts->emplace_back())) return false;
  }
  return true;
}

bool FrontMatterReader::ReadWords(std::vector<std::string>* words) {
  while (lexer_.next().kind == Token::Kind::kWord) {
    words->emplace_back(lexer_.next().word);
    lexer_.Advance();
  }
  return true;
}

bool FrontMatterReader::ReadWordOf(
    std::initializer_list<absl::string_view> allowed, std::string* word) {
  const absl::string_view next = lexer_.next().word;
  if (std::find(allowed.begin(), allowed.end(), next) == allowed.end()) {
    return lexer_.FailExpected(absl::StrJoin(allowed, " or "));
  }
  *word = std::string(next);
  lexer_.Advance();
  return true;
}

bool FrontMatterReader::ReadCount(uint64_t* count) {
  if (!absl::SimpleAtoi(lexer_.next().word, count)) {
    return lexer_.FailExpected("a number");
  }
  lexer_.Advance();
  return true;
}

bool FrontMatterReader::ReadOptions() {
  std::vector<std::string> options;
  if (!ReadTexts(&options)) return false;
  bool known = !options.empty();
  for (size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "--weights") {
      case_.weights = true;
    } else if (options[i] == "--base" && i + 1 < options.size()) {
      case_.base_model = options[++i];
    } else {
      known = false;
    }
  }
  return known ||
         lexer_.Fail(value_at_,
                     "the options are \"--weights\" and \"--base\" \"ID\"");
}

}  // namespace gguf::corpus
