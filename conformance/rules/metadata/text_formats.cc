// Recognizes the formats of texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/metadata/text_formats.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "conformance/model/text_match.h"
#include "conformance/tables/iso_639.h"
#include "conformance/tables/spdx_ids.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// Finds a language by its code of two or three letters.  Returns its two-letter
// code, which is empty if it has none; nothing for an unknown language.
std::optional<absl::string_view> FindLanguage(absl::string_view code) {
  static const auto& languages = *[] {
    auto* all = new absl::flat_hash_map<absl::string_view, absl::string_view>;
    for (const LanguageRow& row : kIso639) {
      for (const absl::string_view codes : row.codes) {  // "aab" or "aar=aa"
        const absl::string_view two = codes.size() > 4 ? codes.substr(4) : "";
        all->emplace(codes.substr(0, 3), two);
        if (!two.empty()) all->emplace(two, two);
      }
    }
    return all;
  }();
  const auto found = languages.find(code);
  if (found == languages.end()) return std::nullopt;
  return found->second;
}

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
    if (colon == absl::string_view::npos || !IsIdString(word.substr(0, colon))) {
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
  const size_t end = std::min(text->find_first_of(" \t\n\v\f\r()"), text->size());
  const absl::string_view word = text->substr(0, end > 0 ? end : 1);
  text->remove_prefix(word.size());
  return word;
}

bool IsAndOr(absl::string_view word) {
  return absl::EqualsIgnoreCase(word, "AND") || absl::EqualsIgnoreCase(word, "OR");
}

}  // namespace

bool IsUrl(absl::string_view text) {
  static const RE2& url =
      *new RE2(R"([A-Za-z][A-Za-z0-9+.-]*://[^\x00-\x20/?#<>"]+[^\x00-\x20<>"]*)", RE2::Latin1);
  return Matches(url, text);
}

bool IsDoi(absl::string_view text) {
  static const RE2& doi =
      *new RE2(R"((?i:doi:|https?://(?:dx\.)?doi\.org/|https://www\.doi\.org/)?)"
               R"(10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\x00-\x20]+)",
               RE2::Latin1);
  return Matches(doi, text);
}

bool IsUuid(absl::string_view text) {
  static const RE2& uuid = *new RE2(
      R"((?i:urn:uuid:)?[[:xdigit:]]{8}(?:-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12})", RE2::Latin1);
  return Matches(uuid, text);
}

bool IsLanguage(absl::string_view text) {
  const std::optional<absl::string_view> two = FindLanguage(text);
  return two && (text.size() == 2 || two->empty());
}

absl::string_view TwoLetterLanguage(absl::string_view text) {
  // Codes that ISO 639 has replaced, and their successors.
  static constexpr absl::string_view kReplaced[][2] = {
      {"in", "id"}, {"iw", "he"}, {"ji", "yi"}, {"jw", "jv"}, {"mo", "ro"}};
  if (text.size() > 3) return "";
  for (const auto& [old_code, code] : kReplaced) {
    if (absl::EqualsIgnoreCase(text, old_code)) return code;
  }
  return FindLanguage(absl::AsciiStrToLower(text)).value_or("");
}

std::optional<SizeLabel> ParseSizeLabel(absl::string_view text) {
  // Numbers short enough to be exact, and a scale; then attributes.
  static const RE2& expression =
      *new RE2(R"((?:([0-9]{1,9})x)?([0-9]{1,9}(?:\.[0-9]{1,9})?)([KMBTQkmbtq]))"
               R"((?:-[A-Za-z]+(?:[0-9]+\.)?[0-9]+[A-Za-z]+)?)",
               RE2::Latin1);
  re2::StringPiece experts, number, scale;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression, &experts, &number,
                      &scale)) {
    return std::nullopt;
  }
  SizeLabel label;
  if (!experts.empty() &&
      !absl::SimpleAtoi(absl::string_view(experts.data(), experts.size()), &label.experts)) {
    return std::nullopt;
  }
  if (!absl::SimpleAtod(absl::string_view(number.data(), number.size()), &label.parameters)) {
    return std::nullopt;
  }
  static constexpr absl::string_view kScales = "KMBTQ";
  const size_t steps = kScales.find(absl::ascii_toupper(scale[0])) + 1;
  for (size_t i = 0; i < steps; ++i) label.parameters *= 1000;
  return label;
}

// Parses word by word.  Whether an expression is well formed does not depend on
// how strongly its operators bind; so a count of open parentheses replaces a
// stack.
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
      if (!IsException(word)) return {"is not an exception of the SPDX list", word};
      expected = kAfterAll;
    } else if (IsAndOr(word)) {
      expected = kLicense;
    } else if (word == ")" && open > 0) {
      --open;
      expected = kAfterAll;
    } else if (expected == kAfterLicense && absl::EqualsIgnoreCase(word, "WITH")) {
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
