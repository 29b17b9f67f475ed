// Checks that the tokens, merges and scores are those of the stated tokenizer model.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/model/byte_letters.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/rules/tokenizer/tokenizer_family.h"

namespace gguf {
namespace {

// Of 256 bytes.  Vocabularies lack letters of bytes that their texts did not have; most of those
// for characters of Latin-1 are tokens of SentencePiece, too.
constexpr uint64_t kMost = 224, kFew = 128;

// Returns how many of the 256 spellings are tokens.
uint64_t CountBytes(const Vocabulary& vocabulary, std::string (*spelling)(int byte)) {
  uint64_t count = 0;
  for (int byte = 0; byte < 256; ++byte) count += vocabulary.Contains(spelling(byte)) ? 1 : 0;
  return count;
}

// Returns the number of tokens of type normal that `matches` selects, of each `step`-th.
template <class Predicate>
uint64_t CountNormal(const Vocabulary& vocabulary, uint64_t step, Predicate matches) {
  uint64_t count = 0;
  for (uint64_t id = 0; id < vocabulary.size(); id += step) {
    if (id < vocabulary.type_count() && !vocabulary.HasType(id, TokenType::kNormal)) continue;
    count += matches(vocabulary.tokens()[id]) ? 1 : 0;
  }
  return count;
}

// Returns a step with which some thousand tokens are looked at, or all of a small vocabulary.
uint64_t StepOf(const Vocabulary& vocabulary) { return 1 + vocabulary.size() / 8192; }

uint64_t CountBeginning(const Vocabulary& vocabulary, absl::string_view prefix) {
  return CountNormal(vocabulary, StepOf(vocabulary),
                     [&](absl::string_view text) { return absl::StartsWith(text, prefix); });
}

// Requires byte-level BPE by its name.
Reason OnlyByteLevel(const Model& model) {
  const TokenizerRow* row = model.vocabulary().tokenizer();
  return row != nullptr && row->model == absl::string_view("gpt2") ? Reason() : Reason::Silent();
}

void ModelFitsTokens(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  const KeyValue* kv = context.model.hparams().Key(Symbol::kTokenizerModel);
  if (kv == nullptr || vocabulary.tokenizer() == nullptr) return;
  const bool is_spm = vocabulary.Is(TokenizerKind::kSpm);
  if (!is_spm && !OnlyByteLevel(context.model).empty()) return;
  const TokenizerFamily other =
      is_spm ? TokenizerFamily::kByteLevel : TokenizerFamily::kSentencePiece;
  if (FamilyOf(vocabulary) != other) return;
  find(
      kv->at_value(),
      absl::StrCat(is_spm ? "is {model} (SentencePiece), but the tokens are those of byte-level "
                            "BPE, which has {space} for a space and no byte tokens"
                          : "is {model} (byte-level BPE), but the tokens are those of "
                            "SentencePiece, which has {space} for a space and the byte tokens "
                            "<0x00> to <0xFF>",
                   ": all text becomes other tokens than the model learnt; the tokenizer model is ",
                   is_spm ? "\"gpt2\"" : "\"llama\""),
      {{"model", absl::string_view(vocabulary.tokenizer()->model)},
       {"space", absl::string_view(is_spm ? kByteLevelSpace : kSentencePieceSpace)}});
}

// Returns whether text in UTF-8 can contain the byte, but for control characters and the planes of
// Unicode above the third, which no writing system uses.
bool IsInText(int byte) {
  if (byte < 0x20) return byte == '\t' || byte == '\n' || byte == '\r';
  return byte != 0x7F && byte != 0xC0 && byte != 0xC1 && byte < 0xF1;
}

void ByteLettersComplete(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  // Without most of the letters it is made up, or another rule reports it.
  if (CountBytes(vocabulary, ByteLetter) < kFew) return;
  if (FamilyOf(vocabulary) == TokenizerFamily::kSentencePiece) return;
  uint64_t count = 0;
  int first = 0;
  for (int byte = 0; byte < 256; ++byte) {
    if (!IsInText(byte) || vocabulary.Contains(ByteLetter(byte))) continue;
    if (count++ == 0) first = byte;
  }
  if (count == 0) return;
  find(vocabulary.key()->at_value(),
       count == 1
           ? "lacks the letter {letter}, which stands for the byte {byte}: text loses it"
           : "lacks {count} of the letters that stand for bytes, first {letter} for the byte "
             "{byte}: text loses these bytes",
       {{"count", count},
        {"letter", Trusted{absl::StrCat("\"", ByteLetter(first), "\"")}},
        {"byte", Trusted{absl::StrFormat("0x%02X", first)}}});
}

constexpr char kMerges[] = "tokenizer.ggml.merges";

// Returns whether the text has two characters or more.
bool IsWord(absl::string_view text) {
  return absl::c_count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; }) > 1;
}

void MergesSufficient(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  const KeyValue* kv = context.model.FindKey(kMerges);
  const auto merges = kv == nullptr ? std::nullopt : LengthOf(*kv);
  if (!merges || *merges >= vocabulary.size() / 2) return;
  // Other rules report it if the letters are missing, or the words are SentencePiece's.
  if (CountBytes(vocabulary, ByteLetter) < kMost) return;
  if (FamilyOf(vocabulary) == TokenizerFamily::kSentencePiece) return;
  const uint64_t words = CountNormal(vocabulary, 1, IsWord);
  if (*merges >= words / 2) return;
  find(kv->at_value(),
       "has {merges merge|merges} for {words token|tokens} of several letters, each of which needs "
       "one: text falls apart into its letters",
       {{"merges", *merges}, {"words", words}});
}

void SpacesEncoded(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  const auto has_space = [](absl::string_view text) { return absl::StrContains(text, ' '); };
  const uint64_t count = CountNormal(vocabulary, StepOf(vocabulary), has_space);
  if (count == 0 || count <= CountBeginning(vocabulary, kByteLevelSpace)) return;
  uint64_t first = 0;
  while (!has_space(vocabulary.tokens()[first])) ++first;
  find(vocabulary.at(first),
       "is {text}, with a space as most tokens; byte-level BPE has {space} for it: no text becomes "
       "these tokens",
       {{"text", vocabulary.tokens()[first]}, {"space", absl::string_view(kByteLevelSpace)}});
}

constexpr char kScores[] = "tokenizer.ggml.scores";

// Tells whether all values of an array of fixed size are zero.
struct ZerosVisitor : ValueVisitor {
  bool all_zero = true;
  void Scalars(const ValueTypeInfo& /*type*/, uint64_t /*count*/, Bytes values, uint64_t /*offset*/,
               uint64_t /*element*/, uint64_t /*step*/) {
    PollDeadline();
    all_zero = all_zero && std::all_of(values.begin(), values.end(), [](auto b) { return b == 0; });
  }
};

void ScoresDiffer(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  if (!vocabulary.Is(TokenizerKind::kSpm) && !vocabulary.Is(TokenizerKind::kUgm)) return;
  if (FamilyOf(vocabulary) == TokenizerFamily::kByteLevel) return;
  const KeyValue* kv = context.model.FindKey(kScores);
  if (kv == nullptr) {
    return find(
        vocabulary.key()->at_value(),
        "has {tokens token|tokens}, but tokenizer.ggml.scores is absent: the scores say "
        "which pieces of a text to join, so text becomes other tokens than the model learnt",
        {{"tokens", vocabulary.size()}});
  }
  if (LengthOf(*kv).value_or(0) == 0) return;
  ZerosVisitor zeros;
  WalkValue(context.model.file, *kv, &zeros);
  if (!zeros.all_zero) return;
  find(kv->at_value(),
       "is all zeros: the scores say which pieces of a text to join, so text becomes other tokens "
       "than the model learnt",
       {});
}

}  // namespace

Reason OnlyRealVocabularies(const Model& model) {
  const Reason reason = OnlyWithVocabulary(model);
  if (!reason.empty()) return reason;
  return model.vocabulary().size() >= 256 ? Reason() : Reason::Silent();
}

TokenizerFamily FamilyOf(const Vocabulary& vocabulary) {
  const uint64_t byte_tokens = CountBytes(vocabulary, ByteToken);
  if (byte_tokens > kFew && byte_tokens < kMost) return TokenizerFamily::kUnknown;
  const bool has_byte_tokens = byte_tokens >= kMost;
  if (!has_byte_tokens && CountBytes(vocabulary, ByteLetter) < kMost) {
    return TokenizerFamily::kUnknown;
  }
  const uint64_t byte_level = CountBeginning(vocabulary, kByteLevelSpace);
  const uint64_t sentence_piece = CountBeginning(vocabulary, kSentencePieceSpace);
  if (has_byte_tokens) {
    // Vocabularies that were made up for tests have bytes and words, but no letters.
    if (!vocabulary.Contains(kSentencePieceSpace) || !vocabulary.Contains("e")) {
      return TokenizerFamily::kUnknown;
    }
    return sentence_piece > byte_level ? TokenizerFamily::kSentencePiece
                                       : TokenizerFamily::kUnknown;
  }
  return byte_level > sentence_piece ? TokenizerFamily::kByteLevel : TokenizerFamily::kUnknown;
}

std::string ByteToken(int byte) { return absl::StrFormat("<0x%02X>", byte); }

constexpr RuleTable kTokenizerFamilyRules = {
    {.id = "tokenizer-model-fits-tokens",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "tokenizer.ggml.model shall be the model that the tokens are made for.",
     .why = "Byte-level BPE and SentencePiece spell spaces and bytes differently.  Under the other "
            "one's name, the file loads, but words are not found, and the model reads single "
            "bytes or nothing.",
     .repair = "Write the tokenizer model that the message names, with what it needs: "
               "tokenizer.ggml.pre and merges for gpt2, scores for llama. Better, convert the "
               "model again.",
     .citation =
         "Not in the specification; the converters of llama.cpp write this model for such tokens.",
     .since = "0.2.0",
     .requirements = {OnlyRealVocabularies},
     .check = ModelFitsTokens},
    {.id = "bpe-byte-letters-complete",
     .severities = {.upload = kError, .llama_cpp = kWarning},
     .summary = "A byte-level BPE vocabulary shall have a letter for each byte of text.",
     .why = "llama.cpp drops bytes without a letter, so the model does not see these characters.",
     .repair = "Write all tokens of the original model. A vocabulary that was trained without "
               "these bytes lacks them, too: then its model cannot read them in any program.",
     .citation = "Not in the specification; GPT-2's vocabulary begins with the 256 letters, and "
                 "so do those made like it.",
     .since = "0.2.0",
     .requirements = {OnlyRealVocabularies, OnlyByteLevel},
     .check = ByteLettersComplete},
    {.id = "bpe-merges-sufficient",
     .severities = {.upload = kError, .llama_cpp = kWarning},
     .summary = "A BPE vocabulary shall have merges for its tokens of several letters.",
     .why = "A token of several letters is made by a merge.  Without merges, the text falls apart "
            "into letters, which the model has hardly seen.",
     .repair = "Write the merges of the original model's tokenizer.json or merges.txt. Fewer than "
               "half as many merges as words are reported; a tokenizer that looks words up "
               "without merges is none that llama.cpp calls gpt2.",
     .citation = "Not in the specification; all published vocabularies have them.",
     .since = "0.2.0",
     .requirements = {OnlyRealVocabularies, OnlyByteLevel},
     .check = MergesSufficient},
    {.id = "bpe-spaces-encoded",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "The tokens of byte-level BPE should have the letter \u0120 for a space.",
     .why = "Readers replace the bytes of a text by letters before they look for tokens, so they "
            "never find a token with a space.",
     .repair = "Write the tokens as the original tokenizer.json spells them; do not decode them. "
               "Tokens that were added to a vocabulary may have spaces: their type is 4 (user "
               "defined).",
     .citation = "Not in the specification; GPT-2's encoder and llama.cpp do this.",
     .since = "0.2.0",
     .requirements = {OnlyRealVocabularies, OnlyByteLevel},
     .check = SpacesEncoded},
    {.id = "token-scores-differ",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A SentencePiece vocabulary should have scores, and not only zeros.",
     .why = "llama.cpp joins the pieces with the best score first; without scores, it joins the "
            "leftmost ones.",
     .repair = "Write the scores of the original model's tokenizer.model.",
     .citation = "Not in the specification, by which scores are optional.",
     .since = "0.2.0",
     .requirements = {OnlyRealVocabularies},
     .check = ScoresDiffer},
};

}  // namespace gguf
