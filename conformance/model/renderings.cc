// Renders a model's chat template for a fixed conversation.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/renderings.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/json.h"
#include "conformance/base/text.h"
#include "conformance/jinja/conversations.h"
#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "conformance/model/vocabulary.h"

namespace gguf {
namespace {

using jinja::Rendering;

using Message = std::pair<absl::string_view, absl::string_view>;  // Role and content.

class Renderer {
 public:
  Renderer(const Model& model, const Template& a_template)
      : tree_(*a_template.analysis.tree), tokens_(TokenVariables(model)) {}

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
    return jinja::Render(tree_, variables, options);
  }

 private:
  const jinja::Tree& tree_;
  jinja::Variables tokens_;
};

Renderings RenderTemplate(const Model& model) {
  Renderings renderings;
  for (const Template& each : model.templates()) {
    const jinja::Tree* tree = each.analysis.tree.get();
    if (!each.name.empty() || tree == nullptr || tree->is_cut || tree->error_count > 0) continue;
    const bool is_chat = absl::c_any_of(tree->words, [](const jinja::Token& word) {
      return word.kind == jinja::Token::kName && word.text == "messages";
    });
    if (!is_chat) continue;
    renderings.of = &each;
    const Renderer renderer(model, each);
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

}  // namespace

jinja::Variables TokenVariables(const Model& model) {
  static constexpr std::pair<const char*, const char*> kTokens[] = {
      {"bos", "bos"}, {"eos", "eos"}, {"unk", "unknown"}, {"pad", "padding"}};
  // llama.cpp sets these two, to nothing if the model has none.
  jinja::Variables variables = {{"bos_token", ""}, {"eos_token", ""}};
  for (const auto& [token, word] : kTokens) {
    const std::string key = absl::StrCat("tokenizer.ggml.", word, "_token_id");
    const KeyValue* kv = model.FindKey(key);
    const int64_t id = kv == nullptr ? -1 : IntegerOf(model.file, *kv).value_or(-1);
    const TokenTexts& tokens = model.vocabulary().tokens();
    if (id < 0 || static_cast<uint64_t>(id) >= tokens.size()) continue;
    if (!IsValidUtf8(tokens[id])) continue;
    variables.emplace_back(absl::StrCat(token, "_token"), std::string(tokens[id]));
  }
  return variables;
}

std::optional<jinja::Rendering> RenderFirstConversation(const Model& model) {
  const Template* const used = model.renderings().of;
  if (used == nullptr) return std::nullopt;
  jinja::Variables variables = TokenVariables(model);
  const Json messages = Json::parse(jinja::FixedConversations()[0].messages);
  const jinja::Variables chat = jinja::ChatVariables(messages, Json(), true);
  variables.insert(variables.end(), chat.begin(), chat.end());
  return jinja::Render(*used->analysis.tree, variables, {});
}

const Renderings& Model::renderings() const {
  if (renderings_ == nullptr) {
    renderings_ = std::make_shared<const Renderings>(RenderTemplate(*this));
  }
  return *renderings_;
}

}  // namespace gguf
