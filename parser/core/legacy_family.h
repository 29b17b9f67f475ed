// The families of models that legacy (pre-GGUF) files hold: what their headers
// say, and what is known about each.
//
// None of these formats says which family a file is of, or what its numbers
// mean; that is known to the program that reads it.  Sources: the readers of
// llama.cpp (until August 2023), ggml's examples, whisper.cpp and rwkv.cpp.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_LEGACY_FAMILY_H_
#define GGUF_PARSER_CORE_LEGACY_FAMILY_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

// One 32-bit number of the header.
struct HyperParameter {
  enum Kind : uint8_t {
    kCount,
    kFloat,        // Bits of one.  The bounds of these four are 0.
    kFtype,        // llama.cpp's.
    kPackedFtype,  // 1000 times the quantization version, plus ggml's ftype.
    kDataType,     // rwkv.cpp's: a tensor type.
  };

  const char* name;
  // The values that real models have, with room to spare.  As bits: a negative
  // number is larger than any.
  uint32_t least;
  uint32_t most;
  Kind kind = kCount;

  // Whether a real model may have this value.
  bool IsPlausible(uint32_t value) const;
};

// Something between the magic, or the version, and the tensors.
struct HeaderPart {
  enum Kind : uint8_t {
    kEnd,
    kString,
    kHyperParameters,  // As the family lists them.
    kNumbers,          // 32 bits each: as many entries of `words` as `count`.
    kMelFilters,       // n_mel, n_fft, and as many floats as their product.
    kVocabularySize,   // How many tokens follow; else n_vocab do.
    kTokens,           // Length and bytes of each.
    kScoredTokens,     // The same, and a float.
  };

  Kind kind = kEnd;
  const char* name = "";  // Of a string or of numbers.

  // A hyper-parameter, or else a number before the entries.  Null: one entry.
  const char* count = nullptr;
  uint32_t words = 1;
};

// How the names of a family's blocks begin, and the hyper-parameter that counts
// the blocks.
struct BlockStack {
  const char* prefix = nullptr;
  const char* count = nullptr;
};

// Who loads the files of a family today.  Sentences of ours.
struct LegacySupport {
  const char* past;     // A clause: what llama.cpp makes of it.
  const char* readers;  // Programs of today that load it.
  const char* advice;   // A sentence: the way to GGUF.
};

struct LegacyFamily {
  const char* format;  // As FileKind::format: of the formats that have it, the
                       // one that is reported.
  const char* name;    // As legacy_tensors.tsv has it.
  absl::Span<const HyperParameter> hparams;
  HeaderPart parts[7];
  uint32_t least_dims;  // Of a tensor.
  uint32_t most_dims;
  BlockStack stacks[2];  // Unused ones have no prefix.
  bool tensors_listed;   // legacy_tensors.tsv has all of them.
  LegacySupport support;

  // The index of a hyper-parameter; hparams.size() when there is none.
  size_t IndexOf(absl::string_view hparam) const;

  // The stack of the block that a tensor's name begins with; null when none.
  const BlockStack* FindStack(absl::string_view tensor) const;
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LEGACY_FAMILY_H_
