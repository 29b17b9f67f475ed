// The tensor element types (ggml_type): block sizes and which ids are alive.
//
// Source: the enumeration of the GGUF specification, and ggml's for the ids
// that are newer than it (40..42).  The ids and blocks of GGUF's ancestors: the
// history of ggml.c of March to June 2023, and rwkv.cpp's file format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_TENSOR_TYPE_H_
#define GGUF_PARSER_TENSOR_TYPE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

enum class TensorType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ8_1 = 9,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kQ8_K = 15,
  kIQ2_XXS = 16,
  kIQ2_XS = 17,
  kIQ3_XXS = 18,
  kIQ1_S = 19,
  kIQ4_NL = 20,
  kIQ3_S = 21,
  kIQ2_S = 22,
  kIQ4_XS = 23,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kIQ1_M = 29,
  kBF16 = 30,
  kTQ1_0 = 34,
  kTQ2_0 = 35,
  kMXFP4 = 39,
  kNVFP4 = 40,
  kQ1_0 = 41,
  kQ2_0 = 42,

  // Blocks that only GGUF's ancestors have.  No file holds these numbers; they
  // are what FindTensorType gives for an id of the old TypeSchemes.
  kFirstOld = 0x10000,
  kQ4_0_QNT0 = kFirstOld,
  kQ4_1_QNT0,
  kQ4_2,
  kQ4_3,
  kQ5_0_QNT0,
  kQ5_1_QNT0,
  kQ8_0_QNT0,
  kQ4_0_QNT1,
  kQ4_1_QNT1,
  kQ4_1_O,
};

// What the type ids of a file mean.  ggml changed the blocks of some types
// twice and kept their ids; it counts the changes as its quantization version
// (QNT).
enum class TypeScheme : uint8_t {
  kGguf,     // As this header lists them.
  kQnt0,     // Until 12 May 2023: GGML, GGMF and GGJT version 1.
  kQnt1,     // Until 19 May 2023: GGJT version 2.
  kQnt2,     // GGJT version 3, until August 2023.
  kCurrent,  // As kGguf, without what was removed: whisper.cpp.
  kRwkv100,  // rwkv.cpp counts in its own order; blocks as in kQnt0.
  kRwkv101,  // The same order; blocks as in kGguf.
};

struct TensorTypeInfo {
  uint32_t id;
  const char* name;
  uint32_t block_elements;  // Elements in one block; 1 for plain types.
  uint32_t block_bytes;     // Bytes of one block.
  bool quantized;
  const char* removed;  // The date it left the format, or null.
  bool in_spec;         // The written specification lists it as alive.
};

// The type with this id, removed ones included; null when there is none.
const TensorTypeInfo* FindTensorType(uint32_t id);

// The same, for a file of this scheme: the `id` of the result is a TensorType.
const TensorTypeInfo* FindTensorType(uint32_t id, TypeScheme scheme);

const TensorTypeInfo& GetTensorType(TensorType type);

// Every id ever given out, in order: the id is the index.
absl::Span<const TensorTypeInfo> AllTensorTypes();

// The types from kFirstOld on, in order.
absl::Span<const TensorTypeInfo> OldTensorTypes();

}  // namespace gguf

#endif  // GGUF_PARSER_TENSOR_TYPE_H_
