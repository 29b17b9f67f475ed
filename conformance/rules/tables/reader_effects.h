// What readers do with files of which a rule says something: rows of
// reader_effects.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_READER_EFFECTS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_READER_EFFECTS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

struct ReaderEffect {
  enum Is { kAlways, kEquals, kContains, kAmong, kAbove, kWraps };
  // The better ones first; kNext leaves it to a later row.
  enum Effect { kNext, kAccepts, kDegrades, kUnknown, kRejects, kCrashes };

  const char* rule;  // An id, kEveryFile or kEveryModel.
  const char* of;    // The argument, or fact about the file, that is looked at.
  Is is;
  const char* value;
  // In the order of Reader::Column.
  Effect llama_cpp;
  Effect ollama;
  Effect hugging_face;
  Effect candle;
  Effect gguf_py;
};

inline constexpr char kEveryFile[] = "file";
inline constexpr char kEveryModel[] = "model";

extern const Table<ReaderEffect> kReaderEffects;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_READER_EFFECTS_H_
