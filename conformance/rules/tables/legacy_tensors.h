// The tensors of GGUF's ancestors.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_LEGACY_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_LEGACY_TENSORS_H_

#include <cstdint>

#include "conformance/rules/tables/table.h"

namespace gguf {

// Which set of tensors a file has: its family (parser/legacy/family.h), and of
// RWKV the version, which the tensors themselves tell.  In the order of the
// column's type: bit 0 of `kinds` is the first.
enum class LegacyKind : uint8_t {
  kLlama,
  kGpt2,
  kGptJ,
  kGptNeox,
  kMpt,
  kReplit,
  kWhisper,
  kSileroVad,
  kRwkv4,
  kRwkv51,
  kRwkv52,
  kRwkv6,
  kRwkv7,
};

// What a dimension is, in the order of the columns' type.
enum class LegacySize : uint8_t {
  kAny,
  kOne,
  kThree,
  kFive,
  kSix,
  kNVocab,
  kNEmbd,
  kNFf,
  kNHeads,
  kHeadSize,
  kRank,  // What the pair has for ne0.
  kRankTimes5,
  kNMels,
  kNAudioCtx,
  kNAudioState,
  kNAudioStateTimes4,
  kNTextCtx,
  kNTextState,
  kNTextStateTimes4,
};

enum class NeededIn : uint8_t { kAll, kNotFirst };

struct LegacyTensorRow {
  uint32_t kinds;
  const char* name;
  LegacySize ne0;
  LegacySize ne1;
  LegacySize ne2;
  NeededIn needed;
  const char* pair;  // The other tensor of a product of two; or empty.

  bool IsOf(LegacyKind kind) const {
    return (kinds >> static_cast<uint32_t>(kind) & 1) != 0;
  }
};

extern const Table<LegacyTensorRow> kLegacyTensors;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_LEGACY_TENSORS_H_
