// The legacy (pre-GGUF) formats, identified by their first eight bytes, and the
// families of models in them: the contents of their headers, and facts about
// each.
//
// None of these formats names the family of a file or the meaning of its
// numbers; only the program that reads it knows.  Sources: gguf.md, historical
// state of affairs; the readers of llama.cpp (until August 2023), ggml's
// examples, whisper.cpp and rwkv.cpp; rwkv.cpp's FILE_FORMAT.md.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_LEGACY_FORMAT_H_
#define GGUF_PARSER_LEGACY_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "parser/tensor_type.h"

namespace gguf {

// Returns the id of the type of most tensors, in the file's TypeScheme; nothing
// for a number that was never assigned.
//
// Sources: enum llama_ftype of llama.cpp, until August 2023; enum ggml_ftype,
// which whisper.cpp's files still use.
std::optional<uint32_t> TypeOfLlamaFtype(uint32_t ftype);
std::optional<uint32_t> TypeOfGgmlFtype(uint32_t ftype);

// ggml's ftypes are combined with the quantization version in one number.
inline constexpr uint32_t kFtypesPerVersion = 1000;

// A 32-bit number in the header.
struct HyperParameter {
  enum Kind : uint8_t {
    kCount,
    kFloat,        // As bits.  This and the next three have bounds 0.
    kFtype,        // llama.cpp's.
    kPackedFtype,  // 1000 times the quantization version, plus ggml's ftype.
    kDataType,     // rwkv.cpp's: a tensor type.
  };

  const char* name;
  // The range of values in real models, with a margin where readers allow one.
  // Compared as unsigned bits: a negative number is larger than any other.
  uint32_t least;
  uint32_t most;
  Kind kind = kCount;

  // Returns whether a real model may have this value.
  bool IsPlausible(uint32_t value) const;

  // Returns the id of the tensor type that this value of an ftype stands for, if any.
  std::optional<uint32_t> TypeOf(uint32_t value) const;
};

// A part of the header between the magic (or version) and the tensors.
struct HeaderPart {
  enum Kind : uint8_t {
    kEnd,
    kString,
    kHyperParameters,  // In the order of the family.
    kNumbers,          // `count` entries of `words` 32-bit numbers.
    kMelFilters,       // n_mel, n_fft, and n_mel * n_fft floats.
    kVocabularySize,   // Number of tokens; without it, n_vocab.
    kTokens,           // Length and bytes of each token.
    kScoredTokens,     // The same, then a float each.
  };

  Kind kind = kEnd;
  const char* name = "";  // Name of a string or of numbers.

  // The hyper-parameter with the number of entries; if it is not one, a number
  // before the entries.  Null: one entry.
  const char* count = nullptr;
  uint32_t words = 1;
  absl::Span<const uint32_t> values = {};  // Those that the reader allows; empty for any.
};

// The prefix of the names of a family's blocks, and the hyper-parameter that
// counts the blocks.
struct BlockStack {
  const char* prefix = nullptr;
  const char* count = nullptr;
};

// Current support for the files of a family, as text of ggufcheck.
struct LegacySupport {
  const char* past;     // A clause: its history in llama.cpp.
  const char* readers;  // Current programs that load it.
  const char* advice;   // A sentence: how to convert it.
};

struct LegacyFamily {
  const char* format;  // As FileKind::format: the format that is reported,
                       // if several have the family.
  const char* name;    // As in legacy_tensors.tsv.
  absl::Span<const HyperParameter> hparams;
  HeaderPart parts[7];
  uint32_t least_dims;  // Dimensions of a tensor.
  uint32_t most_dims;
  BlockStack stacks[2];  // Unused ones have no prefix.
  bool tensors_listed;   // legacy_tensors.tsv lists all tensors.
  LegacySupport support;

  // Returns whether files hold no model, but an importance matrix.
  bool is_imatrix() const;

  // Returns whether programs are tested with files that hold a vocabulary and no tensors.
  bool allows_vocabulary_alone() const;

  // Returns the index of a hyper-parameter; hparams.size() if there is none.
  size_t IndexOf(absl::string_view hparam) const;

  // Returns the stack of the block that a tensor's name begins with, or null.
  const BlockStack* FindStack(absl::string_view tensor) const;
};

// One version of a format.
struct LegacyFormat {
  const char* name;                         // As FileKind::format.
  absl::string_view magic;                  // Its bytes: a little-endian number, so reversed.
  uint32_t version;                         // The u32 after the magic; 0 when there is none.
  TypeScheme scheme;                        // Of the tensors' types, unless the header sets it.
  uint32_t alignment;                       // Of tensor data, from the start of the file.
  absl::Span<const LegacyFamily> families;  // The likeliest first.
};

// Returns all formats; those with the same magic are adjacent.  A file with an
// unknown version is reported as the first format of its magic.
absl::Span<const LegacyFormat> LegacyFormats();

// Returns the format of importance matrices before GGUF, `imatrix.dat`.  It has no magic: the
// number of entries; for each, the name of a tensor, the number of calls of the tensor, the number
// of sums and the sums; then, in files of 2024 and later, the number of chunks and the name of the
// text.
//
// Source: save_imatrix() of llama.cpp's imatrix program, until July 2025; ik_llama.cpp's.
const LegacyFormat& ImatrixFormat();

}  // namespace gguf

#endif  // GGUF_PARSER_LEGACY_FORMAT_H_
