// Fixes by the source, the layout of data, and keys and values whatever the model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/fix/methods.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/compare/values.h"
#include "conformance/rules/check.h"
#include "conformance/tables/find_standard_key.h"

namespace gguf {
namespace {

constexpr char kAlignment[] = "general.alignment";
constexpr uint64_t kUsualAlignment = 32;

// Returns the index of the tensor in which a finding lies.
std::optional<size_t> TensorOf(const Attempt& a) {
  for (const TensorInfo& tensor : a.file().tensors) {
    const uint64_t begin = a.found.where.begin;
    if (begin >= tensor.name.where.begin && begin < tensor.offset.where.end) return tensor.index;
  }
  return std::nullopt;
}

KeyContent ContentOf(const SourceValue& value) {
  KeyContent content;
  const auto numbers = [&](ValueType type, const auto& list) {
    content = {type, true, {list.begin(), list.end()}, {}};
  };
  if (const auto* i = std::get_if<int64_t>(&value)) {
    content = KeyContent::Of(*i < 0 ? ValueType::kI32 : ValueType::kU32, *i);
  } else if (const auto* d = std::get_if<double>(&value)) {
    content = KeyContent::Of(ValueType::kF32, *d);
  } else if (const auto* b = std::get_if<bool>(&value)) {
    content = KeyContent::Of(ValueType::kBool, *b);
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    content = KeyContent::Of(*s);
  } else if (const auto* is = std::get_if<std::vector<int64_t>>(&value)) {
    numbers(ValueType::kI32, *is);
  } else if (const auto* ds = std::get_if<std::vector<double>>(&value)) {
    numbers(ValueType::kF32, *ds);
  } else {
    content = {ValueType::kString, true, {}, std::get<std::vector<std::string>>(value)};
  }
  return content;
}

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

}  // namespace

std::optional<size_t> Attempt::key() const {
  const auto& keys = file().keys;
  const auto after =
      std::upper_bound(keys.begin(), keys.end(), found.where.begin,
                       [](uint64_t at, const KeyValue& kv) { return at < kv.key.where.begin; });
  if (after == keys.begin() || found.where.begin >= (after - 1)->value.end) return std::nullopt;
  return after - keys.begin() - 1;
}

absl::string_view Attempt::arg(absl::string_view name) const {
  for (const auto& [key, text] : found.args) {
    if (key == name) return text;
  }
  return "";
}

bool Attempt::has_finding_of(absl::string_view rule) const {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& f) { return rule == f.diagnostic.rule->id; });
}

std::optional<KeyContent> Attempt::content() const {
  return key() ? gguf::ContentOf(file(), kv()) : std::nullopt;
}

Method MethodOf(FixMethod method) {
  for (const MethodTable* table : {&kLayoutMethods, &kKeyMethods, &kModelMethods}) {
    for (const auto& [of, function] : *table) {
      if (of == method) return function;
    }
  }
  return nullptr;
}

std::vector<int> TypesOf(const Model& model, absl::string_view key) {
  const StandardKey* row = FindStandardKey(key, model.hparams().architecture_name());
  if (row == nullptr) return {};
  const TypeSet read = model.known_keys().LoaderTypes(*row);
  std::vector<int> types;
  std::vector<TypeSet> sets = {row->writer, read, row->spec};
  // First what all of them name.
  TypeSet all = ~TypeSet{0};
  for (const TypeSet set : sets) all &= set != 0 ? set : ~TypeSet{0};
  sets.insert(sets.begin(), all == ~TypeSet{0} ? 0 : all);
  for (const TypeSet set : sets) {
    // Counts are u32, as converters write them, rather than smaller types.
    for (const int type : {4, 8, 6, 7, 5}) {
      for (const int bit : {type, type + kArrayBit}) {
        if ((set >> bit & 1) != 0) types.push_back(bit);
      }
    }
    for (int bit = 0; bit < 32; ++bit) {
      if ((set >> bit & 1) != 0) types.push_back(bit);
    }
  }
  return types;
}

std::optional<KeyContent> InTypeOf(const Model& model, absl::string_view key,
                                   const KeyContent& content) {
  const std::vector<int> types = TypesOf(model, key);
  if (types.empty()) return content;
  for (const int bit : types) {
    const bool is_array = bit >= kArrayBit;
    auto same = Converted(content, static_cast<ValueType>(bit % kArrayBit), is_array);
    if (same && is_array == content.is_array) return same;
  }
  return std::nullopt;
}

bool SetText(const Attempt& a, absl::string_view key, absl::string_view text) {
  const KeyValue* kv = a.model.FindKey(key);
  KeyContent content = KeyContent::Of(std::string(text));
  const auto had = kv != nullptr ? ContentOf(a.file(), *kv) : std::nullopt;
  if (had && had->is_array) return false;
  auto same = had ? Converted(content, had->type, false) : InTypeOf(a.model, key, content);
  return same && a.draft.Set(key, *same);
}

bool FixFromSource(const Attempt& a) {
  if (a.source == nullptr) return false;
  constexpr char kTokens[] = "tokenizer.ggml.tokens";
  const auto index = a.key();
  const absl::string_view stated = a.arg("key");
  const std::string key(!stated.empty() ? stated
                        : index         ? a.kv().key.value
                                        : absl::string_view(a.found.subject));
  const absl::string_view architecture = a.model.hparams().architecture_name();
  for (const SourceModel::Key& wanted : a.source->keys) {
    const std::string name = absl::StrReplaceAll(wanted.key, {{"{arch}", architecture}});
    // A finding about an absent key has it as its subject.
    if (name != key && absl::StrCat("kv[", name, "]") != key) continue;
    if (a.source->architecture != architecture && absl::StartsWith(wanted.key, "{arch}")) {
      return false;
    }
    const KeyValue* kv = a.model.FindKey(name);
    if (kv != nullptr && !CompareValues(a.file(), *kv, wanted.value)) return false;
    const auto content = InTypeOf(a.model, name, ContentOf(wanted.value));
    return content && a.draft.Set(name, *content);
  }
  if (key != kTokens || !a.source->tokens) return false;
  const KeyValue* kv = a.model.FindKey(kTokens);
  if (kv != nullptr && !CompareTokens(a.file(), *kv, *a.source->tokens)) return false;
  return a.draft.Set(kTokens, {ValueType::kString, true, {}, a.source->tokens->texts});
}

const MethodTable kLayoutMethods = {
    {FixMethod::kVersion, [](const Attempt& a) { return a.draft.SetVersion(); }},
    {FixMethod::kLayout,
     [](const Attempt& a) { return a.draft.LayOut(a.file().alignment, false); }},
    {FixMethod::kTrailing,
     [](const Attempt& a) { return a.draft.LayOut(a.file().alignment, true); }},
    {FixMethod::kAlignment,
     [](const Attempt& a) {
       if (!a.draft.LayOut(kUsualAlignment, false)) return false;
       const KeyValue* kv = a.model.FindKey(kAlignment);
       if (kv != nullptr) {
         a.draft.Set(kv->index, KeyContent::Of(ValueType::kU32, kUsualAlignment));
       }
       return true;
     }},
    {FixMethod::kAlignmentValue,
     [](const Attempt& a) {
       const auto content = a.content();
       if (!content || content->is_text() || content->size() != 1) return false;
       const Number stated = content->numbers[0];
       const Number wanted = stated == 0 ? kUsualAlignment : stated;
       if (!(wanted >= 8 && wanted <= kMostPlausibleAlignment)) return false;
       const auto alignment = static_cast<uint64_t>(wanted);
       if (alignment != wanted || (alignment & (alignment - 1)) != 0) return false;
       return a.draft.SetDataBegin(alignment) &&
              a.draft.Set(*a.key(), KeyContent::Of(ValueType::kU32, wanted));
     }},
    {FixMethod::kRank,
     [](const Attempt& a) {
       const auto tensor = TensorOf(a);
       return tensor && a.file().tensors[*tensor].n_dims.value == 0 &&
              a.draft.SetDims(*tensor, {1});
     }},
    {FixMethod::kDropTensor,
     [](const Attempt& a) {
       const auto tensor = TensorOf(a);
       return tensor && a.draft.RemoveTensor(*tensor);
     }},
};

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
       // Readers look for keys under the architecture's name as it is.
       const absl::string_view architecture = a.model.hparams().architecture_name();
       if (absl::StartsWith(a.kv().key.value, absl::StrCat(architecture, "."))) return false;
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
};

}  // namespace gguf
