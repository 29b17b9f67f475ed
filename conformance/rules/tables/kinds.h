// What tells the kind of a GGUF file: rows of kinds.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_KINDS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_KINDS_H_

#include <cstdint>

#include "conformance/rules/tables/table.h"

namespace gguf {

// In the order of the `kind` columns' type.
enum class GgufKind : uint8_t {
  kLanguageModel,  // Or anything that is not recognised as something else.
  kEmbeddingModel,
  kReranker,
  kSpeechModel,
  kVocabulary,  // A model without tensors.
  kShard,       // Of a model, after the first, which has the keys.
  kLora,
  kControlVector,
  kImportanceMatrix,
  kProjector,
  kImageModel,
};

// In the order of the `by` column's type.
enum class KindBy : uint8_t { kGeneralType, kArchitecture, kSuffix, kPrefix };

struct KindRow {
  GgufKind kind;
  KindBy by;
  const char* text;
};

extern const Table<KindRow> kKinds;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_KINDS_H_
