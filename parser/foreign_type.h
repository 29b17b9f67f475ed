// Tells the tensor types of programs apart that use the same ids, by the distances between tensors.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_FOREIGN_TYPE_H_
#define GGUF_PARSER_FOREIGN_TYPE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "parser/file.h"
#include "parser/tensor_type.h"

namespace gguf {

// Returns the types of other programs with this id: rows of foreign_types.tsv.
absl::Span<const SizedType> ForeignTypesOf(uint32_t id);

// The numbers in a tensor's data that are scales: `count` of them, one after the other, from byte
// `at` of each unit.  A unit is a number of blocks or of rows, or the whole tensor if both are 0;
// then `at` is negative, a distance from the end.
struct ScaleFields {
  ScaleFormat format = ScaleFormat::kNone;  // If they are unknown.
  uint16_t count = 0;
  int16_t at = 0;
  uint16_t blocks = 0;
  uint16_t rows = 0;
};

// Returns the scales of an element of ForeignTypes(), or none for an own type.
ScaleFields ScalesOf(const SizedType& type);

// The distances from the data of each tensor to that of the next one, or to the
// end of the file; by tensor index.  0 where two tensors share an offset, or an
// offset is beyond the file.  The alignment must be known.
std::vector<uint64_t> MeasureSpans(const File& file);

// Returns whether data of `size` bytes, padded, takes up the distance.
bool FitsSpan(const File& file, std::optional<uint64_t> size, uint64_t span);

// Sets `sized` and `bytes` of the tensors whose ids are own types, or types of other programs.
//
// Where several programs define an id, llama.cpp among them, the type is the one whose size all
// tensors of this id have, two or more if llama.cpp reads the id.  If llama.cpp's size fits them,
// or none does, the type is llama.cpp's, or nothing where llama.cpp has none; nothing, too, if
// different sizes fit, or if the table was not read to its end.
void ChooseSizedTypes(File* file);

}  // namespace gguf

#endif  // GGUF_PARSER_FOREIGN_TYPE_H_
