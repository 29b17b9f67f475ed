// Checks of the values of the standardized keys: formats of texts, listed
// values, groups of keys that are counted, and numbers that have a sensible
// range.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/model/hparams.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/metadata/text_formats.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/key_ranges.h"

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

// Reports the strings of this format that are not right: that are not `what`.
template <ValueFormat format, bool (*is_right)(absl::string_view), const char* what>
void FindBadTexts(const CheckContext& context, Finder& find) {
  for (const auto& [kv, row] : KeysOf(context.model, format)) {
    const auto text = context.model.file.String(kv);
    if (!text || is_right(*text)) continue;
    find(kv.at_value(), "is {value}, which is not {what}",
         {{"value", *text}, {"what", Trusted{what}}});
  }
}

constexpr char kUrl[] = "a URL";
constexpr char kUuid[] = "a UUID";
constexpr char kDoi[] = "a DOI";
constexpr char kSizeLabel[] = "a size label, such as 7B";

// Returns whether the text is written like sentences, and neither like the name
// of a licence, in which most words begin with a capital, nor like an
// expression, in which every second word is an operator.
bool IsProse(absl::string_view text) {
  constexpr size_t kLongestName = 100;
  constexpr int kFewWords = 5;
  if (absl::StrContains(text, '\n') || text.size() > kLongestName) return true;
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.size() > 1 && absl::EndsWith(text, ".")) return true;
  const auto lower = std::count_if(words.begin(), words.end(), [](absl::string_view word) {
    return absl::ascii_islower(word[0]);
  });
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

bool IsSizeLabel(absl::string_view text) { return ParseSizeLabel(text).has_value(); }

void LanguageIso639(const CheckContext& context, Finder& find) {
  for (const auto& [kv, row] : KeysOf(context.model, ValueFormat::kLanguage)) {
    const FirstString unknown = FindString(
        context.model.file, kv, [](absl::string_view text) { return !IsLanguage(text); });
    if (unknown.count == 0) continue;
    const absl::string_view meant = TwoLetterLanguage(unknown.text);
    find(unknown.where, unknown.SubjectOf(kv),
         absl::StrCat("is {language}, which is no ISO 639 code",
                      meant.empty() ? " in use"
                                    : " of two letters in use; the code of the language is {meant}",
                      unknown.count == 1 ? "" : " (the first of {count})"),
         {{"language", unknown.text}, {"meant", meant}, {"count", unknown.count}});
  }
}

void LanguageTwoLetters(const CheckContext& context, Finder& find) {
  for (const auto& [kv, row] : KeysOf(context.model, ValueFormat::kLanguage)) {
    const FirstString longer = FindString(context.model.file, kv, [](absl::string_view text) {
      return text.size() != 2 && IsLanguage(text);
    });
    if (longer.count == 0) continue;
    find(longer.where, longer.SubjectOf(kv),
         longer.count == 1
             ? "is {language}, which has more than two letters"
             : "is {language}, which has more than two letters (the first of {count})",
         {{"language", longer.text}, {"count", longer.count}});
  }
}

// Reports values that are not among the words of their rows.
template <ValueFormat format>
void FindUnlisted(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  for (const auto& [kv, row] : KeysOf(model, format)) {
    // llama.cpp's tools read the keys that its loader reads never, or only in
    // adapters.
    if (format == ValueFormat::kLoaded && row->reading != Reading::kNever &&
        row->reading != Reading::kAdapters && !model.known_keys().LoaderReads(*row)) {
      continue;
    }
    const auto text = model.file.String(kv);
    const auto number = model.file.Unsigned(kv);
    if (!text && !number) continue;
    if (row->values.Has(text ? *text : absl::StrCat(*number))) continue;
    const std::vector<absl::string_view> words(row->values.begin(), row->values.end());
    find(kv.at_value(),
         words.size() == 1 ? "is {value}, not {expected}"
                           : "is {value}, not one of {expected}{meant}",
         {{"value", text ? Arg::Value(*text) : Arg::Value(*number)},
          {"expected", Trusted{absl::StrJoin(words, ", ")}},
          {"meant", Trusted{DidYouMean(text.value_or(""), words)}},
          {kWrite, Trusted{words.size() == 1 ? std::string(words[0])
                                             : ClosestWord(text.value_or(""), words)}}});
  }
}

// Reports the first N below the value of `prefix`.count that no key has.
// `numbers` are those that keys have.
void FindMissing(std::vector<uint64_t> numbers, absl::string_view prefix, const KeyValue& count_kv,
                 uint64_t count, Finder& find) {
  std::sort(numbers.begin(), numbers.end());
  uint64_t missing = 0;
  for (const uint64_t number : numbers) missing += number == missing;
  if (missing >= count) return;
  find(count_kv.at_value(), "is {count}, but no key begins with {missing}",
       {{"count", count}, {"missing", Trusted{absl::StrCat(prefix, ".", missing, ".")}}});
}

// Reports `prefix`.N.* for which N is not below the value of `prefix`.count.
void FindUncounted(const Model& model, absl::string_view prefix, Finder& find) {
  const std::string count_key = absl::StrCat(prefix, ".count");
  const KeyValue* count_kv = model.FindKey(count_key);
  const auto count =
      count_kv == nullptr ? std::optional<uint64_t>(0) : model.file.Unsigned(*count_kv);
  if (!count) {
    return find.CannotCheck(absl::StrCat(count_key, " is not a count"));
  }
  std::vector<uint64_t> numbers;
  for (const KeyValue& kv : model.file.keys) {
    absl::string_view rest = kv.key.value;
    if (!absl::ConsumePrefix(&rest, prefix) || !absl::ConsumePrefix(&rest, ".")) {
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
    find(
        kv.at_key(), "has number {number}, counted from 0, but {key} is {count}",
        {{"number", Trusted{std::string(digits)}}, {"key", Trusted{count_key}}, {"count", *count}});
  }
  if (model.file.progress < Progress::kKeys || count_kv == nullptr) return;
  FindMissing(std::move(numbers), prefix, *count_kv, *count, find);
}

std::optional<double> NumberOf(const File& file, const KeyValue& kv) {
  if (kv.type->kind == ValueKind::kArray) return std::nullopt;
  const auto number = FloatOf(file, kv);
  if (number) return number;
  const auto integer = IntegerOf(file, kv);
  if (!integer) return std::nullopt;
  return static_cast<double>(*integer);
}

bool IsInRange(double value, const KeyRange& row) {
  const double most = row.most == INT32_MAX ? HUGE_VAL : row.most;
  return std::isfinite(value) && value >= row.least && value <= most &&
         !(row.above && value == row.least);
}

std::string RangeText(const KeyRange& row) {
  const char* least = row.above ? "above " : "at least ";
  return row.most == INT32_MAX ? absl::StrCat(least, row.least)
                               : absl::StrCat(row.least, " to ", row.most);
}

constexpr char kWindow[] = "general.sampling.penalty_last_n";
constexpr int64_t kMostTokens = 16777216;

}  // namespace

constexpr RuleTable kValueFormatRules = {
    {.id = "license-spdx",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "general.license should be an SPDX licence expression.",
     .why = "Tools that make decisions based on the licence do not understand free text.",
     .repair = "Write an identifier from the SPDX licence list, or LicenseRef- followed by a name "
               "that you choose; the licence's name belongs in general.license.name.",
     .citation =
         "gguf.md, general metadata: \"License of the model, expressed as a [SPDX license "
         "expression](https://spdx.github.io/spdx-spec/v2-draft/SPDX-license-expressions/)\".",
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const auto& [kv, row] : KeysOf(context.model, ValueFormat::kSpdx)) {
             const auto text = context.model.file.String(kv);
             if (!text) continue;
             const SpdxFault fault = CheckSpdxExpression(*text);
             if (fault.why == nullptr || UrlOrProse(*text) != nullptr) continue;
             find(kv.at_value(),
                  fault.word.empty() ? "is {value}: {why}" : "is {value}: {word} {why}",
                  {{"value", *text}, {"word", fault.word}, {"why", Trusted{fault.why}}});
           }
         }},
    {.id = "license-expression-only",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "general.license should not be a URL or the text of the licence.",
     .why = "Tools that make decisions based on the licence look for an identifier.",
     .repair = "Write the identifier of the licence, or LicenseRef- followed by a name that you "
               "choose; a URL belongs in general.license.link, and a name in general.license.name.",
     .citation = "gguf.md, general metadata: \"Do not include any other information, such as the "
                 "license text or the URL to the license\".",
     .since = "0.2.0",
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const auto& [kv, row] : KeysOf(context.model, ValueFormat::kSpdx)) {
             const auto text = context.model.file.String(kv);
             if (!text || CheckSpdxExpression(*text).why == nullptr) continue;
             const char* const why = UrlOrProse(*text);
             if (why == nullptr) continue;
             find(kv.at_value(), "{why}: {value}", {{"why", Trusted{why}}, {"value", *text}});
           }
         }},
    {.id = "language-iso-639",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "A language should be given by its two-letter ISO 639 code, or by its three-letter "
                "code if it has no two-letter code.",
     .why = "Searches by language do not find the model.",
     .repair = "Write the code of the language: for English en, not eng, EN, en-US or English.",
     .citation =
         "gguf.md, general metadata: \"Encoded as [ISO "
         "639](https://en.wikipedia.org/wiki/List_of_ISO_639_language_codes) two letter codes\".",
     .check = LanguageIso639},
    {.id = "language-two-letters",
     .severities = {.spec = kNote},
     .summary = "A language should have a two-letter code.",
     .why = "A reader that follows the specification does not know three-letter codes.",
     .repair = "No change is needed: ISO 639 has no two-letter code for the language.",
     .citation =
         "gguf.md, general metadata: \"Encoded as [ISO "
         "639](https://en.wikipedia.org/wiki/List_of_ISO_639_language_codes) two letter codes\".",
     .since = "0.2.0",
     .check = LanguageTwoLetters},
    {.id = "url-format",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "A URL should have a scheme, \"://\" and a host.",
     .why = "Programs cannot open a URL that lacks one of these.",
     .repair = "Write the whole URL, for example https://example.org/model.",
     .citation = "gguf.md, general metadata: \"URL to the model's homepage\" and others.",
     .check = FindBadTexts<ValueFormat::kUrl, IsUrl, kUrl>},
    {.id = "uuid-format",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "A UUID should consist of 32 hexadecimal digits in groups of 8-4-4-4-12, alone or "
                "after \"urn:uuid:\".",
     .why = "Programs do not recognize the same UUID in a different form.",
     .repair = "Write the UUID in the form f81d4fae-7dec-11d0-a765-00a0c91e6bf6.",
     .citation = "gguf.md, general metadata: \"Universally unique identifier\".",
     .check = FindBadTexts<ValueFormat::kUuid, IsUuid, kUuid>},
    {.id = "doi-format",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "A DOI should have the form 10.REGISTRANT/SUFFIX, alone or after \"doi:\" or "
                "\"https://doi.org/\".",
     .why = "A resolver does not find a DOI in any other form.",
     .repair = "Write the DOI in the form 10.1000/182.",
     .citation = "gguf.md, general metadata: \"Digital Object Identifier (DOI)\".",
     .check = FindBadTexts<ValueFormat::kDoi, IsDoi, kDoi>},
    {.id = "size-label-format",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "general.size_label should have the form 7B, 8x7B or 30B-A3B, with one of the "
                "units K, M, B, T and Q.",
     .why = "The label becomes part of the file's name, and tools read the size from it.",
     .repair = "Write the number of parameters in one of these forms, or leave the key out.",
     .citation = "gguf.md, naming convention: \"Parameter weight class [...] represented as "
                 "`<expertCount>x<count><scale-prefix>`\".",
     .check = FindBadTexts<ValueFormat::kSize, IsSizeLabel, kSizeLabel>},
    {.id = "value-specified",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "A value should be one of those that the specification lists for its key.",
     .why = "No reader can know what any other value means.",
     .repair = "Write one of the listed values, or leave the key out.",
     .citation = "gguf.md, tensor_data_layout: \"further options can be found for each "
                 "architecture in their respective sections\".",
     .check = FindUnlisted<ValueFormat::kSpecified>},
    {.id = "value-allowed",
     .severities = {.upload = kNote, .spec = kError},
     .summary = "Where the specification allows only certain values, a value shall be one of them.",
     .why = "A reader that follows the specification refuses any other value. The specification "
            "expects further values to be allowed in future, so `upload` reports only a note.",
     .repair = "Write one of the allowed values.",
     .citation = "gguf.md, RWKV: \"The only allowed value currently is 4\".",
     .since = "0.2.0",
     .check = FindUnlisted<ValueFormat::kAllowed>},
    {.id = "value-loaded",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "An enumerated value should be one that llama.cpp knows.",
     .why = "llama.cpp aborts when it uses the value, or cannot tell what kind of file this is.",
     .repair = "Write one of the listed values, or leave the key out.",
     .citation = "Not in the specification; the enumerations of llama.cpp.",
     .check = FindUnlisted<ValueFormat::kLoaded>},
    {.id = "parents-counted",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "The indexes of base models and datasets should be all numbers below their count, "
                "and no others.",
     .why = "A reader that relies on the count does not see entries beyond it, and looks for those "
            "that are missing.",
     .repair = "Number the entries from 0, and write how many there are.",
     .citation = "gguf.md, source metadata: \"`general.base_model.count: uint32`: Number of parent "
                 "models\".",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindUncounted(context.model, "general.base_model", find);
           FindUncounted(context.model, "general.dataset", find);
         }},
    {.id = "number-in-range",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "The settings of samplers in general.sampling.*, and the counts of an importance "
                "matrix, should be within a sensible range.",
     .why = "Unless the user overrides them, llama.cpp applies general.sampling.* unchecked: the "
            "model generates nonsense, or always the same text. The counts document how the model "
            "was quantized.",
     .repair = "Write the value from the model's generation_config.json, or the counts of the "
               "importance matrix; otherwise remove the key.",
     .citation = "Not in the specification; the samplers in llama.cpp of August 2026.",
     .since = "0.2.0",
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const KeyRange& row : kKeyRanges) {
             const KeyValue* kv = context.model.FindKey(row.key);
             if (kv == nullptr) continue;
             const auto value = NumberOf(context.model.file, *kv);
             if (!value || IsInRange(*value, row)) continue;
             find(kv->at_value(), "is {value}, not {range}",
                  {{"value", Trusted{absl::StrFormat("%.9g", *value)}},
                   {"range", Trusted{RangeText(row)}}});
           }
         }},
    {.id = "sampling-window-bounded",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "general.sampling.penalty_last_n shall be at most 16,777,216 tokens.",
     .why = "llama.cpp allocates four bytes for each of these tokens, for every sequence, before "
            "it generates anything: 8 GiB for 2,147,483,647 tokens.",
     .repair = "Write a number of tokens below the context length, or remove the key.",
     .citation = "Not in the specification; the buffer of the repetition-penalty sampler in "
                 "llama.cpp of August 2026.",
     .since = "0.2.0",
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue* kv = context.model.FindKey(kWindow);
           if (kv == nullptr) return;
           const auto tokens = IntegerOf(context.model.file, *kv);
           if (!tokens || *tokens <= kMostTokens) return;
           find(kv->at_value(), "is {tokens}, more than 16777216", {{"tokens", *tokens}});
         }},
};

}  // namespace gguf
