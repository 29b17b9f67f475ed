// Checks of what a chat template writes for a fixed conversation.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/model/renderings.h"
#include "conformance/model/templates.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/control_tokens.h"

namespace gguf {
namespace {

using jinja::Rendering;

constexpr size_t kLongestToken = 64;

// Requires a template that can be rendered at all.
Reason OnlyWithTemplate(const Model& model) {
  const Renderings& renderings = model.renderings();
  if (renderings.of == nullptr) return Reason::Silent();
  if (renderings.one.outcome != Rendering::kUnknown) return Reason();
  return {absl::StrCat("the chat template uses what is not rendered here: ", renderings.one.error),
          Reason::kIncomplete};
}

// Requires the rendering of a conversation; template-renders and template-rendering-bounded say
// why there is none.
Reason OnlyWithTurns(const Model& model) {
  Reason reason = OnlyWithTemplate(model);
  if (!reason.empty() || model.renderings().of == nullptr) return reason;
  const Renderings& renderings = model.renderings();
  const bool is_rendered = renderings.one.outcome == Rendering::kRendered &&
                           renderings.turns.outcome == Rendering::kRendered;
  return is_rendered ? Reason() : Reason::Silent();
}

Reason OnlyWithTurnsAndTypes(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (!vocabulary.why_unread().empty()) return vocabulary.why_unread();
  return vocabulary.type_count() > 0 ? OnlyWithTurns(model) : Reason::Silent();
}

// Finds something wrong with the whole template.
void FindInTemplate(const Model& model, Finder& find, absl::string_view format,
                    std::initializer_list<Arg> args) {
  const Template& each = *model.renderings().of;
  find(each.Where(0, each.text.size()), each.kv->subject().Of("value"), format, args);
}

void Renders(const CheckContext& context, Finder& find) {
  const Renderings& renderings = context.model.renderings();
  const Rendering& one = renderings.one;
  if (one.outcome != Rendering::kRaised) return;
  const Template& each = *renderings.of;
  find(each.Where(one.begin, one.end), each.kv->subject().Of("value"),
       "fails for a conversation of one user message: {error}",
       {{"error", absl::string_view(one.error)}});
}

void RenderingBounded(const CheckContext& context, Finder& find) {
  const Renderings& renderings = context.model.renderings();
  for (const Rendering* each : {&renderings.one, &renderings.turns, &renderings.without_prompt}) {
    if (each->outcome != Rendering::kOverBudget) continue;
    const Template& of = *renderings.of;
    find(of.Where(each->begin, each->end), of.kv->subject().Of("value"),
         "needs more steps or memory than a template may for a short conversation", {});
    return;
  }
}

void WritesContents(const CheckContext& context, Finder& find) {
  const absl::string_view text = context.model.renderings().turns.text;
  static constexpr struct {
    absl::string_view mark;
    absl::string_view what;
  } kContents[] = {{kFirstMark, "the first of two user messages"},
                   {kAnswerMark, "the assistant's answer"},
                   {kLastMark, "the last user message"}};
  const auto has = [&](absl::string_view mark) { return absl::StrContains(text, mark); };
  // Templates of models that judge one message write only the last one.
  if (has(kLastMark) && !has(kFirstMark) && !has(kAnswerMark)) return;
  size_t begin = 0;
  for (const auto& [mark, what] : kContents) {
    const size_t at = text.find(mark);
    if (at == absl::string_view::npos) {
      FindInTemplate(context.model, find, "leaves out the content of {message}",
                     {{"message", Trusted{std::string(what)}}});
      return;
    }
    if (at < begin) {
      FindInTemplate(context.model, find, "writes {message} before the message that it follows",
                     {{"message", Trusted{std::string(what)}}});
      return;
    }
    begin = at;
  }
}

// What a template writes before an answer, it also writes at the end of the prompt: if asked for,
// or always.
void WritesGenerationPrompt(const CheckContext& context, Finder& find) {
  const Renderings& renderings = context.model.renderings();
  if (renderings.turns.text != renderings.without_prompt.text) return;
  const auto strip = [](absl::string_view text) { return absl::StripAsciiWhitespace(text); };
  const absl::string_view before = strip(renderings.Between(kFirstMark, kAnswerMark));
  const absl::string_view text = renderings.turns.text;
  const size_t last = text.rfind(kLastMark);
  if (last == absl::string_view::npos) return;
  const absl::string_view end = strip(text.substr(last + kLastMark.size()));
  if (before.size() <= end.size() || !absl::StartsWith(before, end)) return;
  // Punctuation between messages is no header.
  if (absl::c_none_of(before.substr(end.size()), absl::ascii_isalpha)) return;
  FindInTemplate(context.model, find,
                 "writes {header} before an answer, but not at the end of the prompt when "
                 "add_generation_prompt is true",
                 {{"header", strip(before.substr(end.size()))}});
}

void WritesLineBreaks(const CheckContext& context, Finder& find) {
  if (!absl::StrContains(context.model.renderings().turns.text, "\\n")) return;
  FindInTemplate(context.model, find,
                 "writes a backslash and the letter n, where a line break is meant", {});
}

void WritesBosOnce(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const KeyValue* key = model.FindKey("tokenizer.ggml.bos_token_id");
  const int64_t id = key == nullptr ? -1 : IntegerOf(model.file, *key).value_or(-1);
  if (id < 0 || static_cast<uint64_t>(id) >= model.vocabulary().tokens().size()) return;
  const absl::string_view bos = model.vocabulary().tokens()[id];
  absl::string_view text = model.renderings().turns.text;
  if (bos.empty() || !absl::ConsumePrefix(&text, bos) || !absl::StartsWith(text, bos)) return;
  FindInTemplate(model, find, "begins with {bos} twice", {{"bos", bos}});
}

// A URL that contains a message sends it to somebody as soon as it is shown.
void KeepsContentsOutOfLinks(const CheckContext& context, Finder& find) {
  const absl::string_view text = context.model.renderings().turns.text;
  for (size_t at = text.find("://"); at != absl::string_view::npos; at = text.find("://", at + 1)) {
    const absl::string_view link = text.substr(at, text.find_first_of(" \t\n", at) - at);
    for (const absl::string_view mark : {kSystemMark, kFirstMark, kAnswerMark, kLastMark}) {
      if (!absl::StrContains(link, mark)) continue;
      FindInTemplate(context.model, find, "puts the content of a message into the link {link}",
                     {{"link", text.substr(at - std::min<size_t>(at, 5), link.size() + 5)}});
      return;
    }
  }
}

// The tokens at which generation stops.

// Returns whether generation stops at the token.
bool IsEnd(const Model& model, uint32_t id) {
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                          "tokenizer.ggml.eom_token_id", "tokenizer.ggml.fim_pad_token_id",
                          "tokenizer.ggml.fim_rep_token_id", "tokenizer.ggml.fim_sep_token_id"}) {
    const KeyValue* kv = model.FindKey(key);
    if (kv != nullptr && IntegerOf(model.file, *kv) == id) return true;
  }
  const absl::string_view text = model.vocabulary().tokens()[id];
  return absl::c_any_of(kControlTokens,
                        [&](const ControlTokenRow& row) { return text == row.text; });
}

// Returns the token that begins a text, which begins with < or [.
std::optional<uint32_t> TokenAt(const Vocabulary& vocabulary, absl::string_view text) {
  const char close = text[0] == '<' ? '>' : ']';
  const size_t end = text.substr(0, kLongestToken).find(close, 1);
  if (end == absl::string_view::npos) return std::nullopt;
  return vocabulary.Find(text.substr(0, end + 1));
}

// The model ends an answer with what follows answers: one of the tokens up to the next message ends
// the generation, if there are any.  Control tokens count, and user-defined tokens that directly
// follow the content; others mark parts of it.
void WritesEndToken(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const Vocabulary& vocabulary = model.vocabulary();
  const absl::string_view after = model.renderings().Between(kAnswerMark, kLastMark);
  std::optional<uint32_t> first;
  for (size_t i = after.find_first_of("<["); i != absl::string_view::npos;
       i = after.find_first_of("<[", i + 1)) {
    const auto id = TokenAt(vocabulary, after.substr(i));
    if (!id) continue;
    if (IsEnd(model, *id)) return;
    const bool follows = absl::StripAsciiWhitespace(after.substr(0, i)).empty();
    const bool is_special = vocabulary.HasType(*id, TokenType::kControl) ||
                            (vocabulary.HasType(*id, TokenType::kUserDefined) && follows);
    if (is_special && !first) first = id;
  }
  const KeyValue* key = model.FindKey("tokenizer.ggml.eos_token_id");
  const int64_t eos = key == nullptr ? -1 : IntegerOf(model.file, *key).value_or(-1);
  const bool has_eos = eos >= 0 && static_cast<uint64_t>(eos) < vocabulary.tokens().size() &&
                       !vocabulary.tokens()[eos].empty() &&
                       absl::StrContains(after, vocabulary.tokens()[eos]);
  if (!first || has_eos) return;
  FindInTemplate(model, find,
                 "writes {token} after an answer, and no token that ends the generation",
                 {{"token", vocabulary.tokens()[*first]}});
}

}  // namespace

constexpr RuleTable kRenderingRules = {
    {.id = "template-renders",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A chat template should write a prompt for one user message.",
     .why = "A program that applies the template fails, or talks to the model without it.",
     .repair = "Correct the template where it fails; try it with ggufcheck render.",
     .citation = "Not in the specification; rendered as Jinja2 does in transformers, with one "
                 "message of the role user.",
     .since = "0.2.0",
     .requirements = {OnlyWithTemplate},
     .check = Renders},
    {.id = "template-rendering-bounded",
     .severities = {.upload = kError, .safety = kError},
     .summary = "A chat template shall need at most 2 million steps and 16 MiB for a short "
                "conversation.",
     .why = "The program hangs, or runs out of memory, before the model sees the first message.",
     .repair = "Make loops and texts of the template shorter.",
     .citation = "Not in the specification; real templates need some thousand steps.",
     .since = "0.2.0",
     .requirements = {OnlyWithTemplate},
     .check = RenderingBounded},
    {.id = "template-writes-contents",
     .severities = {.upload = kWarning, .llama_cpp = kWarning, .safety = kWarning},
     .summary = "A chat template should write the content of each message, in their order.",
     .why = "The model does not see what is left out: it answers another question, or what "
            "somebody put in the place of the user's words.",
     .repair = "Write the content of each message in the loop over the messages.",
     .citation = "Not in the specification; rendered with a system message, two user messages and "
                 "an answer.",
     .since = "0.2.0",
     .requirements = {OnlyWithTurns},
     .check = WritesContents},
    {.id = "template-generation-prompt",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A chat template should end the prompt with what it writes before an answer, at "
                "least if add_generation_prompt is true.",
     .why = "The model does not know that it is to answer: it goes on with the user's message.",
     .repair = "Write the beginning of an answer at the end of the template, if "
               "add_generation_prompt is true.",
     .citation = "Not in the specification; transformers and llama.cpp set add_generation_prompt.",
     .since = "0.2.0",
     .requirements = {OnlyWithTurns},
     .check = WritesGenerationPrompt},
    {.id = "template-line-breaks",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A chat template should write line breaks, not a backslash and the letter n.",
     .why = "The model was trained on line breaks. \\n is one only inside a string of an "
            "expression; in the text of a template it is two characters.",
     .repair = "Break the line in the text of the template, or write {{ '\\n' }}.",
     .citation = "Not in the specification; Jinja2 has escape sequences in strings only.",
     .since = "0.2.0",
     .requirements = {OnlyWithTurns},
     .check = WritesLineBreaks},
    {.id = "template-bos-once",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A chat template should begin a prompt with at most one token that begins a text.",
     .why = "The model was trained with one; a second one makes answers worse.",
     .repair = "Remove one of them from the template.",
     .citation = "Not in the specification; llama.cpp warns of a prompt that begins with two.",
     .since = "0.2.0",
     .requirements = {OnlyWithTurns},
     .check = WritesBosOnce},
    {.id = "template-contents-not-in-links",
     .severities = {.upload = kWarning, .safety = kWarning},
     .summary = "A chat template should not write the content of a message into a link.",
     .why = "The model repeats such a link, and a program that shows it sends the message to "
            "somebody.",
     .repair = "Remove the link, and find out who put it there.",
     .citation = "Not in the specification; no known template does it.",
     .since = "0.2.0",
     .requirements = {OnlyWithTurns},
     .check = KeepsContentsOutOfLinks},
    {.id = "template-writes-end-token",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "At least one of the special tokens that a chat template "
                "writes after an answer should end the generation.",
     .why = "The model ends an answer with the token that follows the answers "
            "in the template. If it is not an end token, the program does not "
            "stop, and the model also writes the user's next message.",
     .repair = "Set tokenizer.ggml.eot_token_id or eos_token_id to the token "
               "that the template writes after an answer.",
     .citation = "Not in the specification; llama.cpp stops at eos, eot and "
                 "eom, and at the tokens that it recognizes by their text.",
     .since = "0.2.0",
     .requirements = {OnlyWithTurnsAndTypes},
     .check = WritesEndToken},
};

}  // namespace gguf
