// The tensors of legacy (pre-GGUF) files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_LEGACY_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_LEGACY_TENSORS_H_

#include <cstdint>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

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
  const char*
      kinds;  // Families (parser/legacy/format.cc), with commas between;
              // of RWKV the versions, which the tensors themselves tell.
  const char* name;
  LegacySize ne0;
  LegacySize ne1;
  LegacySize ne2;
  NeededIn needed;
  const char* pair;  // The other tensor of a product of two; or empty.

  bool IsOf(absl::string_view kind) const {
    for (const absl::string_view one : absl::StrSplit(kinds, ',')) {
      if (one == kind) return true;
    }
    return false;
  }
};

extern const Table<LegacyTensorRow> kLegacyTensors;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_LEGACY_TENSORS_H_
