// Reads values, changes tables, and joins them with the data of the original.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/fix/draft.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/base/text.h"

namespace gguf {
namespace {

// Appends the lowest `size` bytes of a number.
void Put(uint64_t bits, uint32_t size, Endian endian, std::string* out) {
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t byte = endian == Endian::kLittle ? i : size - 1 - i;
    out->push_back(static_cast<char>(bits >> 8 * byte));
  }
}

void PutText(absl::string_view text, Endian endian, std::string* out) {
  Put(text.size(), 8, endian, out);
  out->append(text.data(), text.size());
}

// Writes a value as version 3 has it.
struct Copier : ValueVisitor {
  Endian endian;
  std::string* out;

  void BeginArray(const ValueTypeInfo& element_type, uint64_t length, uint64_t, uint64_t, Range) {
    Put(static_cast<uint32_t>(element_type.type), 4, endian, out);
    Put(length, 8, endian, out);
  }
  void Scalars(const ValueTypeInfo&, uint64_t, Bytes values, uint64_t, uint64_t, uint64_t) {
    absl::StrAppend(out, AsText(values));
  }
  void String(absl::string_view text, Range, uint64_t) { PutText(text, endian, out); }
};

Number NumberAt(const ValueTypeInfo& type, const uint8_t* at, Endian endian) {
  const uint64_t bits = LoadUnsignedOfSize(at, type.size, endian);
  if (type.type == ValueType::kF32) return FloatFromBits(static_cast<uint32_t>(bits));
  if (type.type == ValueType::kF64) return DoubleFromBits(bits);
  if (type.kind != ValueKind::kSigned) return bits;
  const int unused = 64 - 8 * static_cast<int>(type.size);
  return static_cast<int64_t>(bits << unused) >> unused;
}

struct Decoder : ValueVisitor {
  Endian endian;
  KeyContent* content;

  void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes values, uint64_t, uint64_t,
               uint64_t) {
    for (uint64_t i = 0; i < count; ++i) {
      content->numbers.push_back(NumberAt(type, values.data() + i * type.size, endian));
    }
  }
  void String(absl::string_view text, Range, uint64_t) { content->texts.emplace_back(text); }
};

const ValueTypeInfo& InfoOf(ValueType type) {
  return *FindValueType(static_cast<uint32_t>(type), 3);
}

// Returns whether a type holds a number, floats possibly rounded.
bool Holds(const ValueTypeInfo& type, Number number) {
  if (type.kind == ValueKind::kFloat) {
    const float rounded = static_cast<float>(number);
    return type.type == ValueType::kF64 || std::isfinite(rounded) || !std::isfinite(number);
  }
  if (type.kind == ValueKind::kBool) return number == 0 || number == 1;
  const int bits = 8 * static_cast<int>(type.size);
  const bool is_signed = type.kind == ValueKind::kSigned;
  const Number most = std::ldexp(Number{1}, is_signed ? bits - 1 : bits);
  return std::floor(number) == number && number < most && number >= (is_signed ? -most : 0);
}

uint64_t BitsOf(const ValueTypeInfo& type, Number number) {
  uint64_t bits = 0;
  if (type.type == ValueType::kF32) {
    const float rounded = static_cast<float>(number);
    uint32_t word;
    std::memcpy(&word, &rounded, sizeof word);
    return word;
  }
  if (type.type == ValueType::kF64) {
    const double rounded = static_cast<double>(number);
    std::memcpy(&bits, &rounded, sizeof bits);
    return bits;
  }
  return number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number))
                    : static_cast<uint64_t>(number);
}

std::string Offset(uint64_t offset) { return absl::StrCat("byte ", offset); }

}  // namespace

std::string KeyContent::Shown() const {
  constexpr size_t kMost = 4;
  const auto shown = [&](size_t i) {
    if (is_text()) return Quote(texts[i]);
    if (type == ValueType::kBool) return std::string(numbers[i] != 0 ? "true" : "false");
    const bool is_float = InfoOf(type).kind == ValueKind::kFloat;
    return is_float ? absl::StrFormat("%.9g", static_cast<double>(numbers[i]))
                    : absl::StrFormat("%.0f", static_cast<long double>(numbers[i]));
  };
  if (!is_array) return shown(0);
  std::string out = "[";
  for (size_t i = 0; i < std::min(size(), kMost); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", shown(i));
  }
  if (size() > kMost) absl::StrAppend(&out, ", ... (", size(), " elements)");
  return out + "]";
}

std::optional<KeyContent> ContentOf(const File& file, const KeyValue& kv) {
  if (kv.depth > 1) return std::nullopt;
  KeyContent content;
  content.is_array = kv.element_type != nullptr;
  content.type = content.is_array ? kv.element_type->type : kv.type->type;
  Decoder decoder;
  decoder.endian = file.encoding.endian;
  decoder.content = &content;
  WalkValue(file, kv, &decoder);
  if (!content.is_array && content.size() != 1) return std::nullopt;
  return content;
}

std::optional<KeyContent> Converted(KeyContent content, ValueType type, bool is_array) {
  const bool to_text = type == ValueType::kString;
  if (content.is_text() && !to_text) {
    for (const std::string& text : std::exchange(content.texts, {})) {
      double number;
      if (!absl::SimpleAtod(text, &number)) return std::nullopt;
      content.numbers.push_back(number);
    }
  } else if (to_text && !content.is_text()) {
    if (content.is_array) return std::nullopt;
    content = KeyContent::Of(content.Shown());
  }
  if (content.is_array != is_array && content.size() != 1) return std::nullopt;
  for (const Number number : content.numbers) {
    if (!Holds(InfoOf(type), number)) return std::nullopt;
  }
  content.type = type;
  content.is_array = is_array;
  return content;
}

void Spliced::AppendTables(std::string tables) {
  tables_ = std::move(tables);
  size_ = tables_.size();
}

void Spliced::Append(Piece piece) {
  if (piece.size == 0) return;
  piece.begin = size_;
  size_ += piece.size;
  pieces_.push_back(piece);
}

void Spliced::AppendFrom(const Spliced* before, uint64_t begin, uint64_t size) {
  if (before == nullptr) return Append({0, size, begin});
  auto piece = std::upper_bound(before->pieces_.begin(), before->pieces_.end(), begin,
                                [](uint64_t at, const Piece& p) { return at < p.begin + p.size; });
  for (; size > 0 && piece != before->pieces_.end(); ++piece) {
    const uint64_t into = begin - piece->begin;
    const uint64_t part = std::min(size, piece->size - into);
    Append({0, part, piece->from == Piece::kZeros ? Piece::kZeros : piece->from + into});
    begin += part;
    size -= part;
  }
}

Source Spliced::source() const {
  Source source(AsBytes(tables_), size_, original_.name);
  source.data = this;
  return source;
}

void Spliced::Read(uint64_t offset, uint8_t* to, size_t size) const {
  std::memset(to, 0, size);
  const uint64_t end = offset + size;
  if (offset < tables_.size()) {
    std::memcpy(to, tables_.data() + offset, std::min<uint64_t>(size, tables_.size() - offset));
  }
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                                [](uint64_t at, const Piece& p) { return at < p.begin + p.size; });
  for (; piece != pieces_.end() && piece->begin < end; ++piece) {
    if (piece->from == Piece::kZeros) continue;
    const uint64_t begin = std::max(offset, piece->begin);
    const uint64_t part = std::min(end, piece->begin + piece->size) - begin;
    const uint64_t from = piece->from + (begin - piece->begin);
    uint8_t* const at = to + (begin - offset);
    if (from + part <= original_.prefix.size()) {
      std::memcpy(at, original_.prefix.data() + from, part);
    } else if (original_.data != nullptr) {
      original_.data->Read(from, at, part);
    }
  }
}

bool Spliced::keeps_places() const {
  return size_ == original_.size && std::all_of(pieces_.begin(), pieces_.end(),
                                                [](const Piece& p) { return p.from == p.begin; });
}

Draft::Draft(const File& file)
    : file_(file),
      alignment_(file.alignment),
      section_{std::min(file.data_begin, file.size), file.size} {
  keys_.reserve(file.keys.size());
  for (const KeyValue& kv : file.keys) {
    keys_.push_back({std::string(kv.key.value), kv.type->type});
    Copier copier;
    copier.endian = file.encoding.endian;
    copier.out = &keys_.back().bytes;
    WalkValue(file, kv, &copier);
  }
  tensors_.reserve(file.tensors.size());
  for (const TensorInfo& info : file.tensors) {
    tensors_.push_back({std::string(info.name.value), {}, info.type.value, info.offset.value});
    const Bytes dims = file.At(info.dims_range);
    const uint32_t width = file.encoding.length_bytes;
    for (uint64_t at = 0; at + width <= dims.size(); at += width) {
      const auto dim = LoadUnsignedOfSize(dims.data() + at, width, file.encoding.endian);
      tensors_.back().dims.push_back(dim);
    }
    if (!info.bytes || !IsInFile(file, info)) continue;
    tensors_.back().data = DataRange(file, info);
  }
}

bool Draft::Log(std::string subject, std::string from, std::string to) {
  changes_.push_back({rule_, std::move(subject), std::move(from), std::move(to), why_});
  return true;
}

std::string Draft::Encode(const KeyContent& content) const {
  const Endian endian = file_.encoding.endian;
  const ValueTypeInfo& type = InfoOf(content.type);
  std::string out;
  if (content.is_array) {
    Put(static_cast<uint32_t>(content.type), 4, endian, &out);
    Put(content.size(), 8, endian, &out);
  }
  for (const std::string& text : content.texts) PutText(text, endian, &out);
  for (const Number number : content.numbers) {
    Put(BitsOf(type, number), type.size, endian, &out);
  }
  return out;
}

bool Draft::Set(size_t key, const KeyContent& content) {
  Key& k = keys_[key];
  const ValueType type = content.is_array ? ValueType::kArray : content.type;
  std::string bytes = Encode(content);
  if (k.changed || k.removed || (k.type == type && k.bytes == bytes)) return false;
  std::string old = "a value";
  if (key < file_.keys.size()) {
    if (const auto had = ContentOf(file_, file_.keys[key])) old = had->Shown();
  }
  k.type = type;
  k.bytes = std::move(bytes);
  k.changed = true;
  std::string now = content.Shown();
  if (now == old)
    absl::StrAppend(&now, " (", content.is_array ? "arr of " : "", InfoOf(content.type).name, ")");
  return Log(Subject{"kv", true, key, k.name, "value"}.Path(), old, now);
}

bool Draft::Set(absl::string_view name, const KeyContent& content) {
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].name == name && !keys_[i].removed) return Set(i, content);
  }
  const ValueType type = content.is_array ? ValueType::kArray : content.type;
  keys_.push_back({std::string(name), type, Encode(content), false, true});
  return Log(Subject{"kv", true, keys_.size() - 1, name, "value"}.Path(), "", content.Shown());
}

bool Draft::Remove(size_t key) {
  Key& k = keys_[key];
  if (k.changed || k.removed) return false;
  k.removed = true;
  const auto had = key < file_.keys.size() ? ContentOf(file_, file_.keys[key]) : std::nullopt;
  return Log(Subject{"kv", true, key, k.name}.Path(), had ? had->Shown() : "a value", "");
}

bool Draft::Rename(size_t key, std::string name) {
  Key& k = keys_[key];
  if (k.changed || k.removed || name == k.name) return false;
  for (const Key& other : keys_) {
    if (other.name == name && !other.removed) return false;
  }
  k.changed = true;
  const std::string subject = Subject{"kv", true, key, k.name, "key"}.Path();
  std::swap(k.name, name);
  return Log(subject, Quote(name), Quote(k.name));
}

bool Draft::SetDims(size_t tensor, std::vector<uint64_t> dims) {
  Tensor& t = tensors_[tensor];
  if (t.removed || t.dims == dims) return false;
  t.dims = std::move(dims);
  return Log(Subject{"tensor", true, tensor, t.name, "dims"}.Path(),
             file_.tensors[tensor].ShapeText(), absl::StrCat("rank ", t.dims.size()));
}

bool Draft::RenameTensor(size_t tensor, std::string name) {
  Tensor& t = tensors_[tensor];
  if (t.removed || t.name == name) return false;
  const std::string subject = Subject{"tensor", true, tensor, t.name, "name"}.Path();
  std::swap(t.name, name);
  return Log(subject, Quote(name), Quote(t.name));
}

bool Draft::RemoveTensor(size_t tensor) {
  Tensor& t = tensors_[tensor];
  if (t.removed || file_.tensors[tensor].bytes != 0) return false;
  t.removed = true;
  return Log(Subject{"tensor", true, tensor, t.name}.Path(), file_.tensors[tensor].ShapeText(), "");
}

bool Draft::SetVersion() {
  if (file_.version.value == 3) return false;
  return Log("header.version", absl::StrCat(file_.version.value), "3");
}

bool Draft::LayOut(uint64_t alignment, bool drop_rest) {
  if (lay_out_) return false;
  std::vector<Range> ranges;
  for (const Tensor& tensor : tensors_) {
    if (!tensor.data) return false;
    if (tensor.data->size() > 0) ranges.push_back(*tensor.data);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  uint64_t end = section_.begin;
  for (const Range& range : ranges) {
    if (range.begin < end) return false;
    end = range.end;
  }
  const uint64_t padded = CheckedAlignUp(end - section_.begin, file_.alignment).value_or(~0ull);
  rest_begin_ = drop_rest || padded > section_.size() ? file_.size : section_.begin + padded;
  alignment_ = alignment;
  lay_out_ = true;
  return Log("file.layout", Offset(file_.size),
             absl::StrCat(drop_rest ? "without what follows the data, " : "",
                          "each tensor at a multiple of ", alignment));
}

bool Draft::SetDataBegin(uint64_t alignment) {
  const auto begin = CheckedAlignUp(file_.infos_end, alignment);
  if (file_.alignment_known || !begin || *begin > file_.size) return false;
  // All data must end where the file does; then the place is proven.
  uint64_t end = 0;
  for (const TensorInfo& tensor : file_.tensors) {
    const auto last = tensor.bytes ? CheckedAdd(tensor.offset.value, *tensor.bytes) : std::nullopt;
    if (!last || tensor.offset.value % alignment != 0) return false;
    end = std::max(end, *last);
  }
  const uint64_t size = file_.size - *begin;
  if (end != size && CheckedAlignUp(end, alignment) != size) return false;
  alignment_ = alignment;
  section_.begin = *begin;
  return true;
}

bool Draft::states_alignment() const {
  bool is_stated = false;
  for (const Key& key : keys_) {
    if (key.removed || key.name != "general.alignment") continue;
    is_stated = true;
    const std::string bytes = Encode(KeyContent::Of(ValueType::kU32, alignment_));
    if (key.type != ValueType::kU32 || key.bytes != bytes) return false;
  }
  return is_stated || alignment_ == 32;
}

Spliced Draft::Splice(const Source& original, const Spliced* before) const {
  const Endian endian = file_.encoding.endian;
  std::string out = "GGUF";
  Put(3, 4, endian, &out);
  const auto count = [](const auto& entries) {
    return std::count_if(entries.begin(), entries.end(), [](const auto& e) { return !e.removed; });
  };
  Put(count(tensors_), 8, endian, &out);
  Put(count(keys_), 8, endian, &out);
  for (const Key& key : keys_) {
    if (key.removed) continue;
    PutText(key.name, endian, &out);
    Put(static_cast<uint32_t>(key.type), 4, endian, &out);
    out += key.bytes;
  }
  uint64_t place = 0;
  for (const Tensor& tensor : tensors_) {
    if (tensor.removed) continue;
    PutText(tensor.name, endian, &out);
    Put(static_cast<uint32_t>(tensor.dims.size()), 4, endian, &out);
    for (const uint64_t dim : tensor.dims) Put(dim, 8, endian, &out);
    Put(tensor.type, 4, endian, &out);
    Put(lay_out_ ? place : tensor.offset, 8, endian, &out);
    if (lay_out_) place = *CheckedAlignUp(place + tensor.data->size(), alignment_);
  }
  Spliced spliced(original);
  const uint64_t size = out.size();
  spliced.AppendTables(std::move(out));
  const auto pad = [&](uint64_t end) {
    spliced.AppendZeros(*CheckedAlignUp(end, alignment_) - end);
  };
  // Without data, padding has no purpose.
  if (section_.size() == 0 && (!lay_out_ || tensors_.empty())) {
    if (file_.data_begin <= file_.size) pad(size);
    return spliced;
  }
  if (!lay_out_) {
    // What the original has there, unless the place changes.
    const bool same = size == file_.infos_end && alignment_ == file_.alignment;
    if (same) {
      spliced.AppendFrom(before, size, section_.begin - size);
    } else {
      pad(size);
    }
    spliced.AppendFrom(before, section_.begin, section_.size());
    return spliced;
  }
  pad(size);
  for (const Tensor& tensor : tensors_) {
    if (tensor.removed) continue;
    spliced.AppendFrom(before, tensor.data->begin, tensor.data->size());
    pad(tensor.data->size());
  }
  spliced.AppendFrom(before, rest_begin_, file_.size - rest_begin_);
  return spliced;
}

}  // namespace gguf
