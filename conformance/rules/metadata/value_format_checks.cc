// Checks of the values of the standardized keys: formats of texts, listed
// values, and groups of keys that are counted.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/metadata/checks.h"
#include "conformance/rules/metadata/text_formats.h"

namespace gguf {
namespace {

// Returns the keys of the format.
std::vector<KnownKey> KeysOf(const Model& model, ValueFormat format) {
  std::vector<KnownKey> keys;
  for (const KnownKey& key : model.known_keys().rows()) {
    if (key.row != nullptr && key.row->format == format) keys.push_back(key);
  }
  return keys;
}

// Reports the strings of this format that are not right.
template <ValueFormat format, bool (*is_right)(absl::string_view)>
void FindBadTexts(const Model& model, Finder& find) {
  for (const auto& [kv, row] : KeysOf(model, format)) {
    const auto text = model.file.String(kv);
    if (!text || is_right(*text)) continue;
    find(kv.at_value(), "is {value}", {{"value", *text}});
  }
}

constexpr Rule kLicenseSpdx = {
    "license-spdx",
    Severities().Upload(kNote).Spec(kNote),
    "general.license should be an SPDX licence expression.",
    "Tools that make decisions based on the licence do not understand free "
    "text.",
    "Write an identifier from the SPDX licence list, or LicenseRef- followed "
    "by a name that you choose; the licence's name belongs in "
    "general.license.name.",
    "gguf.md, general metadata: \"License of the model, expressed as a "
    "[SPDX license expression](https://spdx.github.io/spdx-spec/v2-draft/"
    "SPDX-license-expressions/)\"."};

// Returns whether the text is written like sentences, and neither like the name
// of a licence, in which most words begin with a capital, nor like an
// expression, in which every second word is an operator.
bool IsProse(absl::string_view text) {
  constexpr size_t kLongestName = 100;
  constexpr int kFewWords = 5;
  if (absl::StrContains(text, '\n') || text.size() > kLongestName) return true;
  const std::vector<absl::string_view> words =
      absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.size() > 1 && absl::EndsWith(text, ".")) return true;
  const auto lower = std::count_if(
      words.begin(), words.end(),
      [](absl::string_view word) { return absl::ascii_islower(word[0]); });
  return words.size() >= kFewWords && 3 * lower > 2 * words.size();
}

// Returns what a text is that can only be a URL or the text of a licence, or
// null for any other text.
const char* UrlOrProse(absl::string_view text) {
  if (absl::StrContains(text, "://")) {
    return "has a URL, which belongs in general.license.link";
  }
  if (IsProse(text)) {
    return "has the text of a licence, not an SPDX expression such as MIT";
  }
  return nullptr;
}

void LicenseSpdx(const Model& model, Finder& find) {
  for (const auto& [kv, row] : KeysOf(model, ValueFormat::kSpdx)) {
    const auto text = model.file.String(kv);
    if (!text) continue;
    const SpdxFault fault = CheckSpdxExpression(*text);
    if (fault.why == nullptr || UrlOrProse(*text) != nullptr) continue;
    find(kv.at_value(),
         fault.word.empty() ? "is {value}: {why}" : "is {value}: {word} {why}",
         {{"value", *text}, {"word", fault.word}, {"why", Word{fault.why}}});
  }
}

constexpr Rule kLicenseExpressionOnly = {
    "license-expression-only",
    Severities().Upload(kNote).Spec(kWarning),
    "general.license should not be a URL or the text of the licence.",
    "Tools that make decisions based on the licence look for an identifier.",
    "Write the identifier of the licence, or LicenseRef- followed by a name "
    "that you choose; a URL belongs in general.license.link, and a name in "
    "general.license.name.",
    "gguf.md, general metadata: \"Do not include any other information, such "
    "as the license text or the URL to the license\".",
    Since("0.2.0")};

void LicenseExpressionOnly(const Model& model, Finder& find) {
  for (const auto& [kv, row] : KeysOf(model, ValueFormat::kSpdx)) {
    const auto text = model.file.String(kv);
    if (!text || CheckSpdxExpression(*text).why == nullptr) continue;
    const char* const why = UrlOrProse(*text);
    if (why == nullptr) continue;
    find(kv.at_value(), "{why}: {value}",
         {{"why", Word{why}}, {"value", *text}});
  }
}

constexpr Rule kUrlFormat = {
    "url-format",
    Severities().Upload(kNote).Spec(kWarning),
    "A URL should have a scheme, \"://\" and a host.",
    "Programs cannot open a URL that lacks one of these.",
    "Write the whole URL, for example https://example.org/model.",
    "gguf.md, general metadata: \"URL to the model's homepage\" and others."};

constexpr Rule kDoiFormat = {
    "doi-format",
    Severities().Upload(kNote).Spec(kWarning),
    "A DOI should have the form 10.REGISTRANT/SUFFIX, alone or after \"doi:\" "
    "or \"https://doi.org/\".",
    "A resolver does not find a DOI in any other form.",
    "Write the DOI in the form 10.1000/182.",
    "gguf.md, general metadata: \"Digital Object Identifier (DOI)\"."};

constexpr Rule kUuidFormat = {
    "uuid-format",
    Severities().Upload(kNote).Spec(kWarning),
    "A UUID should consist of 32 hexadecimal digits in groups of 8-4-4-4-12, "
    "alone or after \"urn:uuid:\".",
    "Programs do not recognize the same UUID in a different form.",
    "Write the UUID in the form f81d4fae-7dec-11d0-a765-00a0c91e6bf6.",
    "gguf.md, general metadata: \"Universally unique identifier\"."};

constexpr Rule kSizeLabelFormat = {
    "size-label-format",
    Severities().Upload(kNote).Spec(kNote),
    "general.size_label should have the form 7B, 8x7B or 30B-A3B, with one of "
    "the units K, M, B, T and Q.",
    "The label becomes part of the file's name, and tools read the size from "
    "it.",
    "Write the number of parameters in one of these forms, or leave the key "
    "out.",
    "gguf.md, naming convention: \"Parameter weight class [...] represented as "
    "`<expertCount>x<count><scale-prefix>`\"."};

bool IsSizeLabel(absl::string_view text) {
  return ParseSizeLabel(text).has_value();
}

constexpr Rule kLanguageIso639 = {
    "language-iso-639",
    Severities().Upload(kNote).Spec(kWarning),
    "A language should be given by its two-letter ISO 639 code, or by its "
    "three-letter code if it has no two-letter code.",
    "Searches by language do not find the model.",
    "Write en, not eng, EN, en-US or English.",
    "gguf.md, general metadata: \"Encoded as [ISO 639]"
    "(https://en.wikipedia.org/wiki/List_of_ISO_639_language_codes) two letter "
    "codes\"."};

void LanguageIso639(const Model& model, Finder& find) {
  for (const auto& [kv, row] : KeysOf(model, ValueFormat::kLanguage)) {
    FirstString unknown;
    ForEachString(model.file, kv,
                  [&](absl::string_view text, Range where, uint64_t i) {
                    if (!IsLanguage(text)) unknown.Add(text, where, i);
                  });
    if (unknown.count == 0) continue;
    const absl::string_view meant = TwoLetterLanguage(unknown.text);
    find(unknown.where, unknown.SubjectOf(kv),
         absl::StrCat("is {language}", meant.empty() ? "" : ", not {meant}",
                      unknown.count == 1 ? "" : " (the first of {count})"),
         {{"language", unknown.text},
          {"meant", Word{std::string(meant)}},
          {"count", unknown.count}});
  }
}

constexpr Rule kLanguageTwoLetters = {
    "language-two-letters",
    Severities().Spec(kNote),
    "A language should have a two-letter code.",
    "A reader that follows the specification does not know three-letter codes.",
    "No change is needed: ISO 639 has no two-letter code for the language.",
    "gguf.md, general metadata: \"Encoded as [ISO 639]"
    "(https://en.wikipedia.org/wiki/List_of_ISO_639_language_codes) two letter "
    "codes\".",
    Since("0.2.0")};

void LanguageTwoLetters(const Model& model, Finder& find) {
  for (const auto& [kv, row] : KeysOf(model, ValueFormat::kLanguage)) {
    FirstString longer;
    ForEachString(model.file, kv,
                  [&](absl::string_view text, Range where, uint64_t i) {
                    if (text.size() != 2 && IsLanguage(text))
                      longer.Add(text, where, i);
                  });
    if (longer.count == 0) continue;
    find(longer.where, longer.SubjectOf(kv),
         longer.count == 1 ? "is {language}"
                           : "is {language} (the first of {count})",
         {{"language", longer.text}, {"count", longer.count}});
  }
}

// Reports values that are not among the words of their rows.
template <ValueFormat format>
void FindUnlisted(const Model& model, Finder& find) {
  for (const auto& [kv, row] : KeysOf(model, format)) {
    // llama.cpp's tools read the keys that its loader reads never, or only in
    // adapters.
    if (format == ValueFormat::kLoaded && row->reading != Reading::kNever &&
        row->reading != Reading::kAdapters &&
        !model.known_keys().LoaderReads(*row)) {
      continue;
    }
    const auto text = model.file.String(kv);
    const auto number = model.file.Unsigned(kv);
    if (!text && !number) continue;
    if (row->values.Has(text ? *text : absl::StrCat(*number))) continue;
    find(kv.at_value(), "is {value}, not one of {expected}",
         {{"value", text ? Arg::Value(*text) : Arg::Value(*number)},
          {"expected", Word{absl::StrJoin(row->values, ", ")}}});
  }
}

constexpr Rule kValueSpecified = {
    "value-specified",
    Severities().Upload(kNote).Spec(kWarning),
    "A value should be one of those that the specification lists for its key.",
    "No reader can know what any other value means.",
    "Write one of the listed values, or leave the key out.",
    "gguf.md, tensor_data_layout: \"further options can be found for each "
    "architecture in their respective sections\"."};

constexpr Rule kValueAllowed = {
    "value-allowed",
    Severities().Upload(kNote).Spec(kError),
    "Where the specification allows only certain values, a value shall be one "
    "of them.",
    "A reader that follows the specification refuses any other value. The "
    "specification expects further values to be allowed in future, so `upload` "
    "reports only a note.",
    "Write one of the allowed values.",
    "gguf.md, RWKV: \"The only allowed value currently is 4\".",
    Since("0.2.0")};

constexpr Rule kValueLoaded = {
    "value-loaded",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "An enumerated value should be one that llama.cpp knows.",
    "llama.cpp aborts when it uses the value, or cannot tell what kind of file "
    "this is.",
    "Write one of the listed values, or leave the key out.",
    "Not in the specification; the enumerations of llama.cpp."};

// Reports the first N below the value of `prefix`.count that no key has.
// `numbers` are those that keys have.
void FindMissing(std::vector<uint64_t> numbers, absl::string_view prefix,
                 const KeyValue& count_kv, uint64_t count, Finder& find) {
  std::sort(numbers.begin(), numbers.end());
  uint64_t missing = 0;
  for (const uint64_t number : numbers) missing += number == missing;
  if (missing >= count) return;
  find(count_kv.at_value(), "is {count}, but no key begins with {missing}",
       {{"count", count},
        {"missing", Word{absl::StrCat(prefix, ".", missing, ".")}}});
}

// Reports `prefix`.N.* for which N is not below the value of `prefix`.count.
void FindUncounted(const Model& model, absl::string_view prefix, Finder& find) {
  const std::string count_key = absl::StrCat(prefix, ".count");
  const KeyValue* count_kv = model.FindKey(count_key);
  const auto count = count_kv == nullptr ? std::optional<uint64_t>(0)
                                         : model.file.Unsigned(*count_kv);
  if (!count)
    return find.CannotCheck(absl::StrCat(count_key, " is not a count"));
  std::vector<uint64_t> numbers;
  for (const KeyValue& kv : model.file.keys) {
    absl::string_view rest = kv.key.value;
    if (!absl::ConsumePrefix(&rest, prefix) ||
        !absl::ConsumePrefix(&rest, ".")) {
      continue;
    }
    const absl::string_view digits = rest.substr(0, rest.find('.'));
    uint64_t number = 0;
    const bool fits = absl::SimpleAtoi(digits, &number);
    if (!IsNumber(digits)) continue;
    if (fits && number < *count) {
      numbers.push_back(number);
      continue;
    }
    find(kv.at_key(),
         "has number {number}, counted from 0, but {key} is {count}",
         {{"number", Word{std::string(digits)}},
          {"key", Word{count_key}},
          {"count", *count}});
  }
  if (model.file.progress < Progress::kKeys || count_kv == nullptr) return;
  FindMissing(std::move(numbers), prefix, *count_kv, *count, find);
}

constexpr Rule kParentsCounted = {
    "parents-counted",
    Severities().Upload(kNote).Spec(kWarning),
    "The indexes of base models and datasets should be all numbers below their "
    "count, and no others.",
    "A reader that relies on the count does not see entries beyond it, and "
    "looks for those that are missing.",
    "Number the entries from 0, and write how many there are.",
    "gguf.md, source metadata: \"`general.base_model.count: uint32`: Number of "
    "parent models\"."};

void ParentsCounted(const Model& model, Finder& find) {
  FindUncounted(model, "general.base_model", find);
  FindUncounted(model, "general.dataset", find);
}

constexpr Check kChecks[] = {
    {&kLicenseSpdx, Needs::kKeys, LicenseSpdx},
    {&kLicenseExpressionOnly, Needs::kKeys, LicenseExpressionOnly},
    {&kLanguageIso639, Needs::kKeys, LanguageIso639},
    {&kLanguageTwoLetters, Needs::kKeys, LanguageTwoLetters},
    {&kUrlFormat, Needs::kKeys, FindBadTexts<ValueFormat::kUrl, IsUrl>},
    {&kUuidFormat, Needs::kKeys, FindBadTexts<ValueFormat::kUuid, IsUuid>},
    {&kDoiFormat, Needs::kKeys, FindBadTexts<ValueFormat::kDoi, IsDoi>},
    {&kSizeLabelFormat, Needs::kKeys,
     FindBadTexts<ValueFormat::kSize, IsSizeLabel>},
    {&kValueSpecified, Needs::kKeys, FindUnlisted<ValueFormat::kSpecified>},
    {&kValueAllowed, Needs::kKeys, FindUnlisted<ValueFormat::kAllowed>},
    {&kValueLoaded, Needs::kKeys, FindUnlisted<ValueFormat::kLoaded>},
    {&kParentsCounted, Needs::kKeys, ParentsCounted},
};

}  // namespace

absl::Span<const Check> ValueFormatChecks() { return kChecks; }

}  // namespace gguf
