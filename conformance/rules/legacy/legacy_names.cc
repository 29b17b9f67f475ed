// Names of tensors in legacy (pre-GGUF) files, with block numbers.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/legacy/legacy_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/model/tensor_roles.h"
#include "parser/legacy_format.h"

namespace gguf {
namespace {

// The hyperparameter that is this size.  Families differ in a name or two.
constexpr std::pair<LegacySize, const char*> kSizes[] = {
    {LegacySize::kNVocab, "n_vocab"},
    {LegacySize::kNEmbd, "n_embd"},
    {LegacySize::kNEmbd, "n_embed"},
    {LegacySize::kNEmbd, "d_model"},
    {LegacySize::kNCtx, "n_ctx"},
    {LegacySize::kNMels, "n_mels"},
    {LegacySize::kNAudioCtx, "n_audio_ctx"},
    {LegacySize::kNAudioState, "n_audio_state"},
    {LegacySize::kNTextCtx, "n_text_ctx"},
    {LegacySize::kNTextState, "n_text_state"},
};

// Sizes that the readers of a family know.
constexpr std::pair<LegacySize, uint64_t> kFixedSizes[] = {
    {LegacySize::kOne, 1},    {LegacySize::kThree, 3},  {LegacySize::kFive, 5},
    {LegacySize::kSix, 6},    {LegacySize::kN64, 64},   {LegacySize::kN128, 128},
    {LegacySize::kN129, 129}, {LegacySize::kN256, 256}, {LegacySize::kN258, 258},
    {LegacySize::kN512, 512},
};

struct Multiple {
  LegacySize size;
  LegacySize of;
  uint64_t factor;
};
constexpr Multiple kMultiples[] = {
    {LegacySize::kNEmbdTimes3, LegacySize::kNEmbd, 3},
    {LegacySize::kNEmbdTimes4, LegacySize::kNEmbd, 4},
    {LegacySize::kNAudioStateTimes4, LegacySize::kNAudioState, 4},
    {LegacySize::kNTextStateTimes4, LegacySize::kNTextState, 4},
};

// The tensor of an RWKV's first block that gives the number of heads.
struct HeadCount {
  const char* kind;
  const char* tensor;
  uint32_t dim;
};
constexpr HeadCount kHeadCounts[] = {
    {"rwkv-5.1", "blocks.0.att.time_decay", 2},
    {"rwkv-5.2", "blocks.0.att.time_decay", 2},
    {"rwkv-6", "blocks.0.att.time_faaaa", 2},
    {"rwkv-7", "blocks.0.att.r_k", 1},
};

// Returns the version of RWKV as rwkv.cpp determines it: by the tensors of the
// first block.
const char* RwkvKind(const Model& model) {
  const auto has = [&](absl::string_view name) {
    return model.FindTensor(absl::StrCat("blocks.0.att.", name)) != nullptr;
  };
  if (has("r_k")) return "rwkv-7";
  if (has("time_maa_x")) return "rwkv-6";
  if (!has("ln_x.weight")) return "rwkv-4";
  return has("gate.weight") ? "rwkv-5.2" : "rwkv-5.1";
}

// Returns which rows of legacy_tensors.tsv apply to the file.
absl::string_view KindOf(const Model& model) {
  const absl::string_view family = model.file.legacy->family->name;
  return family == "rwkv" ? RwkvKind(model) : family;
}

// Returns the pattern with the number of block `i` in place of %d.
std::string InBlock(absl::string_view pattern, uint64_t i) {
  return absl::StrReplaceAll(pattern, {{"%d", absl::StrCat(i)}});
}

// Returns whether a row is about files of this family, or version of RWKV.
bool IsAbout(const LegacyTensorRow& row, absl::string_view kind) {
  for (const absl::string_view one : absl::StrSplit(row.kinds, ',')) {
    if (one == kind) return true;
  }
  return false;
}

}  // namespace

Reason OnlyLegacyModels(const Model& model) {
  return model.file.legacy->family->is_imatrix() ? Reason::Silent() : Reason();
}

bool IsLlamaVocabulary(const Model& model) {
  return model.file.legacy->family->name == absl::string_view("llama") &&
         model.file.progress == Progress::kTensors && model.file.tensors.empty() &&
         model.file.legacy->vocabulary.size() > 0;
}

LegacyNames::LegacyNames(const Model& model)
    : model_(model), header_(*model.file.legacy), kind_(KindOf(model)) {
  if (!header_.family->tensors_listed) {
    why_incomplete_ =
        absl::StrCat("the tensors of the family ", header_.family->name, " are not in the tables");
  }
  for (const LegacyTensorRow& row : kLegacyTensors) {
    if (IsAbout(row, kind_)) rows_.emplace(row.name, &row);
  }
}

const LegacyTensorRow* LegacyNames::Find(absl::string_view name) const {
  std::string pattern(name);
  if (BlockOf(name)) {
    const absl::string_view prefix = header_.family->FindStack(name)->prefix;
    const size_t end = std::min(name.find_first_of("./", prefix.size()), name.size());
    pattern = absl::StrCat(prefix, "%d", name.substr(end));
  }
  for (const std::string& key : {pattern, std::string(name)}) {
    const auto row = rows_.find(key);
    if (row != rows_.end()) return row->second;
  }
  return nullptr;
}

std::optional<LegacyNames::Block> LegacyNames::BlockOf(absl::string_view name) const {
  const BlockStack* stack = header_.family->FindStack(name);
  if (stack == nullptr) return std::nullopt;
  absl::string_view number = name.substr(absl::string_view(stack->prefix).size());
  number = number.substr(0, number.find_first_of("./"));
  Block block{0, stack->count};
  if (!IsBlockNumber(number) || !absl::SimpleAtoi(number, &block.number)) {
    return std::nullopt;
  }
  return block;
}

std::optional<std::string> LegacyNames::FindMissing() const {
  uint64_t left = model_.file.tensors.size() + 1;
  for (const LegacyTensorRow& row : kLegacyTensors) {
    if (!IsAbout(row, kind_) || row.needed == NeededIn::kOptional) continue;
    const uint64_t first = row.needed == NeededIn::kNotFirst ? 1 : 0;
    for (uint64_t i = first; i < BlockCount(row.name) && left > 0; ++i, --left) {
      std::string name = InBlock(row.name, i);
      if (model_.FindTensor(name) == nullptr) return name;
    }
  }
  return std::nullopt;
}

uint64_t LegacyNames::BlockCount(absl::string_view pattern) const {
  if (!absl::StrContains(pattern, "%d")) return 1;
  const BlockStack* stack = header_.family->FindStack(pattern);
  return stack == nullptr ? 0 : Value(stack->count).value_or(0);
}

LegacyNames::Shape LegacyNames::ShapeOf(absl::string_view name, const LegacyTensorRow& row) const {
  const auto heads = FindHeads();
  const auto rank = Rank(name, row);
  const auto size_of = [&](LegacySize size) {
    using Size = std::optional<uint64_t>;
    switch (size) {
      case LegacySize::kNHeads:
        return heads ? Size(heads->count) : Size();
      case LegacySize::kHeadSize:
        return heads ? heads->width : Size();
      case LegacySize::kRank:
        return rank;
      case LegacySize::kRankTimes5:
        return rank ? Size(*rank * 5) : Size();  // A dimension has 32 bits.
      default:
        return SizeOf(size);
    }
  };
  return {size_of(row.ne0), size_of(row.ne1), size_of(row.ne2)};
}

std::optional<uint64_t> LegacyNames::Rank(absl::string_view name,
                                          const LegacyTensorRow& row) const {
  const auto block = BlockOf(name);
  if (*row.pair == 0 || !block) return std::nullopt;
  const TensorInfo* pair = model_.FindTensor(InBlock(row.pair, block->number));
  if (pair == nullptr) return std::nullopt;
  return pair->dims[0];
}

std::optional<LegacyNames::Heads> LegacyNames::FindHeads() const {
  for (const HeadCount& row : kHeadCounts) {
    const TensorInfo* tensor = model_.FindTensor(row.tensor);
    if (kind_ != row.kind || tensor == nullptr) continue;
    Heads heads{tensor, tensor->dims[row.dim], std::nullopt};
    const auto n_embd = SizeOf(LegacySize::kNEmbd);
    if (n_embd && heads.count > 0 && *n_embd % heads.count == 0) {
      heads.width = *n_embd / heads.count;
    }
    return heads;
  }
  return std::nullopt;
}

std::optional<uint64_t> LegacyNames::SizeOf(LegacySize size) const {
  if (size == LegacySize::kNFf) return FeedForwardWidth();
  if (size == LegacySize::kNKv) return KeyWidth();
  for (const auto& [fixed, number] : kFixedSizes) {
    if (fixed == size) return number;
  }
  for (const Multiple& multiple : kMultiples) {
    if (multiple.size == size) return multiple.factor * SizeOf(multiple.of).value_or(0);
  }
  for (const auto& [known, hparam] : kSizes) {
    if (known != size) continue;
    if (const auto value = Value(hparam)) return value;
  }
  return std::nullopt;
}

// The width is not in the file: two thirds of four times n_embd, rounded up to
// a multiple of n_mult; for the 70B model, 1.3 times as much.
std::optional<uint64_t> LegacyNames::FeedForwardWidth() const {
  const auto n_embd = Value("n_embd");
  const auto n_mult = Value("n_mult");
  if (!n_embd || n_mult.value_or(0) == 0) return std::nullopt;
  const uint64_t raw = 2 * (4 * *n_embd) / 3;
  const auto rounded = [&](uint64_t width) { return (width + *n_mult - 1) / *n_mult * *n_mult; };
  const uint64_t larger = rounded(raw * 13 / 10);
  const TensorInfo* w1 = model_.FindTensor("layers.0.feed_forward.w1.weight");
  return w1 != nullptr && w1->dims[1] == larger ? larger : rounded(raw);
}

// llama.cpp loaded one model with grouped attention before GGUF, that of 70B parameters.
std::optional<uint64_t> LegacyNames::KeyWidth() const {
  constexpr uint64_t kGroup = 8;
  const auto n_embd = Value("n_embd");
  const TensorInfo* key = model_.FindTensor("layers.0.attention.wk.weight");
  const bool is_grouped = header_.scheme == TypeScheme::kQnt2 && key != nullptr && n_embd &&
                          kGroup * key->dims[1] == *n_embd;
  return is_grouped ? *n_embd / kGroup : n_embd;
}

const TensorTypeInfo* LegacyNames::TypeOf(const LegacyTensorRow& row) const {
  const LegacyFamily& family = *header_.family;
  const auto value = Value("ftype");
  const auto of_file =
      value ? family.hparams[family.IndexOf("ftype")].TypeOf(*value) : std::nullopt;
  const auto find = [&](std::optional<uint32_t> type) {
    return type ? FindTensorType(*type, header_.scheme) : nullptr;
  };
  constexpr uint32_t kF32 = 0, kF16 = 1;  // In each scheme.
  switch (row.type) {
    case LegacyTensorType::kAny:
      return nullptr;
    case LegacyTensorType::kF32:
      return find(kF32);
    case LegacyTensorType::kF16:
      return find(kF16);
    case LegacyTensorType::kF16OrF32:
      return of_file ? find(*of_file == kF32 ? kF32 : kF16) : nullptr;
    case LegacyTensorType::kFtype:
      return find(of_file);
  }
  return nullptr;
}

std::optional<uint64_t> LegacyNames::Value(absl::string_view hparam) const {
  const Field<uint32_t>* field = header_.Find(hparam);
  if (field == nullptr) return std::nullopt;
  return field->value;
}

}  // namespace gguf
