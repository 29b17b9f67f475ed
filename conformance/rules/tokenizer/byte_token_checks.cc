// Checks of the tokens that stand for single bytes: <0x00> to <0xFF>.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/rules/tokenizer/tokenizer_family.h"

namespace gguf {
namespace {

// Returns whether llama.cpp reads the text as a byte; the digits may be lower
// case.
bool IsByteToken(absl::string_view text) {
  return text.size() == 6 && absl::StartsWith(text, "<0x") && absl::ascii_isxdigit(text[3]) &&
         absl::ascii_isxdigit(text[4]) && text[5] == '>';
}

// Selects, among files with a vocabulary, those whose tokenizer handles byte
// tokens in one of these ways.
template <ByteTokens... what>
Reason OnlyWithByteTokens(const Model& model) {
  const TokenizerRow* row = model.vocabulary().tokenizer();
  return row != nullptr && ((row->byte_tokens == what) || ...) ? Reason() : Reason::Silent();
}

Reason OnlyRwkv(const Model& model) {
  return model.vocabulary().Is(TokenizerKind::kRwkv) ? Reason() : Reason::Silent();
}

// Reports the bytes that have no token.
void FindMissing(const Vocabulary& vocabulary, const std::array<bool, 256>& has, Finder& find) {
  const auto missing = std::count(has.begin(), has.end(), false);
  if (missing == 0) return;
  const auto first = std::find(has.begin(), has.end(), false) - has.begin();
  find(vocabulary.key()->at_value(),
       missing == 1 ? "lacks the byte token {token}"
                    : "lacks {count} of the 256 byte tokens, first {token}",
       {{"count", missing}, {"token", Trusted{ByteToken(static_cast<int>(first))}}});
}

// Reports the first token of type byte that `is_wrong` selects by its text.
template <class Predicate>
void FindByteTokens(const Vocabulary& vocabulary, Finder& find, absl::string_view one,
                    absl::string_view many, Predicate is_wrong) {
  uint64_t count = 0;
  uint64_t first = 0;
  for (uint64_t id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.HasType(id, TokenType::kByte)) continue;
    if (is_wrong(vocabulary.tokens()[id]) && count++ == 0) first = id;
  }
  if (count == 0) return;
  find(vocabulary.at(first), count == 1 ? one : many,
       {{"text", vocabulary.tokens()[first]}, {"count", count}});
}

constexpr char kOneIsNoByte[] = "is {text}, but its type is byte";
constexpr char kManyAreNoBytes[] =
    "is {text}, but its type is byte; the first of {count} such tokens";

// Returns whether llama.cpp throws when it extracts the digits.  An empty token
// has already been given a name, and PLaMo-2's tokens are compared first.
bool EndsBeforeDigits(const Vocabulary& vocabulary, absl::string_view text) {
  text = BeforeNul(text);
  return !vocabulary.Is(TokenizerKind::kPlamo2) && !text.empty() && text.size() < 3;
}

// Returns the first bytes, at most two, of an RWKV token, as llama.cpp converts its text: with the
// escapes \t, \n, \r and \xHH, of which it does not check the digits.
std::string FirstBytes(absl::string_view text) {
  text = BeforeNul(text);
  if (text.empty()) return "[E";  // It has been given the name [EMPTY_<id>].
  std::string bytes;
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  for (size_t i = 0; i < text.size() && bytes.size() < 2; ++i) {
    char byte = text[i];
    if (byte == '\\') {
      if (++i == text.size()) break;
      byte = text[i];
      if (byte == 't') byte = '\t';
      if (byte == 'n') byte = '\n';
      if (byte == 'r') byte = '\r';
      if (byte == 'x') {
        if (i + 2 >= text.size()) break;
        byte = static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
        i += 2;
      }
    }
    bytes.push_back(byte);
  }
  return bytes;
}

void RwkvFirstBytes(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  std::array<bool, 256> is_token{};
  std::array<uint64_t, 256> first_with;
  first_with.fill(vocabulary.size());
  for (uint64_t id = 0; id < vocabulary.size(); ++id) {
    const std::string bytes = FirstBytes(vocabulary.tokens()[id]);
    if (bytes.empty()) continue;
    const auto byte = static_cast<unsigned char>(bytes[0]);
    is_token[byte] |= bytes.size() == 1;
    first_with[byte] = std::min(first_with[byte], id);
  }
  uint64_t count = 0;
  uint64_t first = vocabulary.size();
  for (int byte = 0; byte < 256; ++byte) {
    if (is_token[byte] || first_with[byte] == vocabulary.size()) continue;
    ++count;
    first = std::min(first, first_with[byte]);
  }
  if (count == 0) return;
  find(vocabulary.at(first),
       count == 1 ? "is {text}, but its first byte is not a token"
                  : "is {text}, but its first byte is not a token; {count} bytes are missing",
       {{"text", vocabulary.tokens()[first]}, {"count", count}});
}

constexpr Requirement kOnlyWithReadBytes =
    OnlyWithByteTokens<ByteTokens::kRead, ByteTokens::kNeeded, ByteTokens::kRequired>;

}  // namespace

constexpr RuleTable kByteTokenRules = {
    {.id = "byte-tokens-complete",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "A SentencePiece vocabulary shall have a token for each of the 256 byte values.",
     .why = "llama.cpp throws at a text with a character that is not a token, which ends most "
            "programs.",
     .repair = "Add the tokens <0x00> to <0xFF>, with the type byte.",
     .citation = "Not in the specification; llama.cpp's byte_to_token requires it.",
     .requirements = {OnlyWithVocabulary, OnlyWithByteTokens<ByteTokens::kNeeded>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           // tokenizer-model-fits-tokens reports it.
           if (FamilyOf(vocabulary) == TokenizerFamily::kByteLevel) return;
           std::array<bool, 256> has{};
           for (int byte = 0; byte < 256; ++byte) {
             const char itself = static_cast<char>(byte);
             has[byte] = vocabulary.Contains(ByteToken(byte)) ||
                         vocabulary.Contains(absl::string_view(&itself, 1));
           }
           FindMissing(vocabulary, has, find);
         }},
    {.id = "plamo2-byte-tokens-complete",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A PLaMo-2 vocabulary shall have a token of type byte for each of the 256 byte "
                "values, and none of them shall be token 0.",
     .why = "llama.cpp assigns token 0 to a byte without a token, and rejects the file if any byte "
            "has token 0.",
     .repair = "Append the tokens <0x00> to <0xFF>, with the type byte, after the others.",
     .citation =
         "Not in the specification; llama.cpp's loader throws \"Byte token ... is not set\".",
     .requirements = {OnlyWithVocabulary, OnlyWithByteTokens<ByteTokens::kRequired>,
                      OnlyWithAllKeys},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           std::array<bool, 256> has{};
           for (uint64_t id = 0; id < vocabulary.size(); ++id) {
             const absl::string_view text = vocabulary.tokens()[id];
             if (!vocabulary.HasType(id, TokenType::kByte) || !IsByteToken(text)) {
               continue;
             }
             uint32_t byte = 0;
             if (absl::SimpleHexAtoi(text.substr(3, 2), &byte)) {
               has[byte] = id > 0;
             }
           }
           FindMissing(vocabulary, has, find);
         }},
    {.id = "byte-tokens-well-formed",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary =
         "A token of type byte shall have the form <0xHH>, where HH are two hexadecimal digits.",
     .why = "Readers convert the digits to a number without checking them, and use the number as "
            "an index.",
     .repair = "If the token stands for a byte, write it in the form <0x0A>; otherwise give it the "
               "type that it has in the original model.",
     .citation =
         "Not in the specification; SentencePiece and llama.cpp's converter write this form.",
     .requirements = {OnlyWithVocabulary, kOnlyWithReadBytes},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           FindByteTokens(vocabulary, find, kOneIsNoByte, kManyAreNoBytes,
                          [&](absl::string_view text) {
                            return !IsByteToken(text) && !EndsBeforeDigits(vocabulary, text);
                          });
         }},
    {.id = "byte-tokens-have-digits",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "A token of type byte shall be at least 3 bytes long, unless it is empty or "
                "belongs to a PLaMo-2 vocabulary.",
     .why = "llama.cpp skips three bytes before the hexadecimal digits, and rejects the file if "
            "the token has fewer.",
     .repair = "If the token stands for a byte, write it in the form <0x0A>; otherwise give it the "
               "type that it has in the original model.",
     .citation = "Not in the specification; llama.cpp's loader throws std::out_of_range.",
     .requirements = {OnlyWithVocabulary, kOnlyWithReadBytes},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           FindByteTokens(
               vocabulary, find, kOneIsNoByte, kManyAreNoBytes,
               [&](absl::string_view text) { return EndsBeforeDigits(vocabulary, text); });
         }},
    {.id = "wpm-without-byte-tokens",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "A WordPiece vocabulary shall not have tokens of type byte.",
     .why = "llama.cpp aborts when it converts tokens of type byte to bytes.",
     .repair = "Give these tokens the type normal.",
     .citation = "Not in the specification; llama.cpp aborts in token_to_byte.",
     .requirements = {OnlyWithVocabulary, OnlyWithByteTokens<ByteTokens::kFatal>},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindByteTokens(context.model.vocabulary(), find, "is {text}, of type byte",
                          "is {text}, the first of {count} tokens of type byte",
                          [](absl::string_view) { return true; });
         }},
    {.id = "rwkv-first-bytes-are-tokens",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "The first byte of each token of an RWKV vocabulary shall be a token.",
     .why = "llama.cpp never ends and takes all memory when a text has this byte and continues "
            "differently from the token.",
     .repair = "Add the byte as a token; real vocabularies begin with all 256 bytes.",
     .citation = "Not in the specification; llama.cpp's tokenizer advances by the longest token "
                 "that it finds, or else only if no token begins with the byte.",
     .since = "0.2.0",
     .requirements = {OnlyWithVocabulary, OnlyRwkv},
     .check = RwkvFirstBytes},
};

}  // namespace gguf
