// Recognizes the formats of texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/metadata/text_formats.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "conformance/tables/iso_639.h"
#include "re2/re2.h"

namespace gguf {
namespace {

bool ConsumeIgnoringCase(absl::string_view prefix, absl::string_view* text) {
  if (!absl::StartsWithIgnoreCase(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

bool Matches(const RE2& expression, absl::string_view text) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression);
}

bool HasTwoLetters(const Language& language) { return language.two[0] != '-'; }

// Finds a language by its code of two or three letters.
const Language* FindLanguage(absl::string_view code) {
  static const auto& languages = *[] {
    auto* all = new absl::flat_hash_map<absl::string_view, const Language*>;
    for (const Language& row : kIso639) {
      all->emplace(row.three, &row);
      if (HasTwoLetters(row)) all->emplace(row.two, &row);
    }
    return all;
  }();
  const auto found = languages.find(code);
  return found == languages.end() ? nullptr : found->second;
}

}  // namespace

bool IsUrl(absl::string_view text) {
  static const RE2& url = *new RE2(
      R"([A-Za-z][A-Za-z0-9+.-]*://[^\x00-\x20/?#<>"]+[^\x00-\x20<>"]*)",
      RE2::Latin1);
  return Matches(url, text);
}

bool IsDoi(absl::string_view text) {
  static const RE2& doi =
      *new RE2(R"(10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\x00-\x20]+)", RE2::Latin1);
  for (const absl::string_view resolver :
       {"doi:", "https://doi.org/", "http://doi.org/", "https://dx.doi.org/",
        "http://dx.doi.org/", "https://www.doi.org/"}) {
    if (ConsumeIgnoringCase(resolver, &text)) break;
  }
  return Matches(doi, text);
}

bool IsUuid(absl::string_view text) {
  static constexpr absl::string_view kShape =
      "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  ConsumeIgnoringCase("urn:uuid:", &text);
  if (text.size() != kShape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool fits =
        kShape[i] == '-' ? text[i] == '-' : absl::ascii_isxdigit(text[i]);
    if (!fits) return false;
  }
  return true;
}

bool IsLanguage(absl::string_view text) {
  const Language* language = FindLanguage(text);
  return language != nullptr && (text.size() == 2 || !HasTwoLetters(*language));
}

absl::string_view TwoLetterLanguage(absl::string_view text) {
  if (text.size() > 3) return "";
  const Language* language = FindLanguage(absl::AsciiStrToLower(text));
  return language != nullptr && HasTwoLetters(*language) ? language->two : "";
}

std::optional<SizeLabel> ParseSizeLabel(absl::string_view text) {
  // Numbers short enough to be exact, and a scale; then attributes.
  static const RE2& expression = *new RE2(
      R"((?:([0-9]{1,9})x)?([0-9]{1,9}(?:\.[0-9]{1,9})?)([KMBTQkmbtq]))"
      R"((?:-[A-Za-z]+(?:[0-9]+\.)?[0-9]+[A-Za-z]+)?)",
      RE2::Latin1);
  re2::StringPiece experts, number, scale;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression,
                      &experts, &number, &scale)) {
    return std::nullopt;
  }
  SizeLabel label;
  if (!experts.empty() &&
      !absl::SimpleAtoi(absl::string_view(experts.data(), experts.size()),
                        &label.experts)) {
    return std::nullopt;
  }
  if (!absl::SimpleAtod(absl::string_view(number.data(), number.size()),
                        &label.parameters)) {
    return std::nullopt;
  }
  static constexpr absl::string_view kScales = "KMBTQ";
  const size_t steps = kScales.find(absl::ascii_toupper(scale[0])) + 1;
  for (size_t i = 0; i < steps; ++i) label.parameters *= 1000;
  return label;
}

}  // namespace gguf
