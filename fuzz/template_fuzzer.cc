// For any text, parsing it as a chat template makes a tree of bounded depth whose nodes lie inside
// the text; its analysis ends and is repeatable, and longer text at its end removes no finding; and
// rendering it ends within its budget and is repeatable.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/analysis.h"
#include "conformance/jinja/interpreter.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/tree.h"
#include "fuzz/target.h"

namespace {

using gguf::Json;
using gguf::Require;
using gguf::jinja::Analysis;
using gguf::jinja::Fault;
using gguf::jinja::FaultKind;
using gguf::jinja::Lexer;
using gguf::jinja::Node;
using gguf::jinja::Rendering;
using gguf::jinja::Token;
using gguf::jinja::Tree;

constexpr int kLastFault = static_cast<int>(FaultKind::kEndlessLoop);

void CheckTokens(absl::string_view text) {
  Lexer lexer(text);
  size_t at = 0;
  for (size_t count = 0;; ++count) {
    const Token token = lexer.Next();
    Require(token.offset >= at && token.offset <= text.size());
    Require(token.text.size() <= text.size() - token.offset);
    if (token.kind == Token::kEnd) return;
    Require(!token.text.empty() && count < text.size());
    at = token.offset + token.text.size();
  }
}

void CheckNode(const Node& node, const Tree& tree) {
  Require(node.begin <= node.end && node.end <= tree.text.size());
  Require(node.depth <= gguf::jinja::kDeepestTree + 1);
  for (const Node& child : node.children()) {
    Require(child.depth < node.depth);
    CheckNode(child, tree);
  }
}

void CheckAnalysis(absl::string_view text) {
  const Analysis analysis = gguf::jinja::Analyze(text);
  const Analysis again = gguf::jinja::Analyze(text);
  CheckNode(*analysis.tree->root, *analysis.tree);
  for (int i = 0; i <= kLastFault; ++i) {
    const Fault* fault = analysis.faults.Find(static_cast<FaultKind>(i));
    const Fault* same = again.faults.Find(static_cast<FaultKind>(i));
    Require((fault == nullptr) == (same == nullptr));
    if (fault == nullptr) continue;
    Require(fault->begin <= fault->end && fault->end <= text.size());
    Require(fault->begin == same->begin && fault->count == same->count &&
            fault->text == same->text);
  }
  for (const Token& token : analysis.special_tokens) {
    Require(text.substr(token.offset, token.text.size()) == token.text);
  }
}

// What is found does not depend on the length of the template.
void CheckLongTexts(absl::string_view text) {
  constexpr size_t kLong = 1 << 17;
  const Analysis analysis = gguf::jinja::Analyze(text);
  if (analysis.tree->error_count > 0) return;
  const std::string longer = absl::StrCat(text, std::string(kLong, 'x'));
  const Analysis again = gguf::jinja::Analyze(longer);
  for (int i = 0; i <= kLastFault; ++i) {
    Require(analysis.faults.Find(static_cast<FaultKind>(i)) == nullptr ||
            again.faults.Find(static_cast<FaultKind>(i)) != nullptr);
  }
}

void CheckRendering(absl::string_view text) {
  const auto tree = gguf::jinja::Parse(text);
  gguf::jinja::MachineOptions options;
  options.most_steps = 20000;
  options.most_bytes = 1 << 20;
  options.is_immutable = text.size() % 2 == 0;
  const gguf::jinja::Variables variables = {
      {"messages", Json::parse(R"([{"role": "user", "content": "a b"},
                                   {"role": "assistant", "content": ["c", 1, null]}])")},
      {"add_generation_prompt", true},
      {"x", Json::parse(R"({"y": [1, 2.5, "z"]})")}};
  const Rendering rendering = gguf::jinja::Render(*tree, variables, options);
  const Rendering again = gguf::jinja::Render(*tree, variables, options);
  Require(rendering.outcome == again.outcome && rendering.text == again.text);
  Require(rendering.text.size() <= options.most_bytes);
  Require(rendering.begin <= rendering.end && rendering.end <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A copy of exact size, so that ASan detects a read past its end.
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckTokens(text);
  CheckAnalysis(text);
  CheckRendering(text);
  if (size > 0 && data[size - 1] % 16 == 0) CheckLongTexts(text);
  return 0;
}
