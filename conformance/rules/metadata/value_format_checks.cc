// Checks of the values of the standardized keys: formats of texts, listed
// values, and groups of keys that are counted.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/metadata/checks.h"
#include "conformance/rules/metadata/spdx_expression.h"
#include "conformance/rules/metadata/text_formats.h"

namespace gguf {
namespace {

// Calls `report` with every key of the format, its string and its subject.
template <class Report>
void ForEachText(const Model& model, ValueFormat format, Report report) {
  const KnownKeys& keys = model.known_keys();
  for (const KeyValue& kv : model.file.keys) {
    const StandardKey* row = keys.rows()[kv.index];
    if (row == nullptr || row->format != format) continue;
    if (const auto text = model.file.String(kv)) report(kv, *text);
  }
}

void FindBadTexts(const Model& model, ValueFormat format,
                  bool (*is_right)(absl::string_view), Finder& find) {
  ForEachText(model, format, [&](const KeyValue& kv, absl::string_view text) {
    if (is_right(text)) return;
    find(kv.value, kv.subject().Of("value"), "is {value}", {{"value", text}});
  });
}

constexpr Rule kLicenseSpdx = {
    "license-spdx",
    Severities().Upload(kNote).Spec(kNote),
    "general.license should be an SPDX licence expression.",
    "Tools that decide by the licence do not understand any other text.",
    "Write an identifier of the SPDX list, or LicenseRef- and a name of your "
    "own; the licence's name belongs in general.license.name.",
    "gguf.md, general metadata: \"License of the model, expressed as a SPDX "
    "license expression\"."};

void LicenseSpdx(const Model& model, Finder& find) {
  ForEachText(
      model, ValueFormat::kSpdx,
      [&](const KeyValue& kv, absl::string_view text) {
        const SpdxFault fault = CheckSpdxExpression(text);
        if (fault.why == nullptr) return;
        find(kv.value, kv.subject().Of("value"),
             fault.word.empty() ? "is {value}: {why}"
                                : "is {value}: {word} {why}",
             {{"value", text}, {"word", fault.word}, {"why", Word{fault.why}}});
      });
}

constexpr Rule kUrlFormat = {
    "url-format",
    Severities().Upload(kNote).Spec(kWarning),
    "A URL should be valid: scheme, \"://\" and host.",
    "Readers cannot open it.",
    "Write the whole URL, for example https://example.org/model.",
    "gguf.md, general metadata: \"URL to the model's homepage\" and others."};

void UrlFormat(const Model& model, Finder& find) {
  FindBadTexts(model, ValueFormat::kUrl, IsUrl, find);
}

constexpr Rule kDoiFormat = {
    "doi-format",
    Severities().Upload(kNote).Spec(kWarning),
    "A DOI should be valid: 10, a registrant, a slash and a suffix.",
    "No resolver finds it.",
    "Write it like 10.1000/182.",
    "gguf.md, general metadata: \"Digital Object Identifier (DOI)\"."};

void DoiFormat(const Model& model, Finder& find) {
  FindBadTexts(model, ValueFormat::kDoi, IsDoi, find);
}

constexpr Rule kUuidFormat = {
    "uuid-format",
    Severities().Upload(kNote).Spec(kWarning),
    "A UUID should be valid: 32 hexadecimal digits in groups of 8-4-4-4-12.",
    "It does not compare equal to the same UUID from elsewhere.",
    "Write it like f81d4fae-7dec-11d0-a765-00a0c91e6bf6.",
    "gguf.md, general metadata: \"Universally unique identifier\"."};

void UuidFormat(const Model& model, Finder& find) {
  FindBadTexts(model, ValueFormat::kUuid, IsUuid, find);
}

constexpr Rule kSizeLabelFormat = {
    "size-label-format",
    Severities().Upload(kNote).Spec(kNote),
    "general.size_label should be a number followed by K, M, B, T or Q.",
    "It becomes part of the file's name, and tools read it from there.",
    "Write it like 7B, 8x7B or 30B-A3B.",
    "gguf.md, naming convention: \"Parameter weight class [...] represented as "
    "`<expertCount>x<count><scale-prefix>`\"."};

void SizeLabelFormat(const Model& model, Finder& find) {
  FindBadTexts(
      model, ValueFormat::kSize,
      [](absl::string_view text) { return ParseSizeLabel(text).has_value(); },
      find);
}

// The first string that is not a language code, and the number of all.
struct LanguageVisitor : ValueVisitor {
  uint64_t count = 0;
  absl::string_view first;
  Range where;
  uint64_t element = 0;

  void String(absl::string_view text, Range the_where, uint64_t the_element) {
    if (IsLanguage(text) || count++ > 0) return;
    first = text;
    where = the_where;
    element = the_element;
  }
};

constexpr Rule kLanguageIso639 = {
    "language-iso-639",
    Severities().Upload(kNote).Spec(kWarning),
    "A language should be given by its two-letter ISO 639 code.",
    "Searches by language do not find the model.",
    "Write en, not eng, EN, en-US or English; three letters are for languages "
    "without a two-letter code.",
    "gguf.md, general metadata: languages are \"Encoded as ISO 639 two letter "
    "codes\"."};

void LanguageIso639(const Model& model, Finder& find) {
  const KnownKeys& keys = model.known_keys();
  for (const KeyValue& kv : model.file.keys) {
    const StandardKey* row = keys.rows()[kv.index];
    if (row == nullptr || row->format != ValueFormat::kLanguage) continue;
    LanguageVisitor visitor;
    WalkValue(model.file, kv, &visitor);
    if (visitor.count == 0) continue;
    const absl::string_view meant = TwoLetterLanguage(visitor.first);
    Subject subject = kv.subject().Of("value");
    if (kv.element_type != nullptr) subject = subject.At(visitor.element);
    find(visitor.where, subject,
         absl::StrCat("is {language}", meant.empty() ? "" : ", not {meant}",
                      visitor.count == 1 ? "" : " (the first of {count})"),
         {{"language", visitor.first},
          {"meant", Word{std::string(meant)}},
          {"count", visitor.count}});
  }
}

// Reports a value that is not among the words.
void FindUnlisted(const Model& model, const KeyValue& kv, const Texts& words,
                  Finder& find) {
  const Word expected = {absl::StrJoin(words, ", ")};
  if (const auto text = model.file.String(kv)) {
    if (words.Has(*text)) return;
    find(kv.value, kv.subject().Of("value"),
         "is {value}, not one of {expected}",
         {{"value", *text}, {"expected", expected}});
  } else if (const auto number = model.file.Unsigned(kv)) {
    if (words.Has(absl::StrCat(*number))) return;
    find(kv.value, kv.subject().Of("value"),
         "is {value}, not one of {expected}",
         {{"value", *number}, {"expected", expected}});
  }
}

constexpr Rule kValueSpecified = {
    "value-specified",
    Severities().Upload(kNote).Spec(kWarning),
    "A value should be on the list that the specification has for it.",
    "No reader can know what any other value means.",
    "Write one of the listed values, or leave the key out.",
    "gguf.md, LLM: \"The only allowed value currently is 4\" and the layouts "
    "of `tensor_data_layout`."};

void ValueSpecified(const Model& model, Finder& find) {
  const KnownKeys& keys = model.known_keys();
  for (const KeyValue& kv : model.file.keys) {
    const StandardKey* row = keys.rows()[kv.index];
    if (row == nullptr || row->format != ValueFormat::kSpecified) continue;
    FindUnlisted(model, kv, row->values, find);
  }
}

constexpr Rule kValueLoaded = {
    "value-loaded",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "An enumerated value should be one that llama.cpp knows.",
    "llama.cpp aborts when it uses the value, or does not know what to do with "
    "the file.",
    "Write one of the listed values, or leave the key out.",
    "Not in the specification; the enumerations of llama.cpp."};

void ValueLoaded(const Model& model, Finder& find) {
  const KnownKeys& keys = model.known_keys();
  for (const KeyValue& kv : model.file.keys) {
    const StandardKey* row = keys.rows()[kv.index];
    if (row == nullptr || row->format != ValueFormat::kLoaded) continue;
    // llama.cpp's tools read the keys that its loader never reads.
    if (row->reading != Reading::kNever && !keys.LoaderReads(*row)) continue;
    FindUnlisted(model, kv, row->values, find);
  }
}

// Reports `prefix`.N.* for which N is not below the value of `prefix`.count.
void FindUncounted(const Model& model, absl::string_view prefix, Finder& find) {
  const std::string count_key = absl::StrCat(prefix, ".count");
  const KeyValue* count_kv = model.FindKey(count_key);
  const auto count = count_kv == nullptr ? std::optional<uint64_t>(0)
                                         : model.file.Unsigned(*count_kv);
  if (!count)
    return find.CannotCheck(absl::StrCat(count_key, " is not a count"));
  for (const KeyValue& kv : model.file.keys) {
    absl::string_view rest = kv.key.value;
    if (!absl::ConsumePrefix(&rest, prefix) ||
        !absl::ConsumePrefix(&rest, ".")) {
      continue;
    }
    const absl::string_view digits = rest.substr(0, rest.find('.'));
    if (!IsNumber(digits)) continue;
    uint64_t number = 0;
    const bool fits = absl::SimpleAtoi(digits, &number);
    if (fits && number < *count) continue;
    find(kv.key.where, kv.subject().Of("key"),
         "has number {number}, counted from 0, but {key} is {count}",
         {{"number", Word{std::string(digits)}},
          {"key", Word{count_key}},
          {"count", *count}});
  }
}

constexpr Rule kParentsCounted = {
    "parents-counted",
    Severities().Upload(kNote).Spec(kWarning),
    "Base models and datasets should be numbered below their count.",
    "A reader that relies on the count does not see them.",
    "Number them from 0, and write how many there are.",
    "gguf.md, source metadata: \"`general.base_model.count: uint32`: Number of "
    "parent models\"."};

void ParentsCounted(const Model& model, Finder& find) {
  FindUncounted(model, "general.base_model", find);
  FindUncounted(model, "general.dataset", find);
}

constexpr Check kChecks[] = {
    {&kLicenseSpdx, Needs::kKeys, LicenseSpdx},
    {&kLanguageIso639, Needs::kKeys, LanguageIso639},
    {&kUrlFormat, Needs::kKeys, UrlFormat},
    {&kUuidFormat, Needs::kKeys, UuidFormat},
    {&kDoiFormat, Needs::kKeys, DoiFormat},
    {&kSizeLabelFormat, Needs::kKeys, SizeLabelFormat},
    {&kValueSpecified, Needs::kKeys, ValueSpecified},
    {&kValueLoaded, Needs::kKeys, ValueLoaded},
    {&kParentsCounted, Needs::kKeys, ParentsCounted},
};

}  // namespace

absl::Span<const Check> ValueFormatChecks() { return kChecks; }

}  // namespace gguf
