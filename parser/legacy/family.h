// The families of models that GGUF's ancestors hold: what their headers say.
//
// None of these formats says which family a file is of, or what its numbers
// mean; that is known to the program that reads it.  Sources: the readers of
// llama.cpp (until August 2023), ggml's examples, whisper.cpp and rwkv.cpp.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_LEGACY_FAMILY_H_
#define GGUF_PARSER_LEGACY_FAMILY_H_

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

// What stands between the magic, or the version, and the tensors.
enum class HeaderPart : uint8_t {
  kEnd,
  kModelType,        // A string.
  kHyperParameters,  // As the family lists them.
  kConvLayers,       // Three numbers for each of n_encoder_layers, four more.
  kMelFilters,       // n_mel, n_fft, and as many floats as their product.
  kWindow,           // A count and as many floats.
  kDurations,        // n_tdt_durations numbers.
  kVocabularySize,   // How many tokens follow; else n_vocab do.
  kTokens,           // Length and bytes of each.
  kScoredTokens,     // The same, and a float.
};

struct LegacyFamily {
  const char* format;  // As FileKind::format: of the formats that have it, the
                       // one that is reported.
  const char* name;
  absl::Span<const HyperParameter> hparams;
  HeaderPart parts[6];
  uint32_t least_dims;  // Of a tensor.
  uint32_t most_dims;

  // The index of a hyper-parameter; hparams.size() when there is none.
  size_t IndexOf(absl::string_view hparam) const;
};

// The families whose files begin with the magic of this format, the likeliest
// first.
absl::Span<const LegacyFamily> FamiliesOf(absl::string_view format);

}  // namespace gguf

#endif  // GGUF_PARSER_LEGACY_FAMILY_H_
