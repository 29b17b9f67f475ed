// Recognizing the formats of texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/text_formats.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "conformance/rules/tables/iso_639.h"
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

bool IsTwoLetterLanguage(absl::string_view text) {
  return std::binary_search(kTwoLetterLanguages,
                            kTwoLetterLanguages + kTwoLetterLanguagesCount,
                            text);
}

const Language* FindLanguage(absl::string_view three) {
  const Language* const end = kLanguages + kLanguageCount;
  const Language* found = std::lower_bound(
      kLanguages, end, three, [](const Language& row, absl::string_view code) {
        return absl::string_view(row.three) < code;
      });
  return found != end && three == found->three ? found : nullptr;
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
  if (text.size() == 2) return IsTwoLetterLanguage(text);
  const Language* language = FindLanguage(text);
  return language != nullptr && language->two[0] == '\0';
}

absl::string_view TwoLetterLanguage(absl::string_view text) {
  if (text.size() > 3) return "";
  const std::string lower = absl::AsciiStrToLower(text);
  const absl::string_view* const end =
      kTwoLetterLanguages + kTwoLetterLanguagesCount;
  const absl::string_view* two =
      std::lower_bound(kTwoLetterLanguages, end, lower);
  if (two != end && *two == lower) return *two;
  const Language* language = FindLanguage(lower);
  return language == nullptr ? "" : language->two;
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
