// Finds methods, and the types in which keys are written; fixes by the source and by the layout.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/fix/methods.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/compare/values.h"
#include "conformance/rules/check.h"
#include "conformance/tables/find_standard_key.h"
#include "conformance/tables/renamed_tensors.h"

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
    {FixMethod::kTensorName,
     [](const Attempt& a) {
       const auto& tensors = a.file().tensors;
       const auto is_free = [&](absl::string_view name) {
         return a.model.FindTensor(name) == nullptr;
       };
       const absl::string_view layer = a.arg("layer");
       if (!layer.empty()) {
         const auto tensor = TensorOf(a);
         const std::string name = absl::StrCat("direction.", layer);
         return tensor && is_free(name) && a.draft.RenameTensor(*tensor, name);
       }
       // Names with one number, the block's, which both names have.
       bool changed = false;
       for (const RenamedTensorRow& row : kRenamedTensors.Of(a.model.hparams().architecture())) {
         const std::pair<absl::string_view, absl::string_view> old = {
             absl::string_view(row.name).substr(0, absl::string_view(row.name).find("%d")),
             absl::string_view(row.name).substr(
                 std::min(absl::string_view(row.name).find("%d") + 2, strlen(row.name)))};
         if (absl::StrContains(old.second, "%d")) continue;
         for (const TensorInfo& tensor : tensors) {
           absl::string_view number = tensor.name.value;
           const bool is_plain = !absl::StrContains(row.name, "%d");
           if (is_plain ? number != row.name
                        : !absl::ConsumePrefix(&number, old.first) ||
                              !absl::ConsumeSuffix(&number, old.second) || !IsNumber(number)) {
             continue;
           }
           const std::string name =
               absl::StrReplaceAll(row.successor, {{"%d", is_plain ? "" : number}});
           changed |= is_free(name) && a.draft.RenameTensor(tensor.index, name);
         }
       }
       return changed;
     }},
};

}  // namespace gguf
