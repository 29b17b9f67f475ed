// The mutator: reads a file into a model, lets an operator change the model,
// and writes the file.
//
// In this order: random numbers; the encoding; the model, its reader and
// writer; tensor data; tables of values to try; the operators and their table;
// cross-over; the C interface; AFL++.
//
// An operator gets a model and returns the changed file, or nothing if the
// model has nothing to change.  Operators that keep a file well-formed change
// the entries of the model, which is then written: bytes move, counts follow.
// Operators that make a field wrong change it in place, so that nothing else
// follows.
//
// SPDX-License-Identifier: Apache-2.0

#include "gguf_mutator.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <forward_list>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// Bytes of any kind: Bytes is a view, std::string owns.
using Bytes = std::string_view;
using Result = std::optional<std::string>;

// Random numbers --------------------------------------------------------------

// splitmix64: small, fast, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // 0..n-1; 0 when n is 0.
  size_t Below(size_t n) { return n == 0 ? 0 : Next() % n; }
  bool OneIn(size_t n) { return Below(n) == 0; }

  template <class T, size_t N>
  const T& Pick(const T (&all)[N]) {
    return all[Below(N)];
  }
  template <class T>
  T& Pick(std::vector<T>& all) {
    return all[Below(all.size())];
  }

 private:
  uint64_t state_;
};

// The encoding ----------------------------------------------------------------

// The encoding of the numbers of a file.
struct Layout {
  uint32_t version = 3;
  bool big = false;

  // Of counts, lengths and dimensions.
  size_t length_bytes() const { return version == 1 ? 4 : 8; }
};

uint64_t Load(const char* at, size_t width, bool big) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    const size_t from = big ? i : width - 1 - i;
    value = value << 8 | static_cast<uint8_t>(at[from]);
  }
  return value;
}

void Store(uint64_t value, size_t width, bool big, char* at) {
  for (size_t i = 0; i < width; ++i) {
    at[big ? width - 1 - i : i] = static_cast<char>(value);
    value >>= 8;
  }
}

// Appends numbers and texts in a layout.
class Writer {
 public:
  explicit Writer(const Layout& layout) : layout_(layout) {}

  Writer& Number(uint64_t value, size_t width) {
    char bytes[8];
    Store(value, width, layout_.big, bytes);
    return Raw(Bytes(bytes, width));
  }
  Writer& U32(uint32_t value) { return Number(value, 4); }
  Writer& Length(uint64_t value) { return Number(value, layout_.length_bytes()); }
  Writer& Text(Bytes text) { return Length(text.size()).Raw(text); }
  Writer& Raw(Bytes bytes) {
    out.append(bytes);
    return *this;
  }

  std::string out;

 private:
  Layout layout_;
};

enum ValueType : uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
  kValueTypes,
};

// Returns the size of a value of a type in bytes; 0 for strings, arrays and
// unknown types.
size_t SizeOf(uint32_t type) {
  constexpr uint8_t kSizes[kValueTypes] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < kValueTypes ? kSizes[type] : 0;
}

// The model -------------------------------------------------------------------

enum Kind : uint8_t {
  kVersionField,
  kCount,   // Of keys, or of tensors.
  kLength,  // Of a text.
  kText,
  kTypeOfValue,
  kTypeOfElements,
  kArrayLength,
  kScalar,
  kRank,
  kDimension,
  kTypeOfTensor,
  kOffset,
  kKinds
};

// `count` consecutive numbers of `width` bytes; for a text, its bytes.
struct Field {
  Kind kind;
  uint8_t width;
  size_t at;
  size_t count;

  size_t end() const { return at + width * count; }
};

struct Key {
  Bytes name;
  uint32_t type = 0;
  Bytes value;  // As stored.
};

struct Tensor {
  Bytes name;
  std::vector<uint64_t> dims;
  uint32_t type = 0;
  uint64_t offset = 0;
};

// A whole file.  Views point into the bytes that were read, or into strings
// passed to Keep().
struct Model {
  // The bytes that were read and their fields, in file order.  Operators that
  // change bytes in place start from these.
  Bytes file;
  std::vector<Field> fields;
  size_t max_size = 0;

  // The content to write.
  bool has_header = false;  // If not, `rest` is all there is.
  Layout layout;
  Bytes magic;
  std::vector<Key> keys;
  std::vector<Tensor> tensors;
  // Set if they differ from the numbers of entries above.
  std::optional<uint64_t> key_count, tensor_count;
  // The bytes after the last entry, if they are not zero padding.
  std::optional<Bytes> padding;
  Bytes rest;  // The data section, or what could not be read.

  Bytes Keep(std::string bytes) {
    kept.push_front(std::move(bytes));
    return kept.front();
  }
  std::forward_list<std::string> kept;
};

// The alignment of offsets and the data section.
size_t AlignmentOf(const Model& m) {
  constexpr uint64_t kDefault = 32, kMost = 1 << 16;
  uint64_t alignment = kDefault;
  for (const Key& key : m.keys) {
    if (key.type == kU32 && key.name == "general.alignment") {
      const char* value = key.value.data();
      alignment = Load(value, 4, m.layout.big);
    }
  }
  return alignment == 0 || alignment > kMost ? kDefault : alignment;
}

size_t PaddingAt(size_t at, size_t alignment) { return (alignment - at % alignment) % alignment; }

// Reads a file from front to back, and records the fields.
class Reader {
 public:
  explicit Reader(Model* m) : m_(m) {}

  void Run() {
    m_->rest = m_->file;
    m_->padding = Bytes();
    if (!ReadHeader()) return;
    m_->has_header = true;
    if (!ReadEntries(&m_->key_count, &Reader::ReadKey) ||
        !ReadEntries(&m_->tensor_count, &Reader::ReadTensor)) {
      m_->rest = m_->file.substr(at_);
      return;
    }
    const size_t padding = PaddingAt(at_, AlignmentOf(*m_));
    const Bytes behind = m_->file.substr(at_);
    m_->padding = behind.substr(0, padding);
    m_->rest = behind.substr(m_->padding->size());
    if (m_->padding->size() == padding && m_->padding->find_first_not_of('\0') == Bytes::npos) {
      m_->padding.reset();
    }
  }

 private:
  bool Fits(uint64_t count, size_t width) const { return count <= (m_->file.size() - at_) / width; }
  bool Skip(Kind kind, uint64_t count, size_t width) {
    if (!Fits(count, width)) return false;
    const auto n = static_cast<size_t>(count);
    m_->fields.push_back({kind, static_cast<uint8_t>(width), at_, n});
    at_ += n * width;
    return true;
  }
  template <class T>
  bool Number(Kind kind, size_t width, T* value) {
    if (!Skip(kind, 1, width)) return false;
    *value = static_cast<T>(Load(m_->file.data() + at_ - width, width, m_->layout.big));
    return true;
  }
  bool Length(Kind kind, uint64_t* value) { return Number(kind, m_->layout.length_bytes(), value); }
  bool Text(Bytes* text) {
    uint64_t length = 0;
    if (!Length(kLength, &length) || !Skip(kText, length, 1)) return false;
    *text = m_->file.substr(at_ - length, length);
    return true;
  }

  bool ReadHeader();
  // Reads entries up to the first that is incomplete, and returns to its start.
  bool ReadEntries(std::optional<uint64_t>* count, bool (Reader::*read)());
  bool ReadKey();
  bool ReadValue(uint32_t type);
  bool ReadTensor();

  Model* m_;
  size_t at_ = 0;
};

// The byte order is the one in which the version is valid.
bool Reader::ReadHeader() {
  constexpr size_t kMagicBytes = 4;
  m_->magic = m_->file.substr(0, kMagicBytes);
  at_ = m_->magic.size();
  if (!Fits(1, 4)) return false;
  Layout& layout = m_->layout;
  for (const bool big : {false, true}) {
    layout = {static_cast<uint32_t>(Load(m_->file.data() + at_, 4, big)), big};
    if (layout.version >= 1 && layout.version <= 3) break;
  }
  uint64_t tensors = 0, keys = 0;
  if (layout.version < 1 || layout.version > 3 || !Number(kVersionField, 4, &layout.version) ||
      !Length(kCount, &tensors) || !Length(kCount, &keys)) {
    m_->fields.clear();
    return false;
  }
  m_->tensor_count = tensors;
  m_->key_count = keys;
  return true;
}

bool Reader::ReadEntries(std::optional<uint64_t>* count, bool (Reader::*read)()) {
  for (uint64_t i = 0; i < **count; ++i) {
    const size_t entry = at_, first_field = m_->fields.size();
    if ((this->*read)()) continue;
    at_ = entry;
    m_->fields.resize(first_field);
    return false;
  }
  count->reset();
  return true;
}

bool Reader::ReadKey() {
  Key key;
  if (!Text(&key.name) || !Number(kTypeOfValue, 4, &key.type)) return false;
  const size_t value = at_;
  if (!ReadValue(key.type)) return false;
  key.value = m_->file.substr(value, at_ - value);
  m_->keys.push_back(key);
  return true;
}

// Reads arrays in arrays without recursion: `open` has the remaining length of
// each.
bool Reader::ReadValue(uint32_t type) {
  struct Open {
    uint32_t type;
    uint64_t left;
  };
  std::vector<Open> open;
  Bytes text;
  for (;;) {
    if (type == kArray) {
      Open array = {};
      if (!Number(kTypeOfElements, 4, &array.type) || !Length(kArrayLength, &array.left)) {
        return false;
      }
      if (SizeOf(array.type) != 0) {
        if (!Skip(kScalar, array.left, SizeOf(array.type))) return false;
      } else {
        open.push_back(array);
      }
    } else if (type == kString) {
      if (!Text(&text)) return false;
    } else if (SizeOf(type) == 0 || !Skip(kScalar, 1, SizeOf(type))) {
      return false;
    }
    while (!open.empty() && open.back().left == 0) open.pop_back();
    if (open.empty()) return true;
    --open.back().left;
    type = open.back().type;
  }
}

bool Reader::ReadTensor() {
  Tensor tensor;
  uint32_t rank = 0;
  const size_t width = m_->layout.length_bytes();
  if (!Text(&tensor.name) || !Number(kRank, 4, &rank) || !Skip(kDimension, rank, width)) {
    return false;
  }
  const char* const dims = m_->file.data() + at_ - rank * width;
  for (size_t i = 0; i < rank; ++i) {
    tensor.dims.push_back(Load(dims + i * width, width, m_->layout.big));
  }
  if (!Number(kTypeOfTensor, 4, &tensor.type) || !Number(kOffset, 8, &tensor.offset)) {
    return false;
  }
  m_->tensors.push_back(std::move(tensor));
  return true;
}

Model Read(Bytes file, size_t max_size) {
  Model m;
  m.file = file;
  m.max_size = max_size;
  // Under a sanitizer, allocation is the slowest part.
  m.fields.reserve(std::min<size_t>(file.size() / 8, 128));
  m.keys.reserve(8);
  m.tensors.reserve(4);
  Reader(&m).Run();
  return m;
}

// The inverse of Read.
std::string Write(const Model& m) {
  if (!m.has_header) return std::string(m.rest);
  Writer w(m.layout);
  w.out.reserve(m.file.size() + 256);
  w.Raw(m.magic).U32(m.layout.version);
  w.Length(m.tensor_count.value_or(m.tensors.size()));
  w.Length(m.key_count.value_or(m.keys.size()));
  for (const Key& key : m.keys) w.Text(key.name).U32(key.type).Raw(key.value);
  for (const Tensor& tensor : m.tensors) {
    w.Text(tensor.name).U32(static_cast<uint32_t>(tensor.dims.size()));
    for (const uint64_t dim : tensor.dims) w.Length(dim);
    w.U32(tensor.type).Number(tensor.offset, 8);
  }
  if (m.padding) {
    w.Raw(*m.padding);
  } else {
    w.out.append(PaddingAt(w.out.size(), AlignmentOf(m)), '\0');
  }
  return w.Raw(m.rest).out;
}

// Converts a value to another layout.  Its fields are found by reading a file
// made from it.
std::string ConvertValue(const Key& key, const Layout& from, const Layout& to) {
  Writer one(from);
  one.Raw("GGUF").U32(from.version).Length(0).Length(1);
  one.Text("").U32(key.type);
  const size_t begin = one.out.size();
  one.Raw(key.value);
  const Model m = Read(one.out, one.out.size());
  Writer w(to);
  for (const Field& field : m.fields) {
    if (field.at < begin) continue;
    if (field.kind == kText) {
      w.Raw(m.file.substr(field.at, field.count));
      continue;
    }
    const bool is_length = field.kind == kLength || field.kind == kArrayLength;
    for (size_t at = field.at; at < field.end(); at += field.width) {
      const uint64_t value = Load(m.file.data() + at, field.width, from.big);
      w.Number(value, is_length ? to.length_bytes() : field.width);
    }
  }
  return w.out;
}

// The data of tensors ---------------------------------------------------------

// A tensor type: the elements and bytes of a block, and the position of its
// scale.  A scale whose bytes are all 0xFF is NaN in all of these; in those
// with an `infinity`, these bits are infinite.
struct BlockType {
  uint8_t id;
  uint16_t elements;
  uint16_t bytes;
  uint16_t scale_at;
  uint8_t scale_bytes;  // 0: integers.
  uint64_t infinity;
};

constexpr uint64_t kF16 = 0x7C00, kBf16 = 0x7F80, kF32Infinity = 0x7F800000,
                   kF64Infinity = 0x7FF0000000000000;

constexpr BlockType kBlockTypes[] = {
    {0, 1, 4, 0, 4, kF32Infinity},       // F32
    {1, 1, 2, 0, 2, kF16},               // F16
    {2, 32, 18, 0, 2, kF16},             // Q4_0
    {3, 32, 20, 0, 2, kF16},             // Q4_1
    {6, 32, 22, 0, 2, kF16},             // Q5_0
    {7, 32, 24, 0, 2, kF16},             // Q5_1
    {8, 32, 34, 0, 2, kF16},             // Q8_0
    {9, 32, 36, 0, 2, kF16},             // Q8_1
    {10, 256, 84, 80, 2, kF16},          // Q2_K
    {11, 256, 110, 108, 2, kF16},        // Q3_K
    {12, 256, 144, 0, 2, kF16},          // Q4_K
    {13, 256, 176, 0, 2, kF16},          // Q5_K
    {14, 256, 210, 208, 2, kF16},        // Q6_K
    {15, 256, 292, 0, 4, kF32Infinity},  // Q8_K
    {16, 256, 66, 0, 2, kF16},           // IQ2_XXS
    {17, 256, 74, 0, 2, kF16},           // IQ2_XS
    {18, 256, 98, 0, 2, kF16},           // IQ3_XXS
    {19, 256, 50, 0, 2, kF16},           // IQ1_S
    {20, 32, 18, 0, 2, kF16},            // IQ4_NL
    {21, 256, 110, 0, 2, kF16},          // IQ3_S
    {22, 256, 82, 0, 2, kF16},           // IQ2_S
    {23, 256, 136, 0, 2, kF16},          // IQ4_XS
    {24, 1, 1, 0, 0, 0},                 // I8
    {25, 1, 2, 0, 0, 0},                 // I16
    {26, 1, 4, 0, 0, 0},                 // I32
    {27, 1, 8, 0, 0, 0},                 // I64
    {28, 1, 8, 0, 8, kF64Infinity},      // F64
    {29, 256, 56, 48, 8, 0},             // IQ1_M: spread over four numbers
    {30, 1, 2, 0, 2, kBf16},             // BF16
    {34, 256, 54, 52, 2, kF16},          // TQ1_0
    {35, 256, 66, 64, 2, kF16},          // TQ2_0
    {39, 32, 17, 0, 1, 0},               // MXFP4
    {40, 64, 36, 0, 1, 0},               // NVFP4
    {41, 128, 18, 0, 2, kF16},           // Q1_0
    {42, 64, 18, 0, 2, kF16},            // Q2_0
    {43, 1, 1, 0, 1, 0},                 // F8_E4M3
};

const BlockType* FindBlockType(uint32_t id) {
  for (const BlockType& type : kBlockTypes) {
    if (type.id == id) return &type;
  }
  return nullptr;
}

// Returns the size of a tensor's data in bytes; nothing if it exceeds `most`,
// or the type or the shape is wrong.
std::optional<size_t> DataBytes(const Tensor& tensor, size_t most) {
  const BlockType* const type = FindBlockType(tensor.type);
  if (type == nullptr) return std::nullopt;
  uint64_t row = type->elements, rows = 1;
  for (size_t i = 0; i < tensor.dims.size(); ++i) {
    const uint64_t dim = tensor.dims[i];
    if (dim == 0) return 0;
    if (i == 0) {
      row = dim;
    } else if (rows > most / dim) {
      return std::nullopt;
    } else {
      rows *= dim;
    }
  }
  if (row % type->elements != 0) return std::nullopt;
  const uint64_t blocks = row / type->elements;
  if (blocks > most / type->bytes / rows) return std::nullopt;
  return static_cast<size_t>(rows * blocks * type->bytes);
}

// Returns the part of the data section that belongs to a tensor, if all of it
// exists.
std::optional<Bytes> DataOf(const Model& m, const Tensor& tensor) {
  const std::optional<size_t> size = DataBytes(tensor, m.rest.size());
  if (!size || tensor.offset > m.rest.size() - *size) return std::nullopt;
  return m.rest.substr(static_cast<size_t>(tensor.offset), *size);
}

// Appends `data` to the data section and points the tensor to it.
void AppendData(Model& m, Tensor& tensor, Bytes data) {
  const size_t alignment = AlignmentOf(m);
  std::string rest(m.rest);
  rest.append(PaddingAt(rest.size(), alignment), '\0');
  tensor.offset = rest.size();
  rest.append(data);
  rest.append(PaddingAt(rest.size(), alignment), '\0');
  m.rest = m.Keep(std::move(rest));
  // A file without data may end without padding.
  if (m.padding && m.padding->empty() && m.tensors.empty()) m.padding.reset();
}

// Values to try ---------------------------------------------------------------

// Sizes by which readers multiply counts: of values, of stored entries, and of
// the structs that readers allocate for them.
constexpr uint64_t kElementSizes[] = {2,  4,  8,  12, 13, 16, 18, 24,  32, 34,
                                      40, 48, 56, 64, 72, 80, 88, 128, 176};

constexpr uint64_t kAlignments[] = {0,  1,  2,  3,  4,  7,    8,       12,         16,
                                    24, 31, 33, 40, 64, 4096, 1 << 20, 0x80000000, 0xFFFFFFFF};

constexpr uint64_t kTypes[] = {0,  1,  2,  3,   4,    5,       6,          7,
                               8,  9,  10, 11,  12,   13,      14,         31,
                               36, 38, 43, 255, 1000, 1 << 16, 0x80000000, 0xFFFFFFFF};

// Lengths near the limits of readers: ggml's 64 for tensor names, 65535 for
// keys, and powers of two.
constexpr size_t kTextLengths[] = {0,   1,   2,   7,   31,   63,   64,   65,    127,
                                   128, 255, 256, 257, 1023, 1024, 4096, 65535, 65536};

constexpr size_t kDepths[] = {1, 1, 2, 3, 63, 64, 65, 66, 128, 1000, 10000};

// Texts, as bytes: broken UTF-8, controls, and all forms of bad names.
constexpr Bytes kTexts[] = {
    "",
    "x",
    "general.name",
    "nodot",
    "Upper.Case",
    "general.Name",
    "dots..dots",
    ".begins.with.dot",
    "ends.with.dot.",
    "with space",
    "dash-ed.key",
    "%s%n%x",
    "../../etc/passwd",
    Bytes("nul\0inside", 10),
    Bytes("\0", 1),
    "caf\xC3\xA9",
    "\xFF",
    "\xC0\x80",          // NUL in two bytes.
    "\xE2\x82",          // Cut off.
    "\xED\xA0\x80",      // A surrogate.
    "\xF4\x90\x80\x80",  // Above the last character.
    "\x80",
    "\x1B[2J\x07",   // Terminal control.
    "\xE2\x80\xAE",  // Right to left.
    "\xEF\xBB\xBF",  // A byte order mark.
};

struct WellKnownKey {
  Bytes name;
  uint32_t type;  // As the specification or llama.cpp has it.
  uint32_t elements = 0;
};

constexpr WellKnownKey kWellKnownKeys[] = {
    {"general.architecture", kString},
    {"general.alignment", kU32},
    {"general.quantization_version", kU32},
    {"general.file_type", kU32},
    {"general.name", kString},
    {"general.type", kString},
    {"general.size_label", kString},
    {"general.tags", kArray, kString},
    {"general.base_model.count", kU32},
    {"split.no", kU16},
    {"split.count", kU16},
    {"split.tensors.count", kI32},
    {"llama.context_length", kU32},
    {"llama.embedding_length", kU32},
    {"llama.block_count", kU32},
    {"llama.feed_forward_length", kU32},
    {"llama.vocab_size", kU32},
    {"llama.expert_count", kU32},
    {"llama.expert_used_count", kU32},
    {"llama.attention.head_count", kU32},
    {"llama.attention.head_count_kv", kU32},
    {"llama.attention.layer_norm_rms_epsilon", kF32},
    {"llama.rope.dimension_count", kU32},
    {"llama.rope.freq_base", kF32},
    {"llama.rope.scaling.type", kString},
    {"tokenizer.ggml.model", kString},
    {"tokenizer.ggml.pre", kString},
    {"tokenizer.ggml.tokens", kArray, kString},
    {"tokenizer.ggml.scores", kArray, kF32},
    {"tokenizer.ggml.token_type", kArray, kI32},
    {"tokenizer.ggml.merges", kArray, kString},
    {"tokenizer.ggml.bos_token_id", kU32},
    {"tokenizer.ggml.eos_token_id", kU32},
    {"tokenizer.ggml.padding_token_id", kU32},
    {"tokenizer.ggml.add_bos_token", kBool},
    {"tokenizer.chat_template", kString},
    {"adapter.type", kString},
    {"adapter.lora.alpha", kF32},
};

constexpr Bytes kTensorNames[] = {
    "w",
    "token_embd.weight",
    "output.weight",
    "output_norm.weight",
    "rope_freqs.weight",
    "blk.0.attn_q.weight",
    "blk.0.attn_norm.weight",
    "blk.0.ffn_gate.weight",
    "blk.0.ffn_down_exps.weight",
    "blk.0.ffn_gate_tid2eid.weight",
    "blk.1.attn_q.weight",
    "blk.4294967295.attn_q.weight",
    "blk.-1.attn_q.weight",
    "blk..attn_q.weight",
};

// Shapes whose products or sizes in bytes overflow, or nearly do.
struct Shape {
  uint8_t rank;
  uint64_t dims[4];
};

constexpr uint64_t k2To(int exponent) { return uint64_t{1} << exponent; }

constexpr Shape kShapes[] = {
    {2, {k2To(32), k2To(32)}},                      // 2^64 elements
    {4, {k2To(16), k2To(16), k2To(16), k2To(16)}},  // the same
    {2, {k2To(32), k2To(31)}},                      // 2^63 elements
    {1, {k2To(63)}},
    {1, {k2To(62)}},                           // F32: 2^64 bytes
    {1, {k2To(62) - 1}},                       // padding them wraps
    {2, {4, k2To(60) + 1}},                    // F32: 2^64 + 16
    {3, {4, k2To(30) - 1, k2To(30) + 1}},      // F32: 2^64 - 16
    {3, {4194305, 4194305, 211106198978564}},  // 2^64 + 4 elements
    {1, {1024819115206086208}},                // Q4_0: dims times bytes is 2^64 + 128
    {1, {k2To(61) - 16}},                      // F32: 2^63 - 64
    {2, {k2To(31), k2To(31)}},
    {1, {UINT64_MAX}},
    {2, {32, UINT64_MAX}},
    {1, {0}},
    {2, {32, 0}},
};

uint64_t MaskOf(size_t width) { return width >= 8 ? UINT64_MAX : (uint64_t{1} << (8 * width)) - 1; }

// Returns a number that readers handle wrongly, for a field of `width` bytes
// that holds `old` and is followed by `remaining` bytes.
uint64_t Interesting(Random& r, uint64_t old, size_t width, uint64_t remaining) {
  const uint64_t mask = MaskOf(width);
  // The argument may be random, too, so it is evaluated first.
  const auto near = [&](uint64_t n) { return n + r.Below(3) - 1; };
  switch (r.Below(12)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return mask;
    case 3:
      return mask - r.Below(65);
    case 4:  // The sign.
      return near(mask / 2 + 1);
    case 5:
    case 6:
      return near(old);
    case 7:
      return near(uint64_t{1} << r.Below(8 * width));
    case 8:
      return near(remaining);
    case 9:
      return near(remaining / r.Pick(kElementSizes));
    case 10:  // Times a size it is a little more than nothing.
      return near(mask / r.Pick(kElementSizes) + 2);
    default:
      return r.Next() & mask;
  }
}

// Returns a value of a type; `elements` is the type of an array's elements.
std::string RandomValue(Random& r, const Layout& layout, uint32_t type, uint32_t elements) {
  Writer w(layout);
  const auto scalar = [&](uint32_t of) {
    if (of == kString) {
      w.Text(r.Pick(kTexts));
    } else if (of == kArray) {
      w.U32(kU8).Length(0);
    } else if (const size_t width = SizeOf(of)) {
      w.Number(r.OneIn(2) ? r.Below(100) : Interesting(r, 1, width, 32), width);
    }
  };
  if (type != kArray) {
    scalar(type);
    return w.out;
  }
  const size_t count = r.Below(4);
  w.U32(elements).Length(count);
  for (size_t i = 0; i < count; ++i) scalar(elements);
  return w.out;
}

uint32_t RandomType(const Model& m, Random& r) {
  return static_cast<uint32_t>(r.Below(m.layout.version == 1 ? kU64 : kValueTypes));
}

// Operators on fields ---------------------------------------------------------

// One number of a field: a field may hold many.
struct Place {
  size_t at;
  size_t width;
};

// Returns one of the wanted elements, or null if there is none.
template <class Element, class Wanted>
Element* PickIf(std::vector<Element>& all, Random& r, Wanted wanted) {
  const auto n = std::count_if(all.begin(), all.end(), wanted);
  if (n == 0) return nullptr;
  size_t left = r.Below(static_cast<size_t>(n));
  return &*std::find_if(all.begin(), all.end(),
                        [&](const Element& one) { return wanted(one) && left-- == 0; });
}

template <Kind... kinds>
bool Is(Kind kind) {
  return ((kind == kinds) || ...);
}

bool IsNumber(Kind kind) { return kind != kText; }

std::optional<Place> PickNumber(Model& m, Random& r, bool (*wanted)(Kind)) {
  const Field* const field = PickIf(
      m.fields, r, [&](const Field& field) { return field.count > 0 && wanted(field.kind); });
  if (field == nullptr) return std::nullopt;
  return Place{field->at + field->width * r.Below(field->count), field->width};
}

uint64_t NumberAt(const Model& m, const Place& place) {
  return Load(m.file.data() + place.at, place.width, m.layout.big);
}

std::string WithNumber(const Model& m, const Place& place, uint64_t value) {
  std::string file(m.file);
  Store(value, place.width, m.layout.big, &file[place.at]);
  return file;
}

template <bool (*wanted)(Kind)>
Result SetInteresting(Model& m, Random& r) {
  const auto place = PickNumber(m, r, wanted);
  if (!place) return std::nullopt;
  const uint64_t remaining = m.file.size() - place->at - place->width;
  return WithNumber(m, *place, Interesting(r, NumberAt(m, *place), place->width, remaining));
}

Result TypeLie(Model& m, Random& r) {
  const auto place = PickNumber(m, r, Is<kTypeOfValue, kTypeOfElements, kTypeOfTensor>);
  if (!place) return std::nullopt;
  return WithNumber(m, *place, r.Pick(kTypes));
}

// Makes an array's length times its element size a few elements, modulo 2^64
// or, in version 1, 2^32.
Result ArrayLengthWrap(Model& m, Random& r) {
  const Field* const length =
      PickIf(m.fields, r, [](const Field& field) { return field.kind == kArrayLength; });
  if (length == nullptr) return std::nullopt;
  const size_t size = SizeOf(static_cast<uint32_t>(NumberAt(m, {length->at - 4, 4})));
  if (size < 2) return std::nullopt;
  return WithNumber(m, {length->at, length->width}, MaskOf(length->width) / size + 1 + r.Below(4));
}

// Puts NaN and infinity into the floats of the metadata.
Result ScalarNonFinite(Model& m, Random& r) {
  constexpr uint64_t kF32s[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F812345};
  const auto place = PickNumber(m, r, Is<kScalar>);
  if (!place || place->width < 4) return std::nullopt;
  return WithNumber(m, *place, place->width == 4 ? r.Pick(kF32s) : r.Pick(kF32s) << 32);
}

Result NumberReverse(Model& m, Random& r) {
  const auto place = PickNumber(m, r, IsNumber);
  if (!place || place->width < 2) return std::nullopt;
  std::string file(m.file);
  std::reverse(&file[place->at], &file[place->at] + place->width);
  return file;
}

// Operators on entries --------------------------------------------------------

// Make an operator of a change of the model, or of one of its entries.  The
// change may do nothing: Apply() discards what equals the file.

template <void (*change)(Model&, Random&)>
Result OnHeader(Model& m, Random& r) {
  if (!m.has_header) return std::nullopt;
  change(m, r);
  return Write(m);
}

template <void (*change)(Model&, Random&, Key&)>
Result OnKey(Model& m, Random& r) {
  if (m.keys.empty()) return std::nullopt;
  change(m, r, r.Pick(m.keys));
  return Write(m);
}

template <void (*change)(Model&, Random&, Tensor&)>
Result OnTensor(Model& m, Random& r) {
  if (m.tensors.empty()) return std::nullopt;
  change(m, r, r.Pick(m.tensors));
  return Write(m);
}

// Operators on keys and values ------------------------------------------------

// Returns the number of bytes by which the file may grow.
size_t RoomIn(const Model& m) { return m.max_size - std::min(m.max_size, m.file.size()); }

// Changes any name of a key or of a tensor, or a whole value that is a string.
template <std::string (*change)(const Model&, Random&, Bytes)>
Result OnText(Model& m, Random& r) {
  std::vector<Bytes*> names;
  std::vector<Key*> strings;
  for (Key& key : m.keys) {
    names.push_back(&key.name);
    if (key.type == kString) strings.push_back(&key);
  }
  for (Tensor& tensor : m.tensors) names.push_back(&tensor.name);
  const size_t i = r.Below(names.size() + strings.size());
  if (i < names.size()) {
    *names[i] = m.Keep(change(m, r, *names[i]));
  } else if (!strings.empty()) {
    Key& key = *strings[i - names.size()];
    const Bytes text = key.value.substr(m.layout.length_bytes());
    key.value = m.Keep(Writer(m.layout).Text(change(m, r, text)).out);
  } else {
    return std::nullopt;
  }
  return Write(m);
}

std::string TextResize(const Model& m, Random& r, Bytes text) {
  std::string resized(text);
  const size_t length = r.Pick(kTextLengths);
  resized.resize(std::min(length, text.size() + RoomIn(m)), 'a');
  return resized;
}

std::string TextReplace(const Model&, Random& r, Bytes) { return std::string(r.Pick(kTexts)); }

// Inserts a piece of a bad text into a good one.
std::string Utf8Damage(const Model&, Random& r, Bytes text) {
  std::string damaged(text);
  const size_t at = r.Below(text.size() + 1);
  return damaged.insert(at, r.Pick(kTexts));
}

void ValueReplace(Model& m, Random& r, Key& key) {
  key.type = RandomType(m, r);
  key.value = m.Keep(RandomValue(r, m.layout, key.type, RandomType(m, r)));
}

// Changes the type; the value keeps its bytes, as far as they fit.
void ValueRetype(Model& m, Random& r, Key& key) {
  key.type = RandomType(m, r);
  std::string value(key.value);
  if (const size_t size = SizeOf(key.type)) {
    value.resize(size);
  } else if (key.type == kString) {
    value = Writer(m.layout).Text(key.value).out;
  } else {
    value = Writer(m.layout).U32(kU8).Length(value.size()).Raw(value).out;
  }
  key.value = m.Keep(std::move(value));
}

void ArrayNest(Model& m, Random& r, Key& key) {
  const size_t level = 4 + m.layout.length_bytes();
  const size_t depth = std::min(r.Pick(kDepths), RoomIn(m) / level);
  if (depth == 0) return;
  Writer w(m.layout);
  for (size_t i = 0; i < depth; ++i) {
    w.U32(i + 1 < depth ? kArray : key.type).Length(1);
  }
  key.value = m.Keep(w.Raw(key.value).out);
  key.type = kArray;
}

// The parts of an array.
struct Array {
  uint32_t type;
  uint64_t length;
  Bytes elements;
};

Bytes KeepArray(Model& m, const Array& array) {
  Writer w(m.layout);
  w.U32(array.type).Length(array.length).Raw(array.elements);
  return m.Keep(std::move(w.out));
}

// Like OnKey, for a key whose value is an array.
template <void (*change)(Model&, Random&, Key&, Array)>
Result OnArray(Model& m, Random& r) {
  Key* const key = PickIf(m.keys, r, [](const Key& key) { return key.type == kArray; });
  if (key == nullptr) return std::nullopt;
  const size_t width = m.layout.length_bytes();
  const char* const at = key->value.data();
  change(m, r, *key,
         {static_cast<uint32_t>(Load(at, 4, m.layout.big)), Load(at + 4, width, m.layout.big),
          key->value.substr(4 + width)});
  return Write(m);
}

// Replaces an array by its first elements.
void ArrayFlatten(Model&, Random&, Key& key, Array array) {
  if (array.length == 0) return;
  const size_t size = SizeOf(array.type);
  key.type = array.type;
  key.value = size == 0 ? array.elements : array.elements.substr(0, size);
}

// Keeps none of the elements, or repeats them all several times.
void ArrayResize(Model& m, Random& r, Key& key, Array array) {
  const size_t times = r.Below(4);
  std::string elements;
  for (size_t i = 0; i < times; ++i) elements.append(array.elements);
  key.value = KeepArray(m, {array.type, array.length * times, elements});
}

// Changes the element type to one of the same total size.
void ArrayRetype(Model& m, Random& r, Key& key, Array array) {
  const uint32_t type = RandomType(m, r);
  const size_t size = SizeOf(type);
  if (size == 0) return;
  const size_t length = array.elements.size() / size;
  key.value = KeepArray(m, {type, length, array.elements.substr(0, length * size)});
}

// Operators on the order of entries -------------------------------------------

// Also with a different value: readers use the first or the last.
void KeyDuplicate(Model& m, Random& r, Key& key) {
  Key copy = key;
  if (r.OneIn(2)) {
    copy.type = RandomType(m, r);
    copy.value = m.Keep(RandomValue(r, m.layout, copy.type, kU32));
  }
  m.keys.insert(m.keys.begin() + r.Below(m.keys.size() + 1), copy);
}

template <auto entries>
Result Drop(Model& m, Random& r) {
  auto& all = m.*entries;
  if (all.empty()) return std::nullopt;
  all.erase(all.begin() + r.Below(all.size()));
  return Write(m);
}

template <auto entries>
Result Swap(Model& m, Random& r) {
  auto& all = m.*entries;
  if (all.size() < 2) return std::nullopt;
  auto& one = r.Pick(all);
  std::swap(one, r.Pick(all));
  return Write(m);
}

// Combines the name of one entry with the rest of another.
template <auto entries>
Result Splice(Model& m, Random& r) {
  auto& all = m.*entries;
  if (all.size() < 2) return std::nullopt;
  const auto from = r.Pick(all);
  auto& to = r.Pick(all);
  const Bytes name = to.name;
  if (r.OneIn(2)) {
    to.name = from.name;
  } else {
    to = from;
    to.name = name;
  }
  return Write(m);
}

void TensorDuplicate(Model& m, Random& r, Tensor& tensor) {
  Tensor copy = tensor;
  if (r.OneIn(2)) AppendData(m, copy, DataOf(m, copy).value_or(Bytes()));
  m.tensors.insert(m.tensors.begin() + r.Below(m.tensors.size() + 1), copy);
}

// Sets a key, if it exists and `replace`; otherwise adds it.
void SetKey(Model& m, Random& r, const Key& key, bool replace) {
  for (Key& old : m.keys) {
    if (replace && old.name == key.name) {
      old = key;
      return;
    }
  }
  m.keys.insert(m.keys.begin() + r.Below(m.keys.size() + 1), key);
}

// Of the right type, or of a wrong one.
void KeyWellKnown(Model& m, Random& r) {
  const WellKnownKey& known = r.Pick(kWellKnownKeys);
  Key key{known.name, known.type, {}};
  uint32_t elements = known.elements;
  if (r.OneIn(2)) {
    key.type = RandomType(m, r);
    elements = RandomType(m, r);
  }
  key.value = m.Keep(RandomValue(r, m.layout, key.type, elements));
  SetKey(m, r, key, !r.OneIn(4));
}

void KeyAdd(Model& m, Random& r) {
  Key key{r.Pick(kTexts), kU8, {}};
  ValueReplace(m, r, key);
  SetKey(m, r, key, false);
}

void AlignmentSet(Model& m, Random& r) {
  Key key{"general.alignment", kU32, {}};
  if (r.OneIn(4)) key.type = RandomType(m, r);
  key.value = m.Keep(SizeOf(key.type) != 0
                         ? Writer(m.layout).Number(r.Pick(kAlignments), SizeOf(key.type)).out
                         : RandomValue(r, m.layout, key.type, kU32));
  SetKey(m, r, key, !r.OneIn(4));
}

// Operators on tensors --------------------------------------------------------

Result TensorAdd(Model& m, Random& r) {
  if (!m.has_header) return std::nullopt;
  // Readers that know few types know the first ones.
  const BlockType& type = r.OneIn(2) ? r.Pick(kBlockTypes) : kBlockTypes[r.Below(3)];
  Tensor tensor;
  tensor.name = r.Pick(kTensorNames);
  tensor.type = type.id;
  tensor.dims = {type.elements * (1 + r.Below(3))};
  while (tensor.dims.size() < 4 && r.OneIn(2)) {
    tensor.dims.push_back(1 + r.Below(3));
  }
  const auto size = DataBytes(tensor, m.max_size);
  if (!size) return std::nullopt;
  std::string data(*size, '\0');
  for (size_t i = 0; i < *size; i += type.bytes) {
    data[i + r.Below(type.bytes)] = static_cast<char>(1 + r.Below(60));
  }
  AppendData(m, tensor, data);
  m.tensors.push_back(std::move(tensor));
  return Write(m);
}

void TensorRename(Model&, Random& r, Tensor& tensor) { tensor.name = r.Pick(kTensorNames); }

// Makes offsets overlapping, unaligned, at the end, past it, or far away.
void OffsetSet(Model& m, Random& r, Tensor& tensor) {
  const size_t alignment = AlignmentOf(m);
  const size_t end = m.rest.size();
  const uint64_t offsets[] = {tensor.offset + 1,
                              tensor.offset + alignment,
                              tensor.offset - alignment,
                              r.Below(end + 1),
                              end,
                              end - 1,
                              end + PaddingAt(end, alignment),
                              end + PaddingAt(end, alignment) + alignment,
                              k2To(31),
                              k2To(32),
                              k2To(63),
                              UINT64_MAX};
  tensor.offset = r.Pick(offsets);
}

// Makes an offset whose sum with the size of the data is near zero.
void OffsetWrap(Model& m, Random& r, Tensor& tensor) {
  const size_t alignment = AlignmentOf(m);
  const size_t size = DataBytes(tensor, m.max_size).value_or(alignment);
  const uint64_t padded = size + PaddingAt(size, alignment);
  tensor.offset = alignment * r.Below(3) - padded;
}

// Uses the data of another tensor, as an alias or half a step away.
Result OffsetAlias(Model& m, Random& r) {
  if (m.tensors.size() < 2) return std::nullopt;
  const uint64_t offset = r.Pick(m.tensors).offset;
  const size_t beside = r.OneIn(2) ? 0 : AlignmentOf(m) * r.Below(3);
  r.Pick(m.tensors).offset = offset + beside;
  return Write(m);
}

Result OffsetSwap(Model& m, Random& r) {
  if (m.tensors.size() < 2) return std::nullopt;
  uint64_t& one = r.Pick(m.tensors).offset;
  std::swap(one, r.Pick(m.tensors).offset);
  return Write(m);
}

void ShapeWrap(Model&, Random& r, Tensor& tensor) {
  const Shape& shape = r.Pick(kShapes);
  tensor.dims.assign(shape.dims, shape.dims + shape.rank);
  if (r.OneIn(2)) tensor.type = r.OneIn(2) ? 0 : 2;  // F32, Q4_0
}

void RankSet(Model&, Random& r, Tensor& tensor) {
  constexpr size_t kRanks[] = {0, 1, 2, 3, 4, 5, 5, 8, 9, 100};
  tensor.dims.resize(r.Pick(kRanks), 1);
}

void DimensionsSwap(Model&, Random& r, Tensor& tensor) {
  if (tensor.dims.size() < 2) return;
  uint64_t& one = r.Pick(tensor.dims);
  std::swap(one, r.Pick(tensor.dims));
}

// Changes the type; for half of the tensors, with rows of whole blocks.
void BlockTypeSwap(Model&, Random& r, Tensor& tensor) {
  const BlockType& type = r.Pick(kBlockTypes);
  tensor.type = type.id;
  if (!tensor.dims.empty() && r.OneIn(2)) {
    tensor.dims[0] = type.elements * (1 + r.Below(2));
  }
}

// Moves all data to its proper position, so that readers reach other faults.
Result LayoutRepair(Model& m, Random&) {
  const Bytes old = m.rest;
  std::vector<std::string> data;
  for (const Tensor& tensor : m.tensors) {
    const auto size = DataBytes(tensor, m.max_size);
    if (!size) return std::nullopt;
    const size_t begin = std::min<uint64_t>(tensor.offset, old.size());
    data.emplace_back(old.substr(begin, *size));
    data.back().resize(*size);
  }
  m.rest = Bytes();
  m.padding.reset();
  for (size_t i = 0; i < m.tensors.size(); ++i) {
    if (m.rest.size() > m.max_size) return std::nullopt;
    AppendData(m, m.tensors[i], data[i]);
  }
  return Write(m);
}

// Makes a scale or a weight NaN or infinite.
void WeightsNonFinite(Model& m, Random& r, Tensor& tensor) {
  const auto data = DataOf(m, tensor);
  const BlockType* const type = FindBlockType(tensor.type);
  if (!data || data->empty() || type->scale_bytes == 0) return;
  std::string rest(m.rest);
  const size_t block = r.Below(data->size() / type->bytes);
  char* const scale = &rest[tensor.offset + block * type->bytes + type->scale_at];
  if (type->infinity != 0 && r.OneIn(2)) {
    Store(type->infinity, type->scale_bytes, m.layout.big, scale);
  } else {
    std::memset(scale, 0xFF, type->scale_bytes);
  }
  m.rest = m.Keep(std::move(rest));
}

// Makes all weights of a tensor equal.
void WeightsConstant(Model& m, Random&, Tensor& tensor) {
  const auto data = DataOf(m, tensor);
  if (!data || data->empty()) return;
  std::string rest(m.rest);
  std::memset(&rest[tensor.offset], 0, data->size());
  m.rest = m.Keep(std::move(rest));
}

// Operators on whole files ----------------------------------------------------

// Cuts at the boundary of a field, or next to it.
Result Truncate(Model& m, Random& r) {
  if (m.fields.empty()) return std::nullopt;
  const size_t border = r.OneIn(8) ? m.file.size() - m.rest.size() : r.Pick(m.fields).at;
  const size_t at = border + r.Below(3) - 1;
  if (at >= m.file.size()) return std::nullopt;
  return std::string(m.file.substr(0, at));
}

Result TrailingData(Model& m, Random& r) {
  constexpr size_t kSizes[] = {1, 7, 31, 32, 33, 64, 100};
  std::string file(m.file);
  const size_t size = r.Pick(kSizes);
  return file.append(size, r.OneIn(2) ? '\0' : 'x');
}

// Fills the padding with bytes, or removes it.
Result PaddingDamage(Model& m, Random& r) {
  if (m.tensors.empty()) return std::nullopt;
  const size_t size = m.file.size() - m.rest.size();
  const size_t padding = m.padding ? m.padding->size() : 0;
  if (r.OneIn(2) && padding == 0) {
    const size_t begin = m.fields.back().end();
    if (begin == size) return std::nullopt;
    std::string file(m.file);
    file[begin + r.Below(size - begin)] = 1;
    return file;
  }
  m.padding = m.Keep(std::string(r.Below(AlignmentOf(m)), '\1'));
  return Write(m);
}

void Relayout(Model& m, const Layout& to) {
  for (Key& key : m.keys) {
    key.value = m.Keep(ConvertValue(key, m.layout, to));
  }
  m.layout = to;
}

// Converts all numbers of the metadata, or only some, to the other byte order.
void EndianFlip(Model& m, Random& r) {
  Layout to = m.layout;
  to.big = !to.big;
  if (!r.OneIn(8)) Relayout(m, to);
  m.layout = to;  // In the other case, the values stay as they were.
}

// Converts to the layout of another version, or changes only its number.
Result VersionConvert(Model& m, Random& r) {
  if (!m.has_header) return std::nullopt;
  Layout to = m.layout;
  to.version = static_cast<uint32_t>(1 + r.Below(3));
  if (r.OneIn(4)) return WithNumber(m, {m.magic.size(), 4}, to.version);
  Relayout(m, to);
  return Write(m);
}

Result VersionSet(Model& m, Random& r) {
  constexpr uint64_t kVersions[] = {0, 4, 100, 3 << 16, 0x03000000, 0xFFFFFFFF};
  if (!m.has_header) return std::nullopt;
  return WithNumber(m, {m.magic.size(), 4}, r.Pick(kVersions));
}

void MagicSet(Model& m, Random& r) {
  constexpr Bytes kMagics[] = {"GGML", "FUGG", "ggjt", "gguf", "GGUf", "PK\3\4"};
  m.magic = r.Pick(kMagics);
}

void CountsRepair(Model& m, Random&) {
  m.key_count.reset();
  m.tensor_count.reset();
}

// Readers reject a file without a header at once, so this adds one.
Result HeaderRenew(Model& m, Random& r) {
  if (m.has_header && m.magic == "GGUF") return std::nullopt;
  Model renewed;
  renewed.max_size = m.max_size;
  renewed.has_header = true;
  renewed.magic = "GGUF";
  renewed.layout.version = static_cast<uint32_t>(r.OneIn(4) ? 1 + r.Below(3) : 3);
  Writer value(renewed.layout);
  renewed.keys.push_back({"general.architecture", kString, renewed.Keep(value.Text("llama").out)});
  return TensorAdd(renewed, r);
}

// Changes, removes, inserts or repeats bytes of unknown meaning.
Result BytesChange(Model& m, Random& r) {
  std::string file(m.file);
  const size_t at = r.Below(file.size());
  const size_t n = std::min(file.size() - at, 1 + r.Below(8));
  switch (r.Below(4)) {
    case 0:
      if (!file.empty()) file[at] = static_cast<char>(r.Next());
      break;
    case 1:
      if (!file.empty()) file[at] = static_cast<char>(file[at] ^ 1 << r.Below(8));
      break;
    case 2:
      file.erase(at, n);
      break;
    default:
      file.insert(at, n == 0 ? std::string(1, 'x') : file.substr(at, n));
  }
  return file;
}

// All operators ---------------------------------------------------------------

struct Operator {
  const char* name;
  Result (*apply)(Model&, Random&);
};

constexpr Operator kOperators[] = {
    {"integer-interesting", SetInteresting<IsNumber>},
    {"length-lie", SetInteresting<Is<kLength, kArrayLength, kRank>>},
    {"array-length-wrap", ArrayLengthWrap},
    {"count-lie", SetInteresting<Is<kCount>>},
    {"dimension-lie", SetInteresting<Is<kDimension>>},
    {"type-lie", TypeLie},
    {"scalar-set", SetInteresting<Is<kScalar>>},
    {"scalar-non-finite", ScalarNonFinite},
    {"number-reverse", NumberReverse},
    {"text-resize", OnText<TextResize>},
    {"text-replace", OnText<TextReplace>},
    {"utf8-damage", OnText<Utf8Damage>},
    {"value-replace", OnKey<ValueReplace>},
    {"value-retype", OnKey<ValueRetype>},
    {"array-nest", OnKey<ArrayNest>},
    {"array-flatten", OnArray<ArrayFlatten>},
    {"array-resize", OnArray<ArrayResize>},
    {"array-retype", OnArray<ArrayRetype>},
    {"key-duplicate", OnKey<KeyDuplicate>},
    {"key-drop", Drop<&Model::keys>},
    {"key-swap", Swap<&Model::keys>},
    {"key-splice", Splice<&Model::keys>},
    {"key-well-known", OnHeader<KeyWellKnown>},
    {"key-add", OnHeader<KeyAdd>},
    {"alignment-set", OnHeader<AlignmentSet>},
    {"tensor-duplicate", OnTensor<TensorDuplicate>},
    {"tensor-drop", Drop<&Model::tensors>},
    {"tensor-swap", Swap<&Model::tensors>},
    {"tensor-splice", Splice<&Model::tensors>},
    {"tensor-add", TensorAdd},
    {"tensor-rename", OnTensor<TensorRename>},
    {"offset-set", OnTensor<OffsetSet>},
    {"offset-wrap", OnTensor<OffsetWrap>},
    {"offset-alias", OffsetAlias},
    {"offset-swap", OffsetSwap},
    {"shape-wrap", OnTensor<ShapeWrap>},
    {"rank-set", OnTensor<RankSet>},
    {"dimensions-swap", OnTensor<DimensionsSwap>},
    {"block-type-swap", OnTensor<BlockTypeSwap>},
    {"layout-repair", LayoutRepair},
    {"weights-non-finite", OnTensor<WeightsNonFinite>},
    {"weights-constant", OnTensor<WeightsConstant>},
    {"truncate", Truncate},
    {"trailing-data", TrailingData},
    {"padding-damage", PaddingDamage},
    {"endian-flip", OnHeader<EndianFlip>},
    {"version-convert", VersionConvert},
    {"version-set", VersionSet},
    {"magic-set", OnHeader<MagicSet>},
    {"counts-repair", OnHeader<CountsRepair>},
    {"header-renew", HeaderRenew},
    {"bytes-change", BytesChange},
};
constexpr size_t kOperatorCount = sizeof(kOperators) / sizeof(kOperators[0]);

// Returns nothing if the operator finds nothing to change, or no room.
Result Apply(const Operator& op, Bytes file, size_t max_size, Random& r) {
  Model m = Read(file, max_size);
  Result changed = op.apply(m, r);
  if (changed && (*changed == file || changed->size() > max_size)) {
    changed.reset();
  }
  return changed;
}

// Tries a few operators and applies one that finds something to change.
bool Step(std::string& mutant, size_t max_size, Random& r, std::string* names) {
  constexpr int kTries = 16;
  constexpr Operator kRenew = {"header-renew", HeaderRenew};
  for (int tries = 0; tries < kTries; ++tries) {
    const bool is_ours = mutant.compare(0, 4, "GGUF") == 0;
    const Operator& op = is_ours || r.OneIn(2) ? r.Pick(kOperators) : kRenew;
    Result changed = Apply(op, mutant, max_size, r);
    if (!changed || changed->empty()) continue;
    mutant = *std::move(changed);
    if (names != nullptr) names->append(" ").append(op.name);
    return true;
  }
  return false;
}

// Adds the names of the operators to `names`, unless it is null.
std::string Mutate(Bytes file, size_t max_size, Random& r, std::string* names = nullptr) {
  constexpr size_t kMostSteps = 16;
  const Bytes original = file.substr(0, max_size);
  std::string mutant(original);
  const size_t steps = r.OneIn(2) ? 1 : 2 + r.Below(3);
  for (size_t i = 0; i < kMostSteps && (i < steps || mutant == original); ++i) {
    Step(mutant, max_size, r, names);
  }
  if (mutant.empty() && max_size > 0) mutant = "G";
  return mutant;
}

// Cross-over ------------------------------------------------------------------

// Inserts some keys and tensors of `b`, with their data, among those of `a`.
std::string CrossModels(Model& a, Model& b, Random& r) {
  for (const Key& key : b.keys) {
    if (r.OneIn(2)) continue;
    Key copy = key;
    copy.value = a.Keep(ConvertValue(key, b.layout, a.layout));
    SetKey(a, r, copy, r.OneIn(2));
  }
  for (const Tensor& tensor : b.tensors) {
    if (r.OneIn(2)) continue;
    Tensor copy = tensor;
    if (const auto data = DataOf(b, tensor)) AppendData(a, copy, *data);
    a.tensors.insert(a.tensors.begin() + r.Below(a.tensors.size() + 1), std::move(copy));
  }
  return Write(a);
}

// Joins the beginning of one and the end of the other, cut at field boundaries.
std::string CrossBytes(const Model& a, const Model& b, Random& r) {
  const auto border = [&](const Model& m) {
    return m.fields.empty() ? r.Below(m.file.size() + 1) : m.fields[r.Below(m.fields.size())].at;
  };
  std::string mixed(a.file.substr(0, border(a)));
  return mixed.append(b.file.substr(border(b)));
}

std::string CrossOver(Bytes file_a, Bytes file_b, size_t max_size, Random& r) {
  Model a = Read(file_a, max_size);
  Model b = Read(file_b, max_size);
  std::string mixed =
      a.has_header && b.has_header && !r.OneIn(4) ? CrossModels(a, b, r) : CrossBytes(a, b, r);
  if (mixed.size() > max_size) mixed.resize(max_size);
  return mixed;
}

Bytes AsBytes(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

size_t CopyTo(uint8_t* out, const std::string& bytes) {
  return bytes.copy(reinterpret_cast<char*>(out), bytes.size());
}

}  // namespace

// The C interface -------------------------------------------------------------

extern "C" {

size_t gguf_mutate(uint8_t* data, size_t size, size_t max_size, uint32_t seed) {
  Random r(seed);
  return CopyTo(data, Mutate(AsBytes(data, size), max_size, r));
}

size_t gguf_explain(const uint8_t* data, size_t size, size_t max_size, uint32_t seed, char* names,
                    size_t room) {
  Random r(seed);
  std::string all;
  Mutate(AsBytes(data, size), max_size, r, &all);
  if (room == 0) return 0;
  const Bytes shown = Bytes(all).substr(0, room - 1);
  std::memcpy(names, shown.data(), shown.size());
  names[shown.size()] = '\0';
  return shown.size();
}

size_t gguf_cross_over(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                       uint8_t* out, size_t max_size, uint32_t seed) {
  Random r(seed);
  return CopyTo(out, CrossOver(AsBytes(a, a_size), AsBytes(b, b_size), max_size, r));
}

size_t gguf_operator_count(void) { return kOperatorCount; }

const char* gguf_operator_name(size_t op) { return kOperators[op].name; }

size_t gguf_apply_operator(size_t op, uint8_t* data, size_t size, size_t max_size, uint32_t seed) {
  Random r(seed);
  const Result changed = Apply(kOperators[op], AsBytes(data, size), max_size, r);
  return changed ? CopyTo(data, *changed) : 0;
}

size_t gguf_rewrite(const uint8_t* data, size_t size, uint8_t* out) {
  return CopyTo(out, Write(Read(AsBytes(data, size), size)));
}

// AFL++ -----------------------------------------------------------------------
//
// The functions that afl-fuzz looks for in AFL_CUSTOM_MUTATOR_LIBRARY.

struct GgufAflState {
  Random random;
  std::string mutant;
};

void* afl_custom_init(void* afl, unsigned int seed) {
  (void)afl;
  return new (std::nothrow) GgufAflState{Random(seed), {}};
}

// `other` is another file of afl-fuzz's queue, or null.
size_t afl_custom_fuzz(void* state, uint8_t* data, size_t size, uint8_t** out, uint8_t* other,
                       size_t other_size, size_t max_size) {
  auto* const afl = static_cast<GgufAflState*>(state);
  afl->mutant.assign(AsBytes(data, size));
  if (other != nullptr && afl->random.OneIn(4)) {
    afl->mutant = CrossOver(AsBytes(data, size), AsBytes(other, other_size), max_size, afl->random);
  }
  afl->mutant = Mutate(afl->mutant, max_size, afl->random);
  *out = reinterpret_cast<uint8_t*>(&afl->mutant[0]);
  return afl->mutant.size();
}

void afl_custom_deinit(void* state) { delete static_cast<GgufAflState*>(state); }

}  // extern "C"
