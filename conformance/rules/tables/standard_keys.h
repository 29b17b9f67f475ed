// The standardised metadata keys: rows of standard_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_STANDARD_KEYS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_STANDARD_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// A set of value types: bit t for the type with id t, and bit kArrayBit + t for
// an array of it.
using TypeSet = uint32_t;
constexpr int kArrayBit = 16;

// Words of a cell, in order.
struct WordList {
  const absl::string_view* data;
  size_t size;

  const absl::string_view* begin() const { return data; }
  const absl::string_view* end() const { return data + size; }
  bool Contains(absl::string_view word) const;
};

// When llama.cpp's loader reads a key of a model.
enum class Reading : uint8_t {
  kNever,
  kAlways,
  kOnlyArchitectures,  // Those listed.
  kAllBut,             // Every architecture but those listed.
  kVocabulary,         // When there is a vocabulary.
  kTokenizers,         // When tokenizer.ggml.model is one of those listed.
  kShards,             // When split.count is above 1.
  kAdapters,           // By the loader of LoRA adapters,
  kImatrices,          // of importance matrices,
  kProjectors,         // or of projectors; clip.audio.* for one of audio only.
};

enum class KeyStatus : uint8_t {
  kCurrent,
  kRetired,
  kMisspelt,
  kUnread,
  kSuperseded,
};

enum class ValueFormat : uint8_t {
  kAny,
  kUrl,
  kDoi,
  kUuid,
  kSpdx,
  kLanguage,
  kSize,
};

struct StandardKey {
  absl::string_view pattern;
  TypeSet spec;        // 0: the specification says nothing.
  bool spec_is_count;  // Then other integers are only unconventional.
  TypeSet loader;      // 0: the loader does not read it.
  Reading reading;
  WordList readers;
  TypeSet writer;  // 0: no program of llama.cpp writes it.
  ValueFormat format;
  WordList spec_values;    // Empty: any.
  WordList loader_values;  // Empty: any.
  uint32_t array_length;   // 0: any.
  KeyStatus status;
  absl::string_view successor;
};

// In the order of the patterns.
extern const StandardKey kStandardKeys[];
extern const size_t kStandardKeyCount;

// The row of a key, or null.  A first segment that is `architecture` stands for
// {arch}; a row that names the key itself comes first.
const StandardKey* FindStandardKey(absl::string_view key,
                                   absl::string_view architecture);

// Whether a segment of a key is a number: digits only, however many.
bool IsNumber(absl::string_view segment);

// The key with its architecture, if `pattern` has {arch}, filled in.
std::string WithArchitecture(absl::string_view pattern,
                             absl::string_view architecture);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_STANDARD_KEYS_H_
