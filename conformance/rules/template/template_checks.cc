// Chat templates: programs in a file, which readers run.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "conformance/jinja/faults.h"
#include "conformance/jinja/template_scan.h"
#include "conformance/rules/template/checks.h"
#include "conformance/model/templates.h"

namespace gguf {
namespace {

using jinja::FaultKind;

// As digits, as long as these are all known.
Word Digits(double number) {
  constexpr double kMostExact = 9007199254740992;  // 2 ** 53
  if (std::isinf(number)) return Word{"ever more"};
  if (!(number < kMostExact)) return Word{absl::StrCat(number)};
  return Word{absl::StrCat(static_cast<uint64_t>(std::ceil(number)))};
}

// What to say of a fault: {text}, {why} and {number} are its own.
absl::string_view SentenceOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kSyntax:
      return "has {text}, which {why}";
    case FaultKind::kNesting:
      return "{why}";
    case FaultKind::kLoop:
      return "has {why} of {number} rounds";
    case FaultKind::kSize:
      return "makes a value of {number} bytes, elements or digits";
    case FaultKind::kAttribute:
      return "names {text}";
    case FaultKind::kOtherTemplate:
      return "has the statement {text}";
    case FaultKind::kEndlessMacro:
      return "has the macro {text}, which always leads to itself";
    case FaultKind::kRecursiveMacro:
      return "has the macro {text}, which may lead to itself";
  }
  return "";
}

// Reports the templates' faults of the kind.
template <FaultKind kind>
void FindFaults(const Model& model, Finder& find) {
  for (const Template& a_template : model.templates()) {
    const jinja::TemplateScan& scan = a_template.scan;
    if (scan.is_cut && kind != FaultKind::kNesting) {
      find.CannotCheck("a chat template is nested too deep to be read");
    }
    const jinja::Fault* fault = scan.faults.Find(kind);
    if (fault == nullptr) continue;
    find(a_template.Where(fault->begin, fault->end),
         a_template.kv->subject().Of("value"),
         absl::StrCat(SentenceOf(kind),
                      fault->count == 1 ? "" : ", the first of {count}"),
         {{"text", absl::string_view(fault->text)},
          {"why", Word{fault->why}},
          {"number", Digits(fault->number)},
          {"count", uint64_t{fault->count}}});
  }
}

constexpr Rule kTemplateSizeBounded = {
    "template-size-bounded",
    Severities().Upload(kWarning).Safety(kWarning),
    Since("0.1.0"),
    "A chat template should not be longer than 1 MiB.",
    "A reader parses it when the model is loaded, and runs all of it for every "
    "message; real ones have up to some tens of kilobytes.",
    "Leave long texts out of the template.",
    "No norm: the limit is a hundred times what is known to be in use."};

void TemplateSizeBounded(const Model& model, Finder& find) {
  constexpr uint64_t kLongest = 1 << 20;
  for (const Template& a_template : model.templates()) {
    const uint64_t size = a_template.text.size();
    if (size <= kLongest) continue;
    const KeyValue& kv = *a_template.kv;
    find(kv.value, kv.subject().Of("value"), "is {size} bytes long",
         {{"size", size}});
  }
}

constexpr Rule kTemplateSyntax = {
    "template-syntax",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    Since("0.1.0"),
    "A chat template should be a template of Jinja: tags, brackets, strings "
    "and "
    "blocks that are opened are closed, and statements are known.",
    "The reader that applies the template fails, or talks to the model without "
    "it.  The rule does not see every mistake inside of an expression.",
    "Correct the template where the offset points to.",
    "gguf.md, tokenizer.chat_template: \"A Jinja template that specifies the "
    "input format expected by the model\"."};

constexpr Rule kTemplateNestingBounded = {
    "template-nesting-bounded",
    Severities().Upload(kError).LlamaCpp(kWarning).Safety(kError),
    Since("0.1.0"),
    "A chat template shall not be nested more than 64 deep, and no expression "
    "shall have more than a thousand operators, no if more branches.",
    "Parsers of templates recurse; llama.cpp's overflows its stack at six "
    "thousand parentheses, when the model is loaded.",
    "Split the expression or the block.",
    "No norm: Jinja2 3.1 gives up at 70 parentheses, 99 if blocks and 198 "
    "additions."};

constexpr Rule kTemplateLoopsBounded = {
    "template-loops-bounded",
    Severities().Upload(kError).Safety(kError),
    Since("0.1.0"),
    "Loops of a chat template shall have at most 100,000 rounds, also when "
    "nested or in macros that are called in loops or by one another.",
    "The reader is busy for ever, or out of memory.  The rule sees loops over "
    "range() and over texts and lists that are made of constants, no more.",
    "Loop over the messages.",
    "No norm: Jinja2's sandbox refuses a longer range()."};

constexpr Rule kTemplateValuesBounded = {
    "template-values-bounded",
    Severities().Upload(kError).Safety(kError),
    Since("0.1.0"),
    "A chat template shall not make a text, list or number of more than "
    "1,048,576 bytes, elements or digits out of constants.",
    "'a' * 10**10 fills the memory of the reader.  The rule sees what "
    "constants and variables set to them make, and what is set to several "
    "copies of itself in a loop or a macro.",
    "Write the text as it stands.",
    "No norm: no template is known to need it."};

constexpr Rule kTemplateAttributesSafe = {
    "template-attributes-safe",
    Severities().Upload(kError).Safety(kError),
    Since("0.1.0"),
    "A chat template shall not name attributes that lead from a value to "
    "Python's internals or to programs.",
    "A reader that renders templates outside of a sandbox runs what the file "
    "says.  Names made of constants are seen, and of variables set to them, "
    "also "
    "where the template only prints the name: what becomes of a value is not "
    "followed.  A name that is put together when the template runs is not "
    "seen; a template that has pieces of such names, and takes attributes of "
    "names that are not fixed, is said to be not checked.",
    "Use what the messages hold, and the functions of chat templates.",
    "CVE-2024-34359, CVE-2026-5760; Jinja2, SandboxedEnvironment: attributes "
    "that begin with an underscore, and internal ones, are unsafe."};

void TemplateAttributesSafe(const Model& model, Finder& find) {
  for (const Template& a_template : model.templates()) {
    if (a_template.scan.is_too_rich) {
      find.CannotCheck("a chat template has too many variables to follow");
    } else if (a_template.scan.has_unknown_attribute) {
      find.CannotCheck(
          "a chat template puts an attribute's name together when it runs");
    }
  }
  FindFaults<FaultKind::kAttribute>(model, find);
}

constexpr Rule kTemplateSelfContained = {
    "template-self-contained",
    Severities().Upload(kError).Safety(kError),
    Since("0.1.0"),
    "A chat template shall not import, include or extend other templates.",
    "There are none in a model file; a reader that looks for them reads files "
    "whose names the template says.",
    "Write the macros into the template.",
    "No norm: llama.cpp knows no such statement, and transformers has no "
    "loader "
    "for it."};

constexpr Rule kTemplateMacrosEnd = {
    "template-macros-end",
    Severities().Upload(kError).Safety(kError),
    Since("0.1.0"),
    "A macro of a chat template shall not always call itself, directly or "
    "through others.",
    "The reader's stack overflows as soon as it is called.",
    "Call it under a condition.",
    "No norm: no reader can finish."};

constexpr Rule kTemplateMacrosNotRecursive = {
    "template-macros-not-recursive",
    Severities().Safety(kNote),
    Since("0.1.0"),
    "A macro of a chat template should not call itself.",
    "How deep it goes depends on the messages; a reader's stack may overflow.  "
    "Templates that write out schemas of tools do it.",
    "Bound the depth.",
    "No norm: Python's Jinja2 has a limit of its own, others do not."};

constexpr Check kChecks[] = {
    {&kTemplateSizeBounded, Needs::kKeys, TemplateSizeBounded},
    {&kTemplateSyntax, Needs::kKeys, FindFaults<FaultKind::kSyntax>},
    {&kTemplateNestingBounded, Needs::kKeys, FindFaults<FaultKind::kNesting>},
    {&kTemplateLoopsBounded, Needs::kKeys, FindFaults<FaultKind::kLoop>},
    {&kTemplateValuesBounded, Needs::kKeys, FindFaults<FaultKind::kSize>},
    {&kTemplateAttributesSafe, Needs::kKeys, TemplateAttributesSafe},
    {&kTemplateSelfContained, Needs::kKeys,
     FindFaults<FaultKind::kOtherTemplate>},
    {&kTemplateMacrosEnd, Needs::kKeys, FindFaults<FaultKind::kEndlessMacro>},
    {&kTemplateMacrosNotRecursive, Needs::kKeys,
     FindFaults<FaultKind::kRecursiveMacro>},
};

}  // namespace

absl::Span<const Check> TemplateChecks() { return kChecks; }

}  // namespace gguf
