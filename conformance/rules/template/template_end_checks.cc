// Checks of the token with which a chat template ends an answer.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/templates.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/template/checks.h"
#include "conformance/tables/control_tokens.h"
#include "re2/re2.h"

namespace gguf {
namespace {

constexpr Rule kEndToken = {
    "template-writes-end-token",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "At least one of the special tokens that a chat template writes should end "
    "the generation.",
    "The model ends an answer with the token that follows the answers in the "
    "template. If it is not an end token, the program does not stop, and the "
    "model also writes the user's next message.",
    "Set tokenizer.ggml.eot_token_id or eos_token_id to the token that the "
    "template writes after an answer.",
    "Not in the specification; llama.cpp stops at eos, eot and eom, and at the "
    "tokens that it recognizes by their text.",
    Since("0.2.0")};

constexpr size_t kLongestTemplate = 1 << 20;
constexpr size_t kLongestToken = 64;
// Of a template's text before a token, as far as it is looked at.
constexpr size_t kLongestEnd = 128;

// Requires the types of the tokens, by which control tokens are recognised.
Reason OnlyWithTypes(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (!vocabulary.why_unread().empty()) return vocabulary.why_unread();
  return vocabulary.type_count() > 0 ? Reason() : Reason::Silent();
}

// Returns whether generation stops at the token.
bool IsEnd(const Model& model, uint32_t id) {
  for (const char* key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
        "tokenizer.ggml.eom_token_id", "tokenizer.ggml.fim_pad_token_id",
        "tokenizer.ggml.fim_rep_token_id", "tokenizer.ggml.fim_sep_token_id"}) {
    const KeyValue* kv = model.FindKey(key);
    if (kv != nullptr && IntegerOf(model.file, *kv) == id) return true;
  }
  const absl::string_view text = model.vocabulary().tokens()[id];
  return absl::c_any_of(kControlTokens, [&](const ControlTokenRow& row) {
    return text == row.text;
  });
}

// Returns the token that begins a text, which begins with < or [.
std::optional<uint32_t> TokenAt(const Vocabulary& vocabulary,
                                absl::string_view text) {
  const char close = text[0] == '<' ? '>' : ']';
  const size_t end = text.substr(0, kLongestToken).find(close, 1);
  if (end == absl::string_view::npos) return std::nullopt;
  return vocabulary.Find(text.substr(0, end + 1));
}

// Returns whether what follows the text is written after a message's content,
// as in {{ m.content }}, {{ m['content'] | trim + ' or {{ content }}{{ '; an
// {% if %} or {% endif %} may be between.
bool EndsWithContent(absl::string_view text) {
  static const LazyRE2 kContent = {
      R"((?:^|\W)content['"]?[\])}]*)"
      R"((?:\.\w+\([^()]*\)|\s*\|\s*\w+(?:\([^()]*\))?)*\)?)"
      R"((?:\s*[+~]\s*['"]|\s*-?}}(?:\s*{%-?\s*(?:if|endif)\b[^%]*%})*)"
      R"(\s*(?:{{-?\s*['"])?)(?:\\n|\s)*$)"};
  const size_t size = std::min(text.size(), kLongestEnd);
  const re2::StringPiece end(text.data() + text.size() - size, size);
  return RE2::PartialMatch(end, *kContent);
}

// Returns whether a token begins like </tool>, and the vocabulary has <tool>:
// both mark a part of a message.
bool ClosesPart(const Vocabulary& vocabulary, absl::string_view token) {
  return token.size() > 2 && token[1] == '/' &&
         vocabulary.Find(absl::StrCat(token.substr(0, 1), token.substr(2)));
}

// Finds the first special token of a template, unless one of them is an end
// token, or the template writes one by its name.  Special are control tokens,
// and user-defined tokens that follow content; others mark parts of it.
struct FirstSpecial {
  size_t offset = 0;
  std::optional<uint32_t> id;
};

FirstSpecial FirstWithoutEnd(const Model& model, absl::string_view text) {
  const Vocabulary& vocabulary = model.vocabulary();
  FirstSpecial first;
  if (absl::StrContains(text, "eos_token") || absl::StrContains(text, "[e~[")) {
    return first;
  }
  for (size_t i = text.find_first_of("<["); i != absl::string_view::npos;
       i = text.find_first_of("<[", i + 1)) {
    const auto id = TokenAt(vocabulary, text.substr(i));
    if (!id) continue;
    if (IsEnd(model, *id)) return {};
    if (first.id) continue;
    if (vocabulary.HasType(*id, TokenType::kControl) ||
        (vocabulary.HasType(*id, TokenType::kUserDefined) &&
         !ClosesPart(vocabulary, vocabulary.tokens()[*id]) &&
         EndsWithContent(text.substr(0, i)))) {
      first = {i, id};
    }
  }
  return first;
}

void EndToken(const Model& model, Finder& find) {
  for (const Template& a_template : model.templates()) {
    const absl::string_view text = a_template.text;
    // Named templates are for other purposes, such as ranking.
    if (!a_template.name.empty() || text.size() > kLongestTemplate ||
        !absl::StrContains(text, "assistant")) {
      continue;
    }
    const FirstSpecial first = FirstWithoutEnd(model, text);
    if (!first.id) continue;
    const absl::string_view token = model.vocabulary().tokens()[*first.id];
    find(a_template.Where(first.offset, first.offset + token.size()),
         a_template.kv->subject().Of("value"),
         "writes special tokens, such as {token}, but none that ends the "
         "generation",
         {{"token", token}});
  }
}

constexpr Check kChecks[] = {
    {&kEndToken, Needs::kKeys, EndToken, OnlyWithTypes},
};

}  // namespace

absl::Span<const Check> TemplateEndChecks() { return kChecks; }

}  // namespace gguf
