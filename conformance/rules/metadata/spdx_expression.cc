// Parses licence expressions, word by word.
//
// Whether an expression is well formed does not depend on how strongly its
// operators bind; so a count of open parentheses replaces a stack.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/metadata/spdx_expression.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/tables/spdx_ids.h"

namespace gguf {
namespace {

bool IsListed(absl::string_view word, SpdxKind kind) {
  static const auto& kinds = *[] {
    auto* all = new absl::flat_hash_map<std::string, SpdxKind>;
    for (const SpdxId& row : kSpdxIds) {
      all->emplace(absl::AsciiStrToLower(row.id), row.kind);
    }
    return all;
  }();
  constexpr size_t kLongestId = 64;
  if (word.size() > kLongestId) return false;
  const auto found = kinds.find(absl::AsciiStrToLower(word));
  return found != kinds.end() && found->second == kind;
}

// Letters, digits, dashes and dots.
bool IsIdString(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '.';
  });
}

bool IsReference(absl::string_view word) {
  if (absl::ConsumePrefix(&word, "DocumentRef-")) {
    const size_t colon = word.find(':');
    if (colon == absl::string_view::npos ||
        !IsIdString(word.substr(0, colon))) {
      return false;
    }
    word.remove_prefix(colon + 1);
  }
  return absl::ConsumePrefix(&word, "LicenseRef-") && IsIdString(word);
}

bool IsLicense(absl::string_view word) {
  if (IsReference(word)) return true;
  absl::ConsumeSuffix(&word, "+");  // "Or any later version".
  return IsListed(word, SpdxKind::kLicense);
}

bool IsException(absl::string_view word) {
  return IsListed(word, SpdxKind::kException) ||
         (absl::ConsumePrefix(&word, "AdditionRef-") && IsIdString(word));
}

// Removes and returns the next word or parenthesis; empty at the end.
absl::string_view NextWord(absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  const size_t end =
      std::min(text->find_first_of(" \t\n\v\f\r()"), text->size());
  const absl::string_view word = text->substr(0, end > 0 ? end : 1);
  text->remove_prefix(word.size());
  return word;
}

bool IsAndOr(absl::string_view word) {
  return absl::EqualsIgnoreCase(word, "AND") ||
         absl::EqualsIgnoreCase(word, "OR");
}

}  // namespace

SpdxFault CheckSpdxExpression(absl::string_view text) {
  enum { kLicense, kException, kAfterLicense, kAfterAll } expected = kLicense;
  size_t open = 0;
  for (;;) {
    const absl::string_view word = NextWord(&text);
    if (word.empty()) break;
    if (expected == kLicense) {
      if (word == "(") {
        ++open;
      } else if (IsLicense(word)) {
        expected = kAfterLicense;
      } else {
        return {"is not a licence of the SPDX list", word};
      }
    } else if (expected == kException) {
      if (!IsException(word))
        return {"is not an exception of the SPDX list", word};
      expected = kAfterAll;
    } else if (IsAndOr(word)) {
      expected = kLicense;
    } else if (word == ")" && open > 0) {
      --open;
      expected = kAfterAll;
    } else if (expected == kAfterLicense &&
               absl::EqualsIgnoreCase(word, "WITH")) {
      expected = kException;
    } else {
      return {"stands where AND, OR or WITH is expected", word};
    }
  }
  if (expected == kLicense) return {"a licence is missing at the end", ""};
  if (expected == kException) return {"an exception is missing at the end", ""};
  if (open > 0) return {"a parenthesis is not closed", ""};
  return {};
}

}  // namespace gguf
