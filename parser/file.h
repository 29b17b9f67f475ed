// File: the parsed contents of a GGUF file; and the sizes of its tensors.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_FILE_H_
#define GGUF_PARSER_FILE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/cursor.h"
#include "parser/diagnostic.h"
#include "parser/legacy_format.h"
#include "parser/sniff.h"
#include "parser/tensor_type.h"
#include "parser/value.h"

namespace gguf {

struct KeyValue {
  uint64_t index = 0;
  Field<absl::string_view> key;
  const ValueTypeInfo* type = nullptr;
  const ValueTypeInfo* element_type = nullptr;  // Of an array's elements.
  uint64_t length = 0;                          // Number of array elements.
  uint64_t depth = 0;                           // 2 for an array in an array.
  Range value;                                  // The complete bytes of the value.

  Range type_where() const { return {key.where.end, key.where.end + 4}; }
  Subject subject() const { return {"kv", true, index, key.value}; }
  Location at_key() const { return {key.where, subject().Of("key")}; }
  Location at_value() const { return {value, subject().Of("value")}; }
  Location at_type() const { return {type_where(), subject().Of("type")}; }

  // Returns whether the value is, or may contain, values of this kind.
  bool MayHold(ValueKind kind) const {
    return type->kind == kind ||
           (element_type != nullptr &&
            (element_type->kind == kind || element_type->kind == ValueKind::kArray));
  }
};

constexpr uint32_t kMaxDimensions = 4;

struct TensorInfo {
  uint64_t index = 0;
  Field<absl::string_view> name;
  Field<uint32_t> n_dims;
  std::array<uint64_t, kMaxDimensions> dims{};  // The first four, in file order.
  // The product of all others, zeros counted as 1; nothing if it is not below
  // 2^63.  And whether one of them is zero.
  std::optional<uint64_t> beyond = 1;
  bool zero_beyond = false;
  Range dims_range;  // The bytes of all.
  Field<uint32_t> type;
  TypeScheme scheme = TypeScheme::kGguf;
  const SizedType* sized = nullptr;  // If the id means an own type, or that of another program.
  Field<uint64_t> offset;            // From the start of the data section.
  std::optional<uint64_t> bytes;     // Size of its data: see ByteSize().

  Subject subject() const { return {"tensor", true, index, name.value}; }
  Location at_name() const { return {name.where, subject().Of("name")}; }
  Location at_n_dims() const { return {n_dims.where, subject().Of("n_dims")}; }
  Location at_dims() const { return {dims_range, subject().Of("dims")}; }
  Location at_type() const { return {type.where, subject().Of("type")}; }
  Location at_offset() const { return {offset.where, subject().Of("offset")}; }
  Range dims_where() const { return dims_range; }
  uint32_t rank() const { return n_dims.value < kMaxDimensions ? n_dims.value : kMaxDimensions; }
  std::string ShapeText() const;  // "[4096, 32]", in file order; "..." for others.

  // Null for an id that ggml never assigned, or that means the type of another program here.
  const TensorTypeInfo* type_info() const {
    return sized == nullptr ? FindTensorType(type.value, scheme) : nullptr;
  }
  // Returns whether the weights can be read, and not only their size be told.
  bool has_known_weights() const {
    return type_info() != nullptr && type_info()->removed == nullptr;
  }
  std::string TypeName() const;  // The id if it has none.
  Blocks blocks() const;         // Of one element of no bytes if it is sized by an expression.
};

// The header of a legacy (pre-GGUF) file, in place of metadata.
struct LegacyHeader {
  const LegacyFamily* family = nullptr;

  // Other families that fit the whole file: an unversioned GGML file does not
  // identify its family.
  std::vector<const LegacyFamily*> also;

  // In the order of the family, as bits.  Complete from Progress::kHeader on;
  // the rest of the header is complete from Progress::kKeys on.
  std::vector<Field<uint32_t>> hparams;

  // The bytes of each HeaderPart::kNumbers, in the order of the family; of an importance matrix,
  // those of the number of calls of each tensor.
  std::vector<Range> numbers;

  std::optional<Field<uint32_t>> n_mel, n_fft;  // Size of the mel filters.

  // The vocabulary: the number of tokens, whether each is followed by a score,
  // and the bytes.
  Field<uint32_t> tokens;
  bool scored = false;
  Range vocabulary;

  TypeScheme scheme = TypeScheme::kGguf;  // Of the tensors' types.

  // Returns the ftype or data type; null if the family has none, or it was not
  // read.
  const Field<uint32_t>* FindFtype() const {
    const Field<uint32_t>* ftype = Find("ftype");
    return ftype != nullptr ? ftype : Find("data_type");
  }

  // Returns a hyper-parameter; null if the family does not have it, or it was
  // not read.
  const Field<uint32_t>* Find(absl::string_view name) const {
    const size_t i = family->IndexOf(name);
    return i < hparams.size() ? &hparams[i] : nullptr;
  }
};

// How far the file was read.
enum class Progress { kNothing, kMagic, kHeader, kKeys, kTensors };

// For a file in a legacy (pre-GGUF) format, `legacy` is set.  It then has no
// keys, and `data_begin` is 0: offsets count from the start of the file.
//
// Invariants: every range lies inside the file; those of keys, values and the
// tensor table lie inside the available bytes.  `alignment` is not zero. `keys`
// and `tensors` hold complete entries only, in file order.
//
// The bytes of a mapped file may change at any time.  Numbers that bound
// something are therefore read once and kept here.
struct File {
  Bytes bytes;                                // The available bytes, from the start of the file.
  const DataReader* data = nullptr;           // Reads others, as Source::data.
  const std::vector<Range>* holes = nullptr;  // As Source::holes.
  uint64_t size = 0;                          // Size of the file.
  absl::string_view name;                     // Its base name; empty for a stream.
  FileKind kind;
  Encoding encoding;
  Field<uint32_t> version;
  Field<uint64_t> tensor_count;  // As stated in the header.
  Field<uint64_t> key_count;
  std::vector<KeyValue> keys;
  std::vector<TensorInfo> tensors;
  std::shared_ptr<const OwnTypes> own_types;  // Tensors refer to them.
  std::optional<LegacyHeader> legacy;

  uint64_t alignment = 32;
  // False if general.alignment is zero, is not a u32, or occurs twice with
  // different values: then the start of the data section is unknown.
  bool alignment_known = true;

  // The end of the tensor table and the start of the data section.  The latter
  // may lie after the end of the file.
  uint64_t infos_end = 0;
  uint64_t data_begin = 0;

  Progress progress = Progress::kNothing;
  std::optional<Stop> stop;  // Set unless progress is kTensors.

  // Returns the source from which the file was parsed.
  Source source() const { return {bytes, size, name}; }
  // Returns those of the bytes [begin, end) that are available.
  Bytes At(Range where) const {
    const uint64_t end = std::min<uint64_t>(where.end, bytes.size());
    if (where.begin >= end) return Bytes();
    return bytes.subspan(where.begin, end - where.begin);
  }
  // Returns those of the bytes [begin, end) that are available or can be read,
  // the latter in `buffer`.
  Bytes Read(Range where, std::string* buffer) const;

  // Returns the first entry with this key, or null.
  const KeyValue* Find(absl::string_view key) const;

  // Returns the value of the key if it has this type.
  std::optional<uint64_t> Unsigned(const KeyValue& kv) const;  // u8..u64
  std::optional<absl::string_view> String(const KeyValue& kv) const;
};

// Shows the value of a key to `visitor` (value_walk.h), or, if its bytes have
// changed, as much of it as can still be read.
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

// Calls each(text, where, element) with the strings of a value, as WalkValue
// shows them to a visitor.
template <class Function>
void ForEachString(const File& file, const KeyValue& kv, Function each) {
  struct : ValueVisitor {
    Function* function;
    void String(absl::string_view text, Range where, uint64_t element) {
      PollDeadline();
      (*function)(text, where, element);
    }
  } visitor;
  visitor.function = &each;
  WalkValue(file, kv, &visitor);
}

// Returns the product of the dimensions; 1 for a scalar.  Returns nothing if a
// dimension, or the product with every zero counted as 1, does not fit into a
// signed 64-bit number.  (Counting zeros as 1 keeps [0, 2^62, 2^62] from passing
// as an empty tensor.)
std::optional<uint64_t> ElementCount(const TensorInfo& tensor);

// Multiplies a product of dimensions by another one, which counts as 1 if it is
// zero.  The result is nothing as in ElementCount().
void MultiplyDimension(uint64_t dim, std::optional<uint64_t>* product);

// Returns whether a row, the first dimension, is a whole number of blocks. True
// for blocks of unknown size.
bool HasWholeBlocks(const TensorInfo& tensor, const Blocks& blocks);

// Returns the size in bytes of the tensor's data if it consists of these
// blocks.  Returns nothing if their size is unknown, a row is not whole blocks,
// ElementCount() is nothing, or the size does not fit into 64 bits.
std::optional<uint64_t> SizeInBlocks(const TensorInfo& tensor, const Blocks& blocks);

// Returns the size of the tensor's data in bytes, without padding: that in its
// blocks(), or as its expression says.  Returns nothing if that is nothing, or
// if the size, padded to `alignment`, does not fit into 64 bits.
std::optional<uint64_t> ByteSize(const TensorInfo& tensor, uint64_t alignment);

}  // namespace gguf

#endif  // GGUF_PARSER_FILE_H_
