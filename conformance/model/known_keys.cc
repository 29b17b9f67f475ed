// Finds the rows of a file's keys.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/known_keys.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/text_match.h"
#include "conformance/model/vocabulary.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/conditional_keys.h"
#include "conformance/tables/key_types.h"

namespace gguf {
namespace {

TypeSet BitOf(const KeyValue& kv) {
  const bool is_array = kv.element_type != nullptr;
  const ValueTypeInfo& type = is_array ? *kv.element_type : *kv.type;
  return TypeSet{1} << (static_cast<uint32_t>(type.type) + (is_array ? kArrayBit : 0));
}

Reason WhyNotLoaded(const Hparams& hparams, GgufKind kind) {
  if (HasOwnLoader(kind)) return "";  // It reads the rows for its kind.
  if (!WhyNoModel({kind}).empty()) return WhyNoModel({kind});
  if (hparams.architecture_name().empty()) {
    return "general.architecture is missing";
  }
  if (IsIn(hparams.architecture(), Group::kLoader)) return "";
  return "llama.cpp cannot load the architecture";
}

bool IsNoVocabulary(absl::string_view tokenizer) {
  const TokenizerRow* row = FindTokenizer(tokenizer);
  return row != nullptr && row->kind == TokenizerKind::kNone;
}

}  // namespace

KnownKeys::KnownKeys(const File& file, const KeyIndex& keys, const Hparams& hparams, GgufKind kind,
                     const std::vector<Encoder>& encoders, const Reason& why_not_read)
    : hparams_(hparams),
      kind_(kind),
      encoders_(encoders),
      why_not_loaded_(why_not_read.empty() ? WhyNotLoaded(hparams, kind) : why_not_read) {
  rows_.reserve(file.keys.size());
  for (const KeyValue& kv : file.keys) {
    const absl::string_view name = BeforeNul(kv.key.value);
    const bool is_hidden = name != kv.key.value && keys.Find(name) != &kv;
    rows_.push_back(
        {kv, FindStandardKey(is_hidden ? kv.key.value : name, hparams.architecture_name())});
  }
}

// Returns whether the key's condition, if it has one, is known to hold.
bool KnownKeys::ConditionHolds(const StandardKey& row) const {
  for (const ConditionalKey& conditional : kConditionalKeys.Of(hparams_.architecture())) {
    if (absl::string_view(conditional.key) == row.key) {
      return hparams_.Holds(conditional.when);
    }
  }
  return true;
}

bool KnownKeys::LoaderReads(const StandardKey& row) const {
  const bool is_loaded = why_not_loaded_.empty() && !HasOwnLoader(kind_);
  const absl::string_view tokenizer = hparams_.Text(Symbol::kTokenizerModel).value_or("");
  if (kind_ == GgufKind::kProjector) return ProjectorReads(row);
  switch (row.reading) {
    case Reading::kNever:
    case Reading::kProjectors:
      return false;
    case Reading::kShards:  // In all shards; later ones have no architecture.
      return hparams_.may_be_shard();
    case Reading::kAdapters:
      return kind_ == GgufKind::kLora;
    case Reading::kImatrices:
      return kind_ == GgufKind::kImportanceMatrix;
    case Reading::kModel:
      return is_loaded && kStandardKeys.Holds(row, hparams_.architecture()) && ConditionHolds(row);
    case Reading::kVocabulary:
      return is_loaded && !tokenizer.empty() && !IsNoVocabulary(tokenizer);
    case Reading::kTokenizers:
      return is_loaded && row.tokenizers.Has(tokenizer);
  }
  return false;
}

TypeSet KnownKeys::LoaderTypes(const StandardKey& row) const {
  TypeSet types = row.loader;
  const auto add = [&](uint16_t architecture) {
    for (const KeyTypes& more : kKeyTypes.Of(architecture)) {
      if (more.key == absl::string_view(row.key)) types |= more.types;
    }
  };
  add(hparams_.architecture());
  if (kind_ != GgufKind::kProjector) return types;
  for (const Encoder& encoder : encoders_) add(encoder.hparams->architecture());
  return types;
}

// The loaders of companions read keys with ggml's functions, which accept an array of one element
// in place of a scalar.
bool KnownKeys::LoaderTakes(const KeyValue& kv, const StandardKey& row) const {
  const TypeSet types = LoaderTypes(row);
  const bool is_one = kv.element_type != nullptr && kv.length == 1 && HasOwnLoader(kind_);
  return HasType(kv, types) || (is_one && (BitOf(kv) >> kArrayBit & types) != 0);
}

// Its loader reads the keys of the encoders that exist, and those that their types have.
bool KnownKeys::ProjectorReads(const StandardKey& row) const {
  const absl::string_view key = row.key;
  const bool is_of_one = absl::StartsWith(key, "clip.vision.") ||
                         absl::StartsWith(key, "clip.audio.") ||
                         absl::StartsWith(key, "clip.gen.audio.");
  if (row.reading == Reading::kProjectors && !is_of_one) return true;
  return absl::c_any_of(encoders_, [&](const Encoder& encoder) {
    return row.reading == Reading::kProjectors
               ? absl::StartsWith(key, encoder.keys)
               : kStandardKeys.Holds(row, encoder.hparams->architecture());
  });
}

std::string TypeNames(TypeSet types) {
  constexpr TypeSet kArrays = ~TypeSet{0} << kArrayBit;
  std::vector<std::string> names;
  const bool any_array = (types & kArrays) == kArrays;
  const bool any_scalar =
      (types | kArrays | TypeSet{1} << uint32_t(ValueType::kArray)) == ~TypeSet{0};
  if (any_scalar) names.push_back("a scalar");
  for (uint32_t bit = 0; bit < 2 * kArrayBit; ++bit) {
    if ((types >> bit & 1) == 0) continue;
    const ValueTypeInfo* type = FindValueType(bit % kArrayBit, 3);
    if (type == nullptr) continue;
    const bool is_array = bit >= kArrayBit;
    if (is_array ? any_array : any_scalar) continue;
    names.push_back(is_array ? absl::StrCat("arr[", type->name, "]") : std::string(type->name));
  }
  if (any_array) names.push_back("an array");
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    absl::StrAppend(&text, i == 0 ? "" : last ? " or " : ", ", names[i]);
  }
  return text;
}

std::string TypeName(const KeyValue& kv) {
  if (kv.element_type == nullptr) return kv.type->name;
  return absl::StrCat("arr[", kv.element_type->name, "]");
}

bool HasType(const KeyValue& kv, TypeSet types) { return (BitOf(kv) & types) != 0; }

}  // namespace gguf
