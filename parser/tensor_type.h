// The tensor element types (ggml_type): the rows of tensor_types.tsv; and other
// types, of which only the size is known.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_TENSOR_TYPE_H_
#define GGUF_PARSER_TENSOR_TYPE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

// The meaning of the type ids in a file.  ggml changed the blocks of some types
// twice and kept their ids; it counts the changes as its quantization version
// (QNT).
enum class TypeScheme : uint8_t {
  kGguf,
  kCurrent,  // As kGguf, without the removed types: whisper.cpp.
  kQnt0,     // Until 12 May 2023: GGML, GGMF and GGJT version 1.
  kQnt1,     // Until 19 May 2023: GGJT version 2.
  kQnt2,     // GGJT version 3, until August 2023.
  kRwkv100,  // rwkv.cpp uses its own order; blocks as in kQnt0.
  kRwkv101,  // The same order; blocks as in kGguf.
};

// `count` consecutive numbers of `width` bytes (1, 2, 4 or 8).
struct NumberRun {
  uint16_t count;
  uint16_t width;
};

// The storage format of a scale; it determines which values are not finite.
enum class ScaleFormat : uint8_t {
  kNone,
  kF16,
  kBf16,
  kF32,
  kF64,
  kE8m0,    // 255 is NaN.
  kUe4m3,   // 127 is NaN; the sign is ignored.  Also the numbers of F8_E4M3.
  kIq1Half  // An f16 in the upper nibbles of four 16-bit numbers.
};

// The scales of a block: `count` of them, from byte `at`.
struct ScaleLayout {
  ScaleFormat format;
  uint16_t at;
  uint16_t count;
  bool can_overflow;  // Finite scales can make weights that are not.
};

struct TensorTypeInfo {
  uint32_t id;  // A TensorType, or the id of a removed one.
  const char* name;
  uint32_t block_elements;  // Elements in one block; 1 for plain types.
  uint32_t block_bytes;     // Bytes of one block.
  bool quantized;
  const char* removed;                 // The date of its removal, or null.
  bool in_spec;                        // The specification lists it as not removed.
  int8_t legacy_ids[5];                // By TypeScheme, from kQnt0 on; -1 if none.
  absl::Span<const NumberRun> fields;  // The whole block; empty if unknown.
  ScaleLayout scales;
  const char* llama_cpp;  // Its first build that reads the type: "b6096"; or "-".
};

// The enum TensorType and, in its order, the rows kTensorTypes.  The first
// kGgufTensorTypes rows are those of GGUF, where the id is the index; then come
// those that only legacy (pre-GGUF) files have.  The numbers of the latter
// appear in no file; FindTensorType returns them for ids of the old
// TypeSchemes.
#include "parser/tensor_types.inc"

static_assert(kGgufTensorTypes <= 64, "reports and tables keep sets of types in 64 bits");

// Returns the type with this id, including removed types; null if there is
// none.
const TensorTypeInfo* FindTensorType(uint32_t id);

// The same, for a file of this scheme: the `id` of the result is a TensorType.
const TensorTypeInfo* FindTensorType(uint32_t id, TypeScheme scheme);

// Not inline: gcc compiles a reference kernel's loop over blocks to slower code
// if it knows their sizes.
const TensorTypeInfo& GetTensorType(TensorType type);

// Returns every id ever assigned, in order: the id is the index.
inline absl::Span<const TensorTypeInfo> AllTensorTypes() {
  return absl::MakeConstSpan(kTensorTypes, kGgufTensorTypes);
}

// Returns the types from kFirstOld on, in order.
inline absl::Span<const TensorTypeInfo> OldTensorTypes() {
  return absl::MakeConstSpan(kTensorTypes).subspan(kGgufTensorTypes);
}

// The blocks of which the rows of a tensor consist.
struct Blocks {
  uint64_t elements = 0;  // 0 if the size of a block is unknown.
  uint64_t bytes = 0;
  uint64_t row_bytes = 0;  // Before the blocks of each row.
};

// A type that is not one of tensor_types.tsv.
struct SizedType {
  uint32_t id = 0;
  std::string name;     // Empty if unknown.
  std::string program;  // The program that defines it; empty for an own type.
  Blocks blocks;
  std::string size;  // If not empty, the bytes of a tensor, for EvaluateSize().
};

// The types that the user describes.
struct OwnTypes {
  std::map<uint32_t, SizedType> by_id;
};

// Returns the types of other programs than llama.cpp: the rows of
// foreign_types.tsv, in the order of their ids.  Some ids are those of types of
// llama.cpp, or of several programs (foreign_type.h).
const std::vector<SizedType>& ForeignTypes();

// Returns the own type with this id, or else the first foreign one; null if
// there is none.  `own` may be null.
const SizedType* FindSizedType(const OwnTypes* own, uint32_t id);

// Returns the value of an expression, such as "elements / 32 * 20 + 64", of the
// number of a tensor's elements.  It consists of `elements`, numbers, +, *,
// parentheses, and / before a number, which rounds down.  Returns nothing if a
// result does not fit into 64 bits, or if the text is not such an expression:
// only then `*error` becomes what was expected instead.
std::optional<uint64_t> EvaluateSize(absl::string_view text, uint64_t elements, std::string* error);

}  // namespace gguf

#endif  // GGUF_PARSER_TENSOR_TYPE_H_
