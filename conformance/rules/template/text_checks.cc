// Checks of the text of chat templates: what a person does not see in it, what only some users'
// words bring out, and whether it is a template at all.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "conformance/base/name_hash.h"
#include "conformance/base/text.h"
#include "conformance/model/templates.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

using absl::string_view;
using jinja::Node;
using jinja::NodeKind;

// Finds characters that are not shown, and text far to the right.
void TextVisible(const CheckContext& context, Finder& find) {
  constexpr size_t kWidestGap = 1000;
  for (const Template& each : context.model.templates()) {
    size_t count = 0, first = 0, end = 0, spaces = 0;
    uint32_t character = 0;
    for (size_t at = 0; at < each.text.size();) {
      const size_t begin = at;
      const uint32_t code = NextCodePoint(each.text, &at);
      spaces = code == ' ' || code == '\t' ? spaces + 1 : 0;
      const bool is_space = code == '\n' || code == '\t' || code == '\r';
      const bool is_hidden =
          code != kBadCodePoint && ((IsControl(code) && !is_space) || IsInvisible(code));
      if (!is_hidden && spaces != kWidestGap) continue;
      if (count++ > 0) continue;
      first = begin;
      end = at;
      character = is_hidden ? code : 0;
    }
    if (count == 0) continue;
    const Range where = each.Where(first, end);
    const Subject subject = each.kv->subject().Of("value");
    if (character == 0) {
      find(where, subject,
           "has a line with 1,000 spaces, which move the text after them out of sight", {});
    } else {
      find(where, subject,
           count == 1 ? "has the character {character}, which is not shown"
                      : "has the character {character}, which is not shown, the first of {count}",
           {{"character", Trusted{absl::StrFormat("U+%04X", character)}}, {"count", count}});
    }
  }
}

// Finds text that depends on the words of a message or on the date.
class ConditionalText {
 public:
  explicit ConditionalText(const jinja::Tree& tree) {
    constexpr int kMostVisits = 8;
    Visit(*tree.root);  // Finds the macros.
    for (int i = 0; i < kMostVisits && (i == 0 || changed_); ++i) {
      changed_ = false;
      found_ = nullptr;
      Visit(*tree.root);
    }
  }

  // The first such text; null if there is none.
  const Node* found() const { return found_; }
  const Node* condition() const { return condition_; }
  bool is_date() const { return is_date_; }

 private:
  // What an expression is made from.
  struct Sources {
    bool content = false;  // The content of a message.
    bool date = false;
    bool word = false;     // A string with a word that is no marker.
    bool decides = false;  // Contains a comparison of the content with a word, or of the date.
    bool decides_by_date = false;
    bool mapping = false;  // Asks whether something is a dict: then the words are its keys.
  };

  Sources SourcesOf(const Node& node) const {
    Sources sources;
    for (const Node& child : node.children()) {
      // A method is not an attribute of the content.
      const bool is_method =
          node.is(NodeKind::kCall) && &child == node.first && child.is(NodeKind::kAttribute);
      const Sources more = SourcesOf(is_method ? *child.first : child);
      sources.content |= more.content;
      sources.date |= more.date;
      sources.word |= more.word;
      sources.decides |= more.decides;
      sources.decides_by_date |= more.decides_by_date;
      sources.mapping |= more.mapping;
    }
    switch (node.kind) {
      case NodeKind::kString:
        sources.word = IsWord(node.text);
        break;
      case NodeKind::kName:
        if (const auto found = names_.find(node.text); found != names_.end()) {
          sources.content |= found->second.content;
          sources.date |= found->second.date;
        }
        break;
      case NodeKind::kAttribute:
      case NodeKind::kSubscript: {
        // Of the parts of a content, only the texts are words of a person.
        const Node* index = node.is(NodeKind::kAttribute) ? nullptr : node.first->next;
        const bool is_named = index == nullptr || index->is(NodeKind::kString);
        const string_view name = index == nullptr ? node.text : index->text;
        sources.content = name == "content" || (sources.content && (!is_named || name == "text"));
        sources.word = false;
        break;
      }
      case NodeKind::kCall:
        sources.date |= node.first->text == "strftime_now";
        if (node.first->is(NodeKind::kAttribute) && IsSearch(node.first->text)) Decide(&sources);
        break;
      case NodeKind::kCompare:
        Decide(&sources);
        break;
      case NodeKind::kTest:
        if (node.first->next != nullptr) Decide(&sources);
        sources.mapping |= node.text == "mapping";
        break;
      default:
        break;
    }
    return sources;
  }

  static void Decide(Sources* sources) {
    sources->decides |= sources->date || (sources->content && sources->word);
    sources->decides_by_date |= sources->date;
  }

  static bool IsSearch(string_view method) {
    static constexpr string_view kSearches[] = {"startswith", "endswith", "find", "count", "index"};
    return absl::c_linear_search(kSearches, method);
  }

  // Returns whether the text has letters, none of the signs of markers, and is no name in a part of
  // a content.
  static bool IsWord(string_view text) {
    static constexpr string_view kNames[] = {"text",      "type",  "image",
                                             "image_url", "audio", "video"};
    size_t letters = 0;
    if (absl::c_linear_search(kNames, text)) return false;
    for (const char c : text) {
      if (absl::StrContains("<>[]{}|/\\#*`_=", c)) return false;
      letters += absl::ascii_isalpha(c) || (c & 0x80) != 0;
    }
    return letters >= 3;
  }

  // Returns the first text below the node that a person would read.
  static const Node* Text(const Node& node) {
    constexpr size_t kFewLetters = 8;
    const bool is_text = node.is(NodeKind::kText) || node.is(NodeKind::kString);
    if (is_text && absl::c_count_if(node.text, absl::ascii_isalpha) >= kFewLetters &&
        absl::StrContains(node.text, ' ')) {
      return &node;
    }
    if (node.is(NodeKind::kTest) || node.is(NodeKind::kCompare)) return nullptr;
    for (const Node& child : node.children()) {
      if (const Node* text = Text(child)) return text;
    }
    return nullptr;
  }

  void Judge(const Node& condition, std::initializer_list<const Node*> texts) {
    if (found_ != nullptr) return;
    const Sources sources = SourcesOf(condition);
    if (!sources.decides || (sources.mapping && !sources.decides_by_date)) return;
    for (const Node* text : texts) {
      if (text != nullptr && found_ == nullptr) found_ = Text(*text);
    }
    condition_ = &condition;
    is_date_ = sources.decides_by_date;
  }

  void Learn(const Node& target, const Node& value) {
    const Sources sources = SourcesOf(value);
    if (!sources.content && !sources.date) return;
    const auto learn = [&](const Node& name) {
      Sources& known = names_[name.text];
      changed_ |= (sources.content && !known.content) || (sources.date && !known.date);
      known.content |= sources.content;
      known.date |= sources.date;
    };
    if (!target.is(NodeKind::kTuple)) return learn(target);
    for (const Node& item : target.children()) learn(item);
  }

  void Visit(const Node& node) {
    switch (node.kind) {
      case NodeKind::kIf:
        for (const Node* part = node.first; part != nullptr; part = part->next) {
          if (part->is(NodeKind::kBody) || part->next == nullptr) continue;
          const Node* other = part->next->next;
          Judge(*part,
                {part->next, other != nullptr && other->is(NodeKind::kBody) ? other : nullptr});
        }
        break;
      case NodeKind::kConditional:
        Judge(*node.child(1), {node.child(0), node.child(2)});
        break;
      case NodeKind::kSet:
        Learn(*node.first, *node.first->next);
        break;
      case NodeKind::kFor:
        Learn(*node.child(0), *node.child(1));
        break;
      case NodeKind::kMacro:
        macros_[node.text] = &node;
        break;
      case NodeKind::kCall: {
        const auto macro = macros_.find(node.first->text);
        if (macro == macros_.end()) break;
        const Node* parameter = macro->second->first->first;
        for (const Node& argument : node.rest()) {
          if (argument.is(NodeKind::kKeyword)) {
            Learn(argument, *argument.first);
          } else if (parameter != nullptr) {
            Learn(*parameter, argument);
            parameter = parameter->next;
          }
        }
        break;
      }
      default:
        break;
    }
    for (const Node& child : node.children()) Visit(child);
  }

  NameMap<Sources> names_;
  bool changed_ = false;
  NameMap<const Node*> macros_;
  const Node* found_ = nullptr;
  const Node* condition_ = nullptr;
  bool is_date_ = false;
};

void TextUnconditional(const CheckContext& context, Finder& find) {
  for (const Template& each : context.model.templates()) {
    if (each.analysis.tree == nullptr || each.analysis.is_cut) continue;
    const ConditionalText text(*each.analysis.tree);
    if (text.found() == nullptr) continue;
    const Node& condition = *text.condition();
    find(each.Where(text.found()->begin, text.found()->end), each.kv->subject().Of("value"),
         text.is_date() ? "writes {text} or not, depending on the date: {condition}"
                        : "writes {text} or not, depending on the words of a message: {condition}",
         {{"text", absl::StripAsciiWhitespace(text.found()->text)},
          {"condition", each.text.substr(condition.begin, condition.end - condition.begin)}});
  }
}

void IsTemplate(const CheckContext& context, Finder& find) {
  for (const Template& each : context.model.templates()) {
    const string_view text = absl::StripAsciiWhitespace(each.text);
    const Subject subject = each.kv->subject().Of("value");
    const Range where = each.Where(0, each.text.size());
    if (text.empty()) {
      find(where, subject, "is empty", {});
    } else if (!absl::StrContains(text, '{') && text.size() <= 64 &&
               !absl::StrContains(text, ' ')) {
      find(where, subject, "is {name}: a name, and not a template", {{"name", text}});
    } else if (!absl::StrContains(text, "{{") && !absl::StrContains(text, "{%")) {
      find(where, subject, "is a text without expressions: the same for each conversation", {});
    }
  }
}

// Finds what says that the model is made for conversations.
void TemplatePresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  if (!model.templates().empty() || model.vocabulary().tokens().size() == 0) return;
  // Models that end turns of a conversation end texts with the token of a turn.
  for (const char* name : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    const KeyValue* kv = model.FindKey(name);
    const int64_t id = kv == nullptr ? -1 : IntegerOf(model.file, *kv).value_or(-1);
    const TokenTexts& tokens = model.vocabulary().tokens();
    if (id < 0 || static_cast<uint64_t>(id) >= tokens.size()) continue;
    static constexpr string_view kTurnEnds[] = {"<|im_end|>", "<|eot_id|>", "<end_of_turn>",
                                                "<|end|>"};
    if (!absl::c_linear_search(kTurnEnds, tokens[id])) continue;
    find(kv->at_value(),
         "is the token {token}, which ends messages, but the file has no tokenizer.chat_template",
         {{"token", tokens[id]}});
    return;
  }
  static constexpr string_view kWords[] = {"instruct", "chat", "it", "conversational"};
  for (const char* name :
       {"general.finetune", "general.tags", "general.name", "general.basename"}) {
    const KeyValue* kv = model.FindKey(name);
    if (kv == nullptr) continue;
    string_view found;
    const auto look = [&](string_view text) {
      for (const string_view word : absl::StrSplit(text, absl::ByAnyChar(" -_."))) {
        const std::string lower = absl::AsciiStrToLower(word);
        if (absl::c_linear_search(kWords, lower)) found = word;
      }
    };
    if (const auto text = model.file.String(*kv)) {
      look(*text);
    } else {
      ForEachString(model.file, *kv, [&](string_view text, Range, uint64_t) { look(text); });
    }
    if (found.empty()) continue;
    find(kv->at_value(), "says {word}, but the file has no tokenizer.chat_template",
         {{"word", found}});
    return;
  }
}

}  // namespace

constexpr RuleTable kTemplateTextRules = {
    {.id = "template-text-visible",
     .severities = {.upload = kWarning, .safety = kWarning},
     .summary = "A chat template should have no characters that are not shown, and no text far to "
                "the right.",
     .why = "The model reads what a person who looks at the template does not see: orders in "
            "invisible characters, or behind a thousand spaces.",
     .repair = "Remove the characters, and find out who put them there.",
     .citation = "Not in the specification; The Unicode Standard, chapter 23: format characters "
                 "and tags.",
     .since = "0.2.0",
     .check = TextVisible},
    {.id = "template-text-unconditional",
     .severities = {.upload = kNote, .safety = kNote},
     .summary = "A chat template should not write a text only if a message has a certain word, or "
                "on certain days.",
     .why = "Such a text can give the model an order that no test of the model brings out.",
     .repair = "Write the text always or never, or let a variable of the program decide.",
     .citation = "Not in the specification; a way to poison templates that tests do not find.",
     .since = "0.2.0",
     .check = TextUnconditional},
    {.id = "template-is-template",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A chat template should be a text with expressions, and not be empty or a name.",
     .why = "The program writes this text as the prompt, whatever the user says.",
     .repair = "Write the template itself; that of the original model is in its "
               "tokenizer_config.json or chat_template.jinja.",
     .citation = "gguf.md, tokenizer.chat_template: \"a Jinja template that specifies the input "
                 "format expected by the model\".",
     .since = "0.2.0",
     .check = IsTemplate},
    {.id = "template-present",
     .severities = {.upload = kNote},
     .summary = "A model for conversations should have a chat template.",
     .why = "A program guesses how the model was trained, and often guesses wrong.",
     .repair = "Add tokenizer.chat_template, from the tokenizer_config.json or "
               "chat_template.jinja of the original model.",
     .citation = "Not in the specification; llama.cpp takes ChatML if there is no template.",
     .since = "0.2.0",
     .check = TemplatePresent},
};

}  // namespace gguf
