// Checks of chat templates: what their trees show, and their names.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/analysis.h"
#include "conformance/jinja/lexer.h"
#include "conformance/model/templates.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

using jinja::FaultKind;

// Why a rule cannot be checked for a template that was not read.
constexpr absl::string_view kTemplatesSkipped =
    "the chat templates exceed the limit on their number or size";

// Formats a number: all digits while they are exact.
Trusted Digits(double number) {
  constexpr double kMostExact = 9007199254740992;  // 2 ** 53
  if (std::isinf(number)) return Trusted{"infinitely many"};
  if (!(number < kMostExact)) return Trusted{absl::StrCat(number)};
  return Trusted{absl::StrCat(static_cast<uint64_t>(std::ceil(number)))};
}

// Returns the message of a fault; {text}, {why} and {number} are its members.
absl::string_view SentenceOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kSyntax:
      return "has {text}, which {why}";
    case FaultKind::kNesting:
      return "{why}";
    case FaultKind::kLoop:
      return "has {why} of {number} iterations";
    case FaultKind::kSize:
      return "creates a value of {number} bytes, elements or digits";
    case FaultKind::kAttribute:
      return "refers to {text}";
    case FaultKind::kAttributeName:
      return "has {text}, which {why}";
    case FaultKind::kOtherTemplate:
      return "has the statement {text}";
    case FaultKind::kEndlessMacro:
      return "has the macro {text}, which always calls itself";
    case FaultKind::kRecursiveMacro:
      return "has the macro {text}, which may call itself";
    case FaultKind::kHeldMacro:
      return "calls a macro through {text}, and the macro may call itself";
    case FaultKind::kEndlessLoop:
      return "calls loop() with a value that may not be a part of the loop "
             "variable";
  }
  return "";
}

// Returns whether the analysis finds all faults of this kind in a template with any
// number of variables.
bool IsLocal(FaultKind kind) {
  return kind == FaultKind::kSyntax || kind == FaultKind::kNesting ||
         kind == FaultKind::kOtherTemplate;
}

void FindFault(const Template& a_template, FaultKind kind, Finder& find) {
  const jinja::Analysis& analysis = a_template.analysis;
  if (analysis.is_skipped) {
    find.CannotCheck({kTemplatesSkipped, Reason::kIncomplete});
  } else if (analysis.is_cut && kind != FaultKind::kNesting) {
    find.CannotCheck("a chat template is nested too deeply to be read");
  } else if (analysis.is_too_rich && !IsLocal(kind)) {
    find.CannotCheck({"a chat template has too many variables to follow", Reason::kIncomplete});
  }
  const jinja::Fault* fault = analysis.faults.Find(kind);
  if (fault == nullptr) return;
  find(a_template.Where(fault->begin, fault->end), a_template.kv->subject().Of("value"),
       absl::StrCat(SentenceOf(kind), fault->count == 1 ? "" : ", the first of {count}"),
       {{"text", absl::string_view(fault->text)},
        {"why", Trusted{fault->why}},
        {"number", Digits(fault->number)},
        {"count", uint64_t{fault->count}}});
}

// Reports the faults of these kinds in the templates.
template <FaultKind... kinds>
void FindFaults(const CheckContext& context, Finder& find) {
  for (const Template& a_template : context.model.templates()) {
    (FindFault(a_template, kinds, find), ...);
  }
}

constexpr absl::string_view kListKey = "tokenizer.chat_templates";

void TemplateNamesListed(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const KeyValue* list = model.FindKey(kListKey);
  NameSet<> listed, present;
  for (const KeyValue& kv : model.file.keys) {
    absl::string_view name = kv.key.value;
    if (absl::ConsumePrefix(&name, kChatTemplateKey) && absl::ConsumePrefix(&name, ".")) {
      present.insert(name);
    }
  }
  if (list != nullptr) {
    ForEachString(model.file, *list, [&](absl::string_view name, Range where, uint64_t i) {
      listed.insert(name);
      if (present.contains(name)) return;
      find(where, list->subject().Of("value").At(i),
           "is {name}, but there is no template of that name", {{"name", name}});
    });
  }
  for (const Template& a_template : model.templates()) {
    if (a_template.name.empty() || listed.contains(a_template.name)) continue;
    find(a_template.kv->at_key(), "has the name {name}, which is not in {list}",
         {{"name", a_template.name}, {"list", Trusted{std::string(kListKey)}}});
  }
}

Reason OnlyWithTokens(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (!vocabulary.why_unread().empty()) return vocabulary.why_unread();
  return vocabulary.key() != nullptr ? Reason() : Reason::Silent();
}

void TemplateSpecialTokensKnown(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  for (const Template& a_template : context.model.templates()) {
    const jinja::Analysis& analysis = a_template.analysis;
    if (analysis.is_skipped) {
      find.CannotCheck({kTemplatesSkipped, Reason::kIncomplete});
    }
    if (analysis.is_cut) {
      find.CannotCheck("a chat template is nested too deeply to be read");
    }
    if (!analysis.has_all_special_tokens) {
      find.CannotCheck("a chat template has more than a thousand special tokens");
    }
    uint64_t missing = 0;
    const jinja::Token* first = nullptr;
    for (const jinja::Token& token : analysis.special_tokens) {
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

}  // namespace

constexpr RuleTable kTemplateRules = {
    {.id = "template-size-bounded",
     .severities = {.upload = kWarning, .safety = kWarning},
     .summary = "A chat template should not be longer than 1 MiB.",
     .why = "A reader parses the template when it loads the model and runs it "
            "for every message; real templates are at most a few tens of "
            "kilobytes long.",
     .repair = "Remove long literal text from the template.",
     .citation = "Not in the specification; the limit leaves room for every "
                 "known template.",
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr uint64_t kLongest = 1 << 20;
           for (const Template& a_template : context.model.templates()) {
             const uint64_t size = a_template.text.size();
             if (size <= kLongest) continue;
             find(a_template.kv->at_value(), "is {size} bytes long, more than 1 MiB",
                  {{"size", size}});
           }
         }},
    {.id = "template-syntax",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "A chat template should be a valid Jinja template: tags, brackets, "
                "strings and blocks are closed, and statements are known.",
     .why = "The reader fails when it applies the template, or prompts the "
            "model without the template.",
     .repair = "Correct the template at the reported offset.",
     .citation = "gguf.md, tokenizer.chat_template: \"a Jinja template that "
                 "specifies the input format expected by the model\".",
     .check = FindFaults<FaultKind::kSyntax>},
    {.id = "template-nesting-bounded",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "A chat template shall be nested at most 64 levels deep, an "
                "expression shall have at most 1,000 operators, and an if at "
                "most 1,000 branches.",
     .why = "Template parsers recurse; llama.cpp's parser overflows its stack "
            "at 6,000 nested parentheses, while the model is loaded.",
     .repair = "Split the expression or the block.",
     .citation = "Not in the specification; Jinja2 3.1 fails at 70 nested parentheses, "
                 "99 nested if blocks or 198 additions in one expression.",
     .check = FindFaults<FaultKind::kNesting>},
    {.id = "template-loops-bounded",
     .severities = {.upload = kError, .safety = kError},
     .summary = "Loops of a chat template over range(), and over strings and lists "
                "made of constants, shall have at most 100,000 iterations, including "
                "nested loops and loops in macros that are called in loops or by one "
                "another. No loop shall extend the list over which it iterates.",
     .why = "The reader hangs or runs out of memory.",
     .repair = "Loop over the messages instead; extend a list only where no "
               "enclosing loop iterates over it.",
     .citation = "Not in the specification; Jinja2's sandbox rejects a longer range().",
     .check = FindFaults<FaultKind::kLoop>},
    {.id = "template-values-bounded",
     .severities = {.upload = kError, .safety = kError},
     .summary = "A chat template shall not create a string, list or number of "
                "more than 1,048,576 bytes, elements or digits from constants, "
                "from variables set to constants, or by setting a variable to "
                "several copies of itself in a loop or a macro.",
     .why = "For example, 'a' * 10**10 exhausts the memory of the reader.",
     .repair = "Create a smaller value.",
     .citation = "Not in the specification; no template is known to need such a value.",
     .check = FindFaults<FaultKind::kSize>},
    {.id = "template-attributes-safe",
     .severities = {.upload = kError, .safety = kError},
     .summary = "A chat template shall not name an attribute that leads from a value "
                "to Python's internals or to other programs. It shall not look up an "
                "attribute by a name that it assembles, nor an attribute of a "
                "function, a macro or a literal by a name from a message.",
     .why = "A reader that renders templates outside a sandbox runs code from "
            "the file. A name that is assembled when the template runs can be "
            "any name.",
     .repair = "Write attribute names as literals, and use only the fields of "
               "the messages and the functions that renderers provide, such as "
               "raise_exception.",
     .citation = "CVE-2024-34359, CVE-2026-5760; Jinja2, SandboxedEnvironment: "
                 "attributes that begin with an underscore, and internal ones, "
                 "are unsafe.",
     .check = FindFaults<FaultKind::kAttribute, FaultKind::kAttributeName>},
    {.id = "template-self-contained",
     .severities = {.upload = kError, .safety = kError},
     .summary = "A chat template shall not import, include or extend other templates.",
     .why = "A model file contains no other templates; a reader that looks for "
            "them reads files that the template names.",
     .repair = "Write the macros into the template.",
     .citation = "Not in the specification; llama.cpp does not support these "
                 "statements, and transformers has no loader for other templates.",
     .check = FindFaults<FaultKind::kOtherTemplate>},
    {.id = "template-macros-end",
     .severities = {.upload = kError, .safety = kError},
     .summary = "A macro of a chat template shall not call itself unconditionally, "
                "whether directly or through other macros. It shall not call itself, "
                "even conditionally, through a variable, argument, list, dict or "
                "namespace. In a recursive loop, the argument of loop() shall be an "
                "attribute or element of the loop variable.",
     .why = "The reader's stack overflows. A recursion into an attribute or "
            "element of the loop variable ends, because its nesting is finite.",
     .repair = "Make the call conditional and call the macro by its name; "
               "write loop(x.children), where x is the loop variable.",
     .citation = "Not in the specification; no reader can finish running the template.",
     .check = FindFaults<FaultKind::kEndlessMacro, FaultKind::kHeldMacro, FaultKind::kEndlessLoop>},
    {.id = "template-macros-not-recursive",
     .severities = {.upload = kNote, .safety = kNote},
     .summary = "A macro of a chat template should not call itself.",
     .why = "The depth of the recursion depends on the messages; a reader's "
            "stack may overflow.",
     .repair = "Limit the depth of the recursion.",
     .citation = "Not in the specification; Python's Jinja2 has its own limit, "
                 "but other implementations have none.",
     .check = FindFaults<FaultKind::kRecursiveMacro>},
    {.id = "template-names-listed",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "tokenizer.chat_templates should list the names of all named "
                "chat templates, and no others.",
     .why = "A program that offers the templates reads the list: it misses a "
            "template that is not listed, and looks for a listed one that does "
            "not exist.",
     .repair = "Regenerate the list from the keys tokenizer.chat_template.NAME.",
     .citation = "Not in the specification; gguf-py's add_chat_template() "
                 "writes the templates and the list.",
     .check = TemplateNamesListed},
    {.id = "template-special-tokens-known",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "The special tokens of the form <|NAME|>, <start_of_turn> and <end_of_turn> that a "
                "chat template writes should be tokens of the vocabulary.",
     .why = "A string that is not a token is split into pieces that the model "
            "was not trained on, and the model cannot tell where a message "
            "begins or ends.",
     .repair = "Use the template that belongs to the vocabulary.",
     .citation = "Not in the specification; llama.cpp splits a string that is "
                 "not a token into pieces.",
     .requirements = {OnlyWithTokens},
     .check = TemplateSpecialTokensKnown},
};

}  // namespace gguf
