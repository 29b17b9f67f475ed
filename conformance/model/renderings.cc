// Renders a model's chat template for a fixed conversation.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/renderings.h"

#include <initializer_list>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/json.h"

namespace gguf {
namespace {

using jinja::Rendering;

using Message = std::pair<absl::string_view, absl::string_view>;  // Role and content.

// All renderings of a file have the same date.
constexpr char kDate[] = "2026-01-01";

class Renderer {
 public:
  Renderer(const File& file, const Template& a_template, const Vocabulary& vocabulary)
      : tree_(*a_template.analysis.tree) {
    for (const char* token : {"bos", "eos", "unk", "pad"}) {
      const std::string key = absl::StrCat("tokenizer.ggml.", token, "_token_id");
      const std::string alias = absl::StrCat("tokenizer.ggml.", token, "ding_token_id");
      for (const KeyValue& kv : file.keys) {
        if (kv.key.value != key && kv.key.value != alias) continue;
        const auto id = IntegerOf(file, kv);
        if (!id || *id < 0 || *id >= vocabulary.tokens().size()) continue;
        const absl::string_view text = vocabulary.tokens()[*id];
        if (IsValidUtf8(text))
          tokens_.emplace_back(absl::StrCat(token, "_token"), std::string(text));
      }
    }
  }

  Rendering Render(std::initializer_list<Message> messages, bool add_generation_prompt) const {
    Json list = Json::array();
    for (const auto& [role, content] : messages) {
      list.push_back({{"role", std::string(role)}, {"content", std::string(content)}});
    }
    jinja::Variables variables = tokens_;
    variables.emplace_back("messages", std::move(list));
    variables.emplace_back("add_generation_prompt", add_generation_prompt);
    jinja::MachineOptions options;
    options.is_immutable = false;
    options.date = kDate;
    return jinja::Render(tree_, variables, options);
  }

 private:
  const jinja::Tree& tree_;
  jinja::Variables tokens_;
};

}  // namespace

Renderings RenderTemplate(const File& file, const std::vector<Template>& templates,
                          const Vocabulary& vocabulary) {
  Renderings renderings;
  for (const Template& each : templates) {
    const jinja::Tree* tree = each.analysis.tree.get();
    if (!each.name.empty() || tree == nullptr || tree->is_cut || tree->error_count > 0) continue;
    const bool is_chat = absl::c_any_of(tree->words, [](const jinja::Token& word) {
      return word.kind == jinja::Token::kName && word.text == "messages";
    });
    if (!is_chat) continue;
    renderings.of = &each;
    const Renderer renderer(file, each, vocabulary);
    renderings.one = renderer.Render({{"user", kLastMark}}, true);
    if (renderings.one.outcome == Rendering::kOverBudget) return renderings;
    const Message system("system", kSystemMark), first("user", kFirstMark),
        answer("assistant", kAnswerMark), last("user", kLastMark);
    renderings.turns = renderer.Render({system, first, answer, last}, true);
    renderings.has_system = renderings.turns.outcome != Rendering::kRaised;
    if (renderings.has_system) {
      renderings.without_prompt = renderer.Render({system, first, answer, last}, false);
    } else {
      renderings.turns = renderer.Render({first, answer, last}, true);
      renderings.without_prompt = renderer.Render({first, answer, last}, false);
    }
    return renderings;
  }
  return renderings;
}

}  // namespace gguf
