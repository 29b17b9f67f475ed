// Chat templates beside the rest of the file: their list of names, and the
// special tokens that they write.
//
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/strip.h"
#include "conformance/rules/sections.h"
#include "conformance/rules/templates.h"
#include "parser/value_walk.h"

namespace gguf {
namespace {

constexpr absl::string_view kListKey = "tokenizer.chat_templates";

// The strings of a list, with their places.
struct NameVisitor : ValueVisitor {
  void String(absl::string_view text, Range where, uint64_t element) {
    report(text, where, element);
  }
  std::function<void(absl::string_view, Range, uint64_t)> report;
};

constexpr Rule kTemplateNamesListed = {
    "template-names-listed",
    ByProfile("W-N-"),
    "tokenizer.chat_templates should list the names of the named chat "
    "templates, no more and no less.",
    "A program that offers the templates goes by the list: it misses one, or "
    "looks for one that is not there.",
    "Write the list anew from the keys tokenizer.chat_template.NAME.",
    "No norm: gguf-py, add_chat_template(), writes both."};

void TemplateNamesListed(const Model& model, Finder& find) {
  const KeyValue* list = model.FindKey(kListKey);
  absl::flat_hash_set<absl::string_view> listed, present;
  for (const KeyValue& kv : model.file.keys) {
    absl::string_view name = kv.key.value;
    if (absl::ConsumePrefix(&name, kChatTemplateKey) &&
        absl::ConsumePrefix(&name, ".")) {
      present.insert(name);
    }
  }
  if (list != nullptr) {
    NameVisitor visitor;
    visitor.report = [&](absl::string_view name, Range where, uint64_t i) {
      listed.insert(name);
      if (present.contains(name)) return;
      find(where, list->subject().Of("value").At(i),
           "is {name}, but there is no template of that name",
           {{"name", name}});
    };
    WalkValue(model.file, *list, &visitor);
  }
  for (const Template& a_template : model.templates()) {
    if (a_template.name.empty() || listed.contains(a_template.name)) continue;
    const KeyValue& kv = *a_template.kv;
    find(kv.key.where, kv.subject().Of("key"), "{name} is not in {list}",
         {{"name", a_template.name}, {"list", Word{std::string(kListKey)}}});
  }
}

constexpr Check kChecks[] = {
    {&kTemplateNamesListed, Needs::kKeys, TemplateNamesListed},
};

}  // namespace

absl::Span<const Check> TemplateNameChecks() { return kChecks; }

}  // namespace gguf
