// Fixes keys and their values, whatever the model.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/fix/methods.h"
#include "conformance/rules/check.h"
#include "conformance/rules/metadata/text_formats.h"
#include "conformance/tables/find_standard_key.h"
#include "conformance/tables/spdx_ids.h"

namespace gguf {
namespace {

// Returns the text without characters that move cursors or cannot be seen.
std::string Stripped(absl::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code_point = NextCodePoint(text, &at);
    const bool is_blank = code_point == '\n' || code_point == '\t';
    if (!is_blank && (IsControl(code_point) || IsInvisible(code_point))) continue;
    absl::StrAppend(&out, text.substr(begin, at - begin));
  }
  return out;
}

// Changes each text of the finding's key.
template <class Function>
bool ForTexts(const Attempt& a, Function change) {
  auto content = a.content();
  if (!content || !content->is_text()) return false;
  for (std::string& text : content->texts) text = change(text);
  return a.draft.Set(*a.key(), *content);
}

// Returns the licence of the SPDX list that a text names with other spelling; empty if it is none.
std::string LicenceOf(absl::string_view text) {
  const auto plain = [](absl::string_view id) {
    std::string out;
    for (const char c : id) {
      if (absl::ascii_isalnum(c) || c == '.' || c == '+') out += absl::ascii_tolower(c);
    }
    return out;
  };
  for (const SpdxId& row : kSpdxIds) {
    if (row.kind == SpdxKind::kLicense && plain(row.id) == plain(text)) return row.id;
  }
  return "";
}

std::string InFormat(ValueFormat format, const std::string& text) {
  const absl::string_view plain = absl::StripAsciiWhitespace(text);
  switch (format) {
    case ValueFormat::kUrl: {
      const absl::string_view host = plain.substr(0, plain.find('/'));
      const std::string url = absl::StrCat("https://", plain);
      const bool is_host = absl::StrContains(host, '.') && host.size() < plain.size();
      return IsUrl(plain) ? std::string(plain) : is_host && IsUrl(url) ? url : text;
    }
    case ValueFormat::kDoi: {
      const size_t begin = plain.find("10.");
      return begin != plain.npos && IsDoi(plain.substr(begin)) ? std::string(plain.substr(begin))
                                                               : text;
    }
    case ValueFormat::kUuid: {
      std::string digits;
      for (const char c : plain) {
        if (absl::ascii_isxdigit(c))
          digits += absl::ascii_tolower(c);
        else if (!absl::StrContains("{}-", c))
          return text;
      }
      if (digits.size() != 32) return text;
      for (const size_t at : {20, 16, 12, 8}) digits.insert(at, "-");
      return digits;
    }
    case ValueFormat::kLanguage: {
      const std::string lower = absl::AsciiStrToLower(plain);
      const absl::string_view code = TwoLetterLanguage(lower);
      const std::string first(lower.substr(0, lower.find_first_of("-_")));
      return IsLanguage(plain)   ? std::string(plain)
             : !code.empty()     ? std::string(code)
             : IsLanguage(first) ? first
                                 : text;
    }
    case ValueFormat::kSpdx: {
      const std::string id = LicenceOf(plain);
      return id.empty() ? text : absl::AsciiStrToLower(id);
    }
    default:
      return text;
  }
}

}  // namespace

const MethodTable kKeyMethods = {
    // Removes an equal duplicate.
    {FixMethod::kDuplicate,
     [](const Attempt& a) {
       const auto index = a.key();
       if (!index) return false;
       const Draft::Key& key = a.draft.keys()[*index];
       for (size_t i = 0; i < *index; ++i) {
         const Draft::Key& first = a.draft.keys()[i];
         if (first.name != key.name || first.removed) continue;
         return first.type == key.type && first.bytes == key.bytes && a.draft.Remove(*index);
       }
       return false;
     }},
    // Makes a key lower_snake_case.
    {FixMethod::kLower,
     [](const Attempt& a) {
       if (!a.key()) return false;
       std::string name = absl::AsciiStrToLower(a.kv().key.value);
       for (char& c : name) {
         if (c == '-' || c == ' ') c = '_';
       }
       return a.draft.Rename(*a.key(), name);
     }},
    // Removes invisible characters, of the "key" or the "value".
    {FixMethod::kStrip,
     [](const Attempt& a) {
       if (a.row.value == absl::string_view("value")) return ForTexts(a, Stripped);
       return a.key() && a.draft.Rename(*a.key(), Stripped(a.kv().key.value));
     }},
    // Keeps the name of a file.
    {FixMethod::kPath,
     [](const Attempt& a) {
       return ForTexts(a, [](const std::string& text) {
         const absl::string_view name =
             absl::string_view(text).substr(text.find_last_of("/\\") + 1);
         // A path, and not a sentence with one.
         const bool is_path = !name.empty() && text.find_first_of("\n\"") == text.npos;
         return is_path ? std::string(name) : text;
       });
     }},
    {FixMethod::kBools,
     [](const Attempt& a) {
       auto content = a.content();
       if (!content || content->type != ValueType::kBool) return false;
       for (Number& number : content->numbers) number = number != 0;
       return a.draft.Set(*a.key(), *content);
     }},
    // Writes the same value in a type that is right.
    {FixMethod::kType,
     [](const Attempt& a) {
       const auto content = a.content();
       if (!content) return false;
       for (const int bit : TypesOf(a.model, a.kv().key.value)) {
         const bool is_array = bit >= kArrayBit;
         const auto same = Converted(*content, static_cast<ValueType>(bit % kArrayBit), is_array);
         if (same) return a.draft.Set(*a.key(), *same);
       }
       return false;
     }},
    // Writes the finding's argument kWrite.
    {FixMethod::kWrite,
     [](const Attempt& a) {
       const absl::string_view text = a.arg(kWrite), key = a.arg(kWriteKey);
       if (text.empty() || (key.empty() && !a.key())) return false;
       return SetText(a, key.empty() ? a.kv().key.value : key, text);
     }},
    // Writes the finding's argument `value`.
    {FixMethod::kWriteArg,
     [](const Attempt& a) {
       const absl::string_view text = a.arg(a.row.value);
       return !text.empty() && a.key() && SetText(a, a.kv().key.value, text);
     }},
    // KEY=TYPE VALUE; without KEY, of the finding's key.
    {FixMethod::kSet,
     [](const Attempt& a) {
       const std::pair<absl::string_view, absl::string_view> key_value =
           absl::StrSplit(a.row.value, absl::MaxSplits('=', 1));
       const std::pair<absl::string_view, absl::string_view> type_text =
           absl::StrSplit(key_value.second, absl::MaxSplits(' ', 1));
       const auto& [type, text] = type_text;
       if (key_value.first.empty() && !a.key()) return false;
       const absl::string_view key = key_value.first.empty() ? a.kv().key.value : key_value.first;
       double number = text == "true";
       if (type == "u32" && !absl::SimpleAtod(text, &number)) return false;
       return a.draft.Set(
           key, type == "str"
                    ? KeyContent::Of(std::string(text))
                    : KeyContent::Of(type == "u32" ? ValueType::kU32 : ValueType::kBool, number));
     }},
    {FixMethod::kRemove, [](const Attempt& a) { return a.key() && a.draft.Remove(*a.key()); }},
    // To the argument "successor".
    {FixMethod::kRename,
     [](const Attempt& a) {
       const absl::string_view name = a.arg("successor");
       if (name.empty() || absl::StrContains(name, '{') || !a.key()) return false;
       const auto content = a.content();
       const auto same = content ? InTypeOf(a.model, name, *content) : std::nullopt;
       return same && a.draft.Rename(*a.key(), std::string(name));
     }},
    // Writes the value under the argument "successor" as well.
    {FixMethod::kCopy,
     [](const Attempt& a) {
       const std::string name(a.arg("successor"));
       const auto content = a.content();
       if (name.empty() || absl::StrContains(name, '{') || !content) return false;
       const auto same = InTypeOf(a.model, name, *content);
       if (!same) return false;
       if (!a.draft.Set(name, *same)) return false;
       // The factor of an older key is that of linear scaling.
       absl::string_view prefix = name;
       const std::string type =
           absl::ConsumeSuffix(&prefix, ".factor") ? absl::StrCat(prefix, ".type") : "";
       if (!type.empty() && a.model.FindKey(type) == nullptr) {
         a.draft.Set(type, KeyContent::Of("linear"));
       }
       return true;
     }},
    // Writes a text in the format of standard_keys.tsv.
    {FixMethod::kFormat,
     [](const Attempt& a) {
       if (!a.key()) return false;
       const StandardKey* row =
           FindStandardKey(a.kv().key.value, a.model.hparams().architecture_name());
       return row != nullptr &&
              ForTexts(a, [&](const std::string& text) { return InFormat(row->format, text); });
     }},
    // Counts numbered keys.
    {FixMethod::kCount,
     [](const Attempt& a) {
       const absl::string_view stated = a.arg("key");
       if (stated.empty() && !a.key()) return false;
       const std::string key(stated.empty() ? a.kv().key.value : stated);
       absl::string_view prefix = key;
       if (!absl::ConsumeSuffix(&prefix, "count")) return false;
       std::set<uint64_t> numbers;
       for (const KeyValue& kv : a.file().keys) {
         absl::string_view rest = kv.key.value;
         uint64_t number;
         if (absl::ConsumePrefix(&rest, prefix) &&
             absl::SimpleAtoi(rest.substr(0, rest.find('.')), &number)) {
           numbers.insert(number);
         }
       }
       const bool is_dense = numbers.empty() || *numbers.rbegin() + 1 == numbers.size();
       return is_dense && SetText(a, key, absl::StrCat(numbers.size()));
     }},
    // Writes general.type or adapter.type as the tensors show it.
    {FixMethod::kKind,
     [](const Attempt& a) {
       const bool is_lora = a.row.rule == absl::string_view("lora-type-stated");
       const absl::string_view key = is_lora ? a.kv().key.value : "general.type";
       const absl::string_view shown = is_lora ? "a LoRA adapter" : a.arg("shown");
       const absl::string_view type = key == "adapter.type"             ? "lora"
                                      : shown == "a LoRA adapter"       ? "adapter"
                                      : shown == "an importance matrix" ? "imatrix"
                                      : shown == "a language model"     ? "model"
                                                                        : "";
       return !type.empty() && SetText(a, key, type);
     }},
};

}  // namespace gguf
