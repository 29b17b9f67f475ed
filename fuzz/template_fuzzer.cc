// For any text, scanning it as a chat template terminates and is repeatable;
// its findings and tokens lie inside the text, the tokens in order; longer text
// at its end removes no finding.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/template_scan.h"
#include "fuzz/target.h"

namespace {

using gguf::Require;
using gguf::jinja::Fault;
using gguf::jinja::FaultKind;
using gguf::jinja::Lexer;
using gguf::jinja::TemplateScan;
using gguf::jinja::Token;

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

void CheckScan(absl::string_view text) {
  const TemplateScan scan = gguf::jinja::ScanTemplate(text);
  const TemplateScan again = gguf::jinja::ScanTemplate(text);
  for (int i = 0; i <= static_cast<int>(FaultKind::kEndlessLoop); ++i) {
    const Fault* fault = scan.faults.Find(static_cast<FaultKind>(i));
    const Fault* same = again.faults.Find(static_cast<FaultKind>(i));
    Require((fault == nullptr) == (same == nullptr));
    if (fault == nullptr) continue;
    Require(fault->begin <= fault->end && fault->end <= text.size());
    Require(fault->begin == same->begin && fault->count == same->count &&
            fault->text == same->text);
  }
  for (const Token& token : scan.special_tokens) {
    Require(text.substr(token.offset, token.text.size()) == token.text);
  }
}

// What is found does not depend on the length of the template.
void CheckLongTexts(absl::string_view text) {
  constexpr size_t kLong = 1 << 17;
  const TemplateScan scan = gguf::jinja::ScanTemplate(text);
  if (scan.faults.Find(FaultKind::kSyntax) != nullptr) return;
  const std::string longer = absl::StrCat(text, std::string(kLong, 'x'));
  const TemplateScan again = gguf::jinja::ScanTemplate(longer);
  for (int i = 0; i <= static_cast<int>(FaultKind::kEndlessLoop); ++i) {
    Require(scan.faults.Find(static_cast<FaultKind>(i)) == nullptr ||
            again.faults.Find(static_cast<FaultKind>(i)) != nullptr);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A copy of exact size, so that ASan detects a read past its end.
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckTokens(text);
  CheckScan(text);
  CheckLongTexts(text);
  return 0;
}
