// Checks of chat templates: programs in a file that readers run.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "conformance/jinja/faults.h"
#include "conformance/jinja/template_scan.h"
#include "conformance/model/templates.h"
#include "conformance/rules/template/checks.h"

namespace gguf {
namespace {

using jinja::FaultKind;

// Formats a number: all digits while they are exact.
Word Digits(double number) {
  constexpr double kMostExact = 9007199254740992;  // 2 ** 53
  if (std::isinf(number)) return Word{"infinitely many"};
  if (!(number < kMostExact)) return Word{absl::StrCat(number)};
  return Word{absl::StrCat(static_cast<uint64_t>(std::ceil(number)))};
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

// Returns whether the scan finds all faults of this kind in a template with any
// number of variables.
bool IsLocal(FaultKind kind) {
  return kind == FaultKind::kSyntax || kind == FaultKind::kNesting ||
         kind == FaultKind::kOtherTemplate;
}

void FindFault(const Template& a_template, FaultKind kind, Finder& find) {
  const jinja::TemplateScan& scan = a_template.scan;
  if (scan.is_skipped) {
    find.CannotCheck({kTemplatesSkipped, Reason::kIncomplete});
  } else if (scan.is_cut && kind != FaultKind::kNesting) {
    find.CannotCheck("a chat template is nested too deeply to be read");
  } else if (scan.is_too_rich && !IsLocal(kind)) {
    find.CannotCheck({"a chat template has too many variables to follow",
                      Reason::kIncomplete});
  }
  const jinja::Fault* fault = scan.faults.Find(kind);
  if (fault == nullptr) return;
  find(a_template.Where(fault->begin, fault->end),
       a_template.kv->subject().Of("value"),
       absl::StrCat(SentenceOf(kind),
                    fault->count == 1 ? "" : ", the first of {count}"),
       {{"text", absl::string_view(fault->text)},
        {"why", Word{fault->why}},
        {"number", Digits(fault->number)},
        {"count", uint64_t{fault->count}}});
}

// Reports the faults of these kinds in the templates.
template <FaultKind... kinds>
void FindFaults(const Model& model, Finder& find) {
  for (const Template& a_template : model.templates()) {
    (FindFault(a_template, kinds, find), ...);
  }
}

constexpr Rule kTemplateSizeBounded = {
    "template-size-bounded",
    Severities().Upload(kWarning).Safety(kWarning),
    "A chat template should not be longer than 1 MiB.",
    "A reader parses the template when it loads the model and runs it for "
    "every message; real templates are at most a few tens of kilobytes long.",
    "Remove long literal text from the template.",
    "Not in the specification; the limit leaves room for every known "
    "template."};

void TemplateSizeBounded(const Model& model, Finder& find) {
  constexpr uint64_t kLongest = 1 << 20;
  for (const Template& a_template : model.templates()) {
    const uint64_t size = a_template.text.size();
    if (size <= kLongest) continue;
    find(a_template.kv->at_value(), "is {size} bytes long", {{"size", size}});
  }
}

constexpr Rule kTemplateSyntax = {
    "template-syntax",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    "A chat template should be a valid Jinja template: tags, brackets, strings "
    "and blocks are closed, and statements are known.",
    "The reader fails when it applies the template, or prompts the model "
    "without the template.",
    "Correct the template at the reported offset.",
    "gguf.md, tokenizer.chat_template: \"a Jinja template that specifies the "
    "input format expected by the model\"."};

constexpr Rule kTemplateNestingBounded = {
    "template-nesting-bounded",
    Severities().Upload(kError).LlamaCpp(kWarning).Safety(kError),
    "A chat template shall be nested at most 64 levels deep, an expression "
    "shall have at most 1,000 operators, and an if at most 1,000 branches.",
    "Template parsers recurse; llama.cpp's parser overflows its stack at 6,000 "
    "nested parentheses, while the model is loaded.",
    "Split the expression or the block.",
    "Not in the specification; Jinja2 3.1 fails at 70 nested parentheses, 99 "
    "nested if blocks or 198 additions in one expression."};

constexpr Rule kTemplateLoopsBounded = {
    "template-loops-bounded",
    Severities().Upload(kError).Safety(kError),
    "Loops of a chat template over range(), and over strings and lists made of "
    "constants, shall have at most 100,000 iterations, including nested loops "
    "and loops in macros that are called in loops or by one another. No loop "
    "shall extend the list over which it iterates.",
    "The reader hangs or runs out of memory.",
    "Loop over the messages instead; extend a list only where no enclosing "
    "loop iterates over it.",
    "Not in the specification; Jinja2's sandbox rejects a longer range()."};

constexpr Rule kTemplateValuesBounded = {
    "template-values-bounded",
    Severities().Upload(kError).Safety(kError),
    "A chat template shall not create a string, list or number of more than "
    "1,048,576 bytes, elements or digits from constants, from variables set to "
    "constants, or by setting a variable to several copies of itself in a loop "
    "or a macro.",
    "For example, 'a' * 10**10 exhausts the memory of the reader.",
    "Create a smaller value.",
    "Not in the specification; no template is known to need such a value."};

constexpr Rule kTemplateAttributesSafe = {
    "template-attributes-safe",
    Severities().Upload(kError).Safety(kError),
    "A chat template shall not name an attribute that leads from a value to "
    "Python's internals or to other programs. It shall not look up an "
    "attribute by a name that it assembles, nor an attribute of a function, a "
    "macro or a literal by a name from a message.",
    "A reader that renders templates outside a sandbox runs code from the "
    "file. A name that is assembled when the template runs can be any name.",
    "Write attribute names as literals, and use only the fields of the "
    "messages and the functions that renderers provide, such as "
    "raise_exception.",
    "CVE-2024-34359, CVE-2026-5760; Jinja2, SandboxedEnvironment: attributes "
    "that begin with an underscore, and internal ones, are unsafe."};

constexpr Rule kTemplateSelfContained = {
    "template-self-contained",
    Severities().Upload(kError).Safety(kError),
    "A chat template shall not import, include or extend other templates.",
    "A model file contains no other templates; a reader that looks for them "
    "reads files that the template names.",
    "Write the macros into the template.",
    "Not in the specification; llama.cpp does not support these statements, "
    "and transformers has no loader for other templates."};

constexpr Rule kTemplateMacrosEnd = {
    "template-macros-end",
    Severities().Upload(kError).Safety(kError),
    "A macro of a chat template shall not call itself unconditionally, "
    "whether directly or through other macros. It shall not call itself, even "
    "conditionally, through a variable, argument, list, dict or namespace. In "
    "a recursive loop, the argument of loop() shall be an attribute or element "
    "of the loop variable.",
    "The reader's stack overflows. A recursion into an attribute or element of "
    "the loop variable ends, because its nesting is finite.",
    "Make the call conditional and call the macro by its name; write "
    "loop(x.children), where x is the loop variable.",
    "Not in the specification; no reader can finish running the template."};

constexpr Rule kTemplateMacrosNotRecursive = {
    "template-macros-not-recursive",
    Severities().Safety(kNote),
    "A macro of a chat template should not call itself.",
    "The depth of the recursion depends on the messages; a reader's stack may "
    "overflow.",
    "Limit the depth of the recursion.",
    "Not in the specification; Python's Jinja2 has its own limit, but other "
    "implementations have none."};

constexpr Check kChecks[] = {
    {&kTemplateSizeBounded, Needs::kKeys, TemplateSizeBounded},
    {&kTemplateSyntax, Needs::kKeys, FindFaults<FaultKind::kSyntax>},
    {&kTemplateNestingBounded, Needs::kKeys, FindFaults<FaultKind::kNesting>},
    {&kTemplateLoopsBounded, Needs::kKeys, FindFaults<FaultKind::kLoop>},
    {&kTemplateValuesBounded, Needs::kKeys, FindFaults<FaultKind::kSize>},
    {&kTemplateAttributesSafe, Needs::kKeys,
     FindFaults<FaultKind::kAttribute, FaultKind::kAttributeName>},
    {&kTemplateSelfContained, Needs::kKeys,
     FindFaults<FaultKind::kOtherTemplate>},
    {&kTemplateMacrosEnd, Needs::kKeys,
     FindFaults<FaultKind::kEndlessMacro, FaultKind::kHeldMacro,
                FaultKind::kEndlessLoop>},
    {&kTemplateMacrosNotRecursive, Needs::kKeys,
     FindFaults<FaultKind::kRecursiveMacro>},
};

}  // namespace

absl::Span<const Check> TemplateChecks() { return kChecks; }

}  // namespace gguf
