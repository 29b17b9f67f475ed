// Checks of chat templates against the rest of the file: their list of names,
// and the special tokens that they write.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "absl/strings/strip.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/template_scan.h"
#include "conformance/model/templates.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/template/checks.h"
#include "parser/core/name_hash.h"

namespace gguf {
namespace {

constexpr absl::string_view kListKey = "tokenizer.chat_templates";

constexpr Rule kTemplateNamesListed = {
    "template-names-listed",
    Severities().Upload(kWarning).LlamaCpp(kNote),
    "tokenizer.chat_templates should list the names of all named chat "
    "templates, and no others.",
    "A program that offers the templates reads the list: it misses a template "
    "that is not listed, and looks for a listed one that does not exist.",
    "Regenerate the list from the keys tokenizer.chat_template.NAME.",
    "Not in the specification; gguf-py's add_chat_template() writes the "
    "templates and the list."};

void TemplateNamesListed(const Model& model, Finder& find) {
  const KeyValue* list = model.FindKey(kListKey);
  NameSet<> listed, present;
  for (const KeyValue& kv : model.file.keys) {
    absl::string_view name = kv.key.value;
    if (absl::ConsumePrefix(&name, kChatTemplateKey) &&
        absl::ConsumePrefix(&name, ".")) {
      present.insert(name);
    }
  }
  if (list != nullptr) {
    ForEachString(model.file, *list,
                  [&](absl::string_view name, Range where, uint64_t i) {
                    listed.insert(name);
                    if (present.contains(name)) return;
                    find(where, list->subject().Of("value").At(i),
                         "is {name}, but there is no template of that name",
                         {{"name", name}});
                  });
  }
  for (const Template& a_template : model.templates()) {
    if (a_template.name.empty() || listed.contains(a_template.name)) continue;
    find(a_template.kv->at_key(), "has the name {name}, which is not in {list}",
         {{"name", a_template.name}, {"list", Word{std::string(kListKey)}}});
  }
}

constexpr Rule kTemplateSpecialTokensKnown = {
    "template-special-tokens-known",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "The special tokens of the form <|NAME|> that a chat template writes "
    "should be tokens of the vocabulary.",
    "A string that is not a token is split into pieces that the model was not "
    "trained on, and the model cannot tell where a message begins or ends.",
    "Use the template that belongs to the vocabulary.",
    "Not in the specification; llama.cpp splits a string that is not a token "
    "into pieces."};

Reason OnlyWithTokens(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (!vocabulary.why_unread().empty()) return vocabulary.why_unread();
  return vocabulary.key() != nullptr ? Reason() : Reason::Silent();
}

void TemplateSpecialTokensKnown(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  for (const Template& a_template : model.templates()) {
    const jinja::TemplateScan& scan = a_template.scan;
    if (scan.is_skipped) {
      find.CannotCheck({kTemplatesSkipped, Reason::kIncomplete});
    }
    if (scan.is_cut) {
      find.CannotCheck("a chat template is nested too deeply to be read");
    }
    if (!scan.has_all_special_tokens) {
      find.CannotCheck(
          "a chat template has more than a thousand special tokens");
    }
    uint64_t missing = 0;
    const jinja::Token* first = nullptr;
    for (const jinja::Token& token : scan.special_tokens) {
      if (vocabulary.Contains(token.text)) continue;
      if (missing++ == 0) first = &token;
    }
    if (first == nullptr) continue;
    find(a_template.Where(first->offset, first->offset + first->text.size()),
         a_template.kv->subject().Of("value"),
         missing == 1 ? "writes {token}, which is not in tokenizer.ggml.tokens"
                      : "writes {token}, which is not in "
                        "tokenizer.ggml.tokens; the first of {count}",
         {{"token", first->text}, {"count", missing}});
  }
}

constexpr Check kChecks[] = {
    {&kTemplateNamesListed, Needs::kKeys, TemplateNamesListed},
    {&kTemplateSpecialTokensKnown, Needs::kKeys, TemplateSpecialTokensKnown,
     OnlyWithTokens},
};

}  // namespace

absl::Span<const Check> TemplateNameChecks() { return kChecks; }

}  // namespace gguf
