// File: what the parser has read of a GGUF file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_FILE_H_
#define GGUF_PARSER_CORE_FILE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "parser/core/bytes.h"
#include "parser/core/cursor.h"
#include "parser/core/legacy_header.h"
#include "parser/core/limits.h"
#include "parser/core/sniff.h"
#include "parser/core/source.h"
#include "parser/core/tensor_type.h"
#include "parser/core/value_type.h"
#include "parser/core/value_walk.h"

namespace gguf {

struct KeyValue {
  uint64_t index = 0;
  Field<absl::string_view> key;
  const ValueTypeInfo* type = nullptr;
  const ValueTypeInfo* element_type = nullptr;  // Of an array.
  uint64_t length = 0;                          // Of an array: its elements.
  uint64_t depth = 0;  // Of an array in an array it is 2.
  Range value;         // Its bytes, complete.

  Range type_where() const { return {key.where.end, key.where.end + 4}; }
  Subject subject() const { return {"kv", true, index, key.value}; }

  // Whether the value is, or may contain, values of this kind.
  bool MayHold(ValueKind kind) const {
    return type->kind == kind || (element_type != nullptr &&
                                  (element_type->kind == kind ||
                                   element_type->kind == ValueKind::kArray));
  }
};

constexpr uint32_t kMaxDimensions = 4;

struct TensorInfo {
  uint64_t index = 0;
  Field<absl::string_view> name;
  Field<uint32_t> n_dims;
  std::array<uint64_t, kMaxDimensions>
      dims{};        // The first four, in file order.
  Range dims_range;  // Their bytes, those of a fifth dimension included.
  Field<uint32_t> type;
  TypeScheme scheme = TypeScheme::kGguf;
  Field<uint64_t> offset;         // From the start of the data section.
  std::optional<uint64_t> bytes;  // Of its data: ByteSize() of tensor_size.h.

  Subject subject() const { return {"tensor", true, index, name.value}; }
  Range dims_where() const { return dims_range; }
  uint32_t rank() const {
    return n_dims.value < kMaxDimensions ? n_dims.value : kMaxDimensions;
  }
  std::string ShapeText() const;  // "[4096, 32]", in file order.

  // Null for an id that was never given out.
  const TensorTypeInfo* type_info() const {
    return FindTensorType(type.value, scheme);
  }
};

// How much of the file was read to its end.
enum class Progress { kNothing, kMagic, kHeader, kKeys, kTensors };

// Of a file that is no GGUF but one of its ancestors, `legacy` is set; there
// are no keys then, and `data_begin` is 0: offsets count from the start of the
// file.
//
// Invariants: every range lies inside the file, and those of keys, values and
// of the tensor table inside the bytes at hand; `alignment` is not zero; keys
// and tensors hold complete entries only, in the order of the file.
//
// The bytes of a mapped file may change at any time.  So numbers that bound
// something are read once and kept here.
struct File {
  Bytes bytes;             // Those at hand, from the file's beginning on.
  uint64_t size = 0;       // Of the file.
  absl::string_view name;  // Its base name; empty for a stream.
  FileKind kind;
  Encoding encoding;
  Field<uint32_t> version;
  Field<uint64_t> tensor_count;  // As the header says.
  Field<uint64_t> key_count;
  std::vector<KeyValue> keys;
  std::vector<TensorInfo> tensors;
  std::optional<LegacyHeader> legacy;

  uint64_t alignment = 32;
  // False when general.alignment is zero, no u32, or stated twice with
  // different values: then nobody can say where the data section begins.
  bool alignment_known = true;

  // Where the tensor table ends and where the data section begins.  The latter
  // may lie behind the end of the file.
  uint64_t infos_end = 0;
  uint64_t data_begin = 0;

  Progress progress = Progress::kNothing;
  std::optional<Stop> stop;  // Set unless progress is kTensors.

  // What it was read from.
  Source source() const { return {bytes, size, name}; }
  // Those of the bytes [begin, end) that are at hand.
  Bytes At(Range where) const {
    const uint64_t end = std::min<uint64_t>(where.end, bytes.size());
    if (where.begin >= end) return Bytes();
    return bytes.subspan(where.begin, end - where.begin);
  }

  // The first entry with this key, or null.
  const KeyValue* Find(absl::string_view key) const;

  // The key's value when it has this type.
  std::optional<uint64_t> Unsigned(const KeyValue& kv) const;  // u8..u64
  std::optional<absl::string_view> String(const KeyValue& kv) const;
};

// Shows a key's value to `visitor` (value_walk.h), or as much of it as can
// still be read when its bytes have changed.
template <class Visitor>
void WalkValue(const File& file, const KeyValue& kv, Visitor* visitor) {
  Limits limits;
  limits.array_elements = ~uint64_t{0};
  limits.array_depth = kv.depth;
  Cursor cursor(file.source(), kv.value);
  cursor.set_encoding(file.encoding);
  ValueWalker<Visitor>(&cursor, file.version.value, limits, visitor)
      .WalkAgain(*kv.type, kv.element_type, kv.length);
}

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_FILE_H_
