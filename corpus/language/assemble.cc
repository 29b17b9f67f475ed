// The only code that knows which values are computed, and how; appends them to an image within
// limits.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/assemble.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/language/lexer.h"

namespace gguf::corpus {
namespace {

constexpr uint64_t kMaxSize = uint64_t{1} << 62;  // With counted zeros.
constexpr char kTooLarge[] = "this makes the file too large";

}  // namespace

bool ImageWriter::Number(absl::int128 number, int bytes) {
  const auto bits = Encode(number, bytes);
  if (!bits) {
    return Fail(absl::StrCat("a number does not fit ", bytes, " bytes"));
  }
  char buffer[8];
  for (int i = 0; i < bytes; ++i) {
    const int byte = big_endian_ ? bytes - 1 - i : i;
    buffer[i] = static_cast<char>(*bits >> (8 * byte));
  }
  return Bytes({buffer, static_cast<size_t>(bytes)});
}

bool ImageWriter::HasRoom(uint64_t bytes, uint64_t times) {
  return bytes == 0 || times <= max_stored_ / bytes || Fail(kTooLarge);
}

bool ImageWriter::Bytes(absl::string_view bytes, uint64_t times) {
  constexpr uint64_t kBlock = 4096;
  if (bytes.empty() || times == 0) return true;
  const uint64_t size = bytes.size() * times;
  if (!HasRoom(bytes.size(), times) || !Room(size, size)) return false;
  const uint64_t in_block = std::clamp<uint64_t>(kBlock / bytes.size(), 1, times);
  std::string block;
  for (uint64_t i = 0; i < in_block; ++i) absl::StrAppend(&block, bytes);
  for (uint64_t left = times; left > 0;) {
    const uint64_t some = std::min(left, in_block);
    image_.Append(absl::string_view(block).substr(0, some * bytes.size()));
    left -= some;
  }
  return true;
}

bool ImageWriter::Copies(const Image& image, uint64_t times) {
  if (image.size() == 0 || times == 0) return true;
  if (times > kMaxSize / image.size()) return Fail(kTooLarge);
  if (image.is_zeros()) return Zeros(image.size() * times);
  const uint64_t stored = image.stored();
  if (!HasRoom(stored, times) || !Room(stored * times, image.size() * times)) {
    return false;
  }
  for (uint64_t i = 0; i < times; ++i) image_.Append(image);
  return true;
}

bool ImageWriter::Zeros(uint64_t count) {
  if (!Room(Image::StoredZeros(count), count)) return false;
  image_.AppendZeros(count);
  return true;
}

bool ImageWriter::Append(const Image& taken) {
  if (!Room(0, taken.size())) return false;
  image_.Append(taken);
  return true;
}

bool ImageWriter::Overwrite(uint64_t offset, const Image& bytes) {
  constexpr uint64_t kNewSegments = 3;  // Itself, and the rest on either side.
  return Room(kNewSegments * Image::kStoredSegment, 0) && Step(image_.Overwrite(offset, bytes));
}

bool ImageWriter::Align(uint64_t alignment) {
  const uint64_t over = size() % alignment;
  return Zeros(over == 0 ? 0 : alignment - over);
}

bool ImageWriter::Step(uint64_t bytes) {
  constexpr uint64_t kBytesAStep = 64;
  steps_ += 1 + bytes / kBytesAStep;
  return steps_ <= max_stored_ / kBytesAStep || Fail("too many repetitions");
}

bool ImageWriter::Fail(absl::string_view message) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat("line ", at_.line, ", column ", at_.column, ": ", message));
  }
  return false;
}

Image ImageWriter::Take() { return std::exchange(image_, {}); }

bool ImageWriter::Room(uint64_t stored, uint64_t size) {
  stored_ += stored;
  return (stored_ <= max_stored_ && size <= kMaxSize - image_.size()) || Fail(kTooLarge);
}

// The only code that knows which values are computed, and how.

namespace {

// A tensor of the table, the index of its repetition, and its position in the
// data.
struct Placed {
  const Tensor* tensor;
  uint64_t index;
  Position at;
  uint64_t offset;
  uint64_t begin = 0, end = 0;  // Of its info, in the file.
};

class Assembler {
 public:
  // Sets `tables` unless it is null.
  Assembler(const Document& document, uint64_t max_stored, Tables* tables)
      : document_(document), made_(tables), out_(max_stored) {}

  absl::StatusOr<Image> Run();

 private:
  bool Collect(const Item& item);
  bool CollectAll(const Items& items);
  bool FindTables(const Item& item);
  bool EmitDataOfTensors();
  bool Apply(const Patch& patch);

  bool EmitAll(const Items& items);
  bool Emit(const Item& item);
  bool Emit(const Text& text);
  bool Emit(const Scalars& scalars);
  bool Emit(const String& string) { return EmitLengthAndText(string.length, string.text); }
  bool Emit(const Array& array);
  bool Emit(const Zeros& zeros) { return out_.Zeros(zeros.count); }
  bool Emit(const Align& align);
  bool Emit(const Repeat& repeat);
  bool Emit(const Group& group) { return EmitAll(group.items); }
  bool Emit(const Header& header);
  bool Emit(const KeyValue& kv);
  bool Emit(const Tensor& tensor);
  bool Emit(const Data& data);

  bool EmitField(const Override& field, absl::int128 computed, int bytes);
  bool EmitLengthAndText(const Override& length, const Text& text);
  bool Expand(const Text& text, std::string* once);

  int length_bytes() const { return header_.layout == 1 ? 4 : 8; }

  const Document& document_;
  Tables* const made_;
  Header header_;  // The last header, or the default if there is none.
  uint64_t keys_ = 0;
  uint64_t alignment_ = 32;
  bool states_data_ = false;                // There is a `data` statement
  bool states_content_ = false;             // with stated content.
  std::unordered_set<const Item*> tables_;  // Items that hold keys or tensors.
  std::vector<Placed> tensors_;
  size_t next_tensor_ = 0;
  size_t next_key_ = 0;

  ImageWriter out_;
  Image data_;           // Of all tensors, from the start of the data section.
  uint64_t index_ = 0;   // Of the innermost repetition.
  bool varies_ = false;  // The output depends on more than its text.
};

absl::StatusOr<Image> Assembler::Run() {
  const Items& items = document_.items;
  size_t data_behind = items.size();  // Its position if not stated.
  for (size_t i = 0; i < items.size(); ++i) {
    if (const auto* header = std::get_if<Header>(&items[i].what)) {
      header_ = *header;
      out_.set_big_endian(header_.big_endian);
    }
    const bool is_table = FindTables(items[i]);
    if (!Collect(items[i])) return out_.status();
    if (is_table || std::holds_alternative<Header>(items[i].what)) {
      data_behind = i;
    }
    if (const auto* data = std::get_if<Data>(&items[i].what)) {
      states_data_ = true;
      states_content_ = data->content.has_value();
    }
  }
  if (header_.alignment) alignment_ = *header_.alignment;
  if (!EmitDataOfTensors()) return out_.status();
  const bool adds_data = !states_data_ && !tensors_.empty();
  for (size_t i = 0; i < items.size(); ++i) {
    if (!Emit(items[i])) return out_.status();
    if (made_ != nullptr && i == data_behind) {
      made_->end = made_->data_begin = out_.size();
    }
    if (adds_data && i == data_behind && !Emit(Data{})) return out_.status();
  }
  for (const Patch& patch : document_.patches) {
    if (!Apply(patch)) return out_.status();
  }
  for (const Placed& placed : tensors_) {
    if (made_ == nullptr) break;
    made_->tensors.push_back(
        {placed.tensor, placed.index, placed.offset, placed.begin, placed.end});
  }
  return out_.Take();
}

// Finds the items that are, repeat or group keys or tensors.
bool Assembler::FindTables(const Item& item) {
  bool found =
      std::holds_alternative<KeyValue>(item.what) || std::holds_alternative<Tensor>(item.what);
  if (const Items* const items = ItemsIn(item)) {
    for (const Item& inner : *items) found = FindTables(inner) || found;
  }
  if (found) tables_.insert(&item);
  return found;
}

// Counts the keys, lists the tensors and finds the alignment.
bool Assembler::Collect(const Item& item) {
  if (tables_.count(&item) == 0) return true;
  out_.set_at(item.at);
  if (const auto* kv = std::get_if<KeyValue>(&item.what)) {
    ++keys_;
    if (made_ != nullptr) made_->keys.push_back({kv, index_});
    const auto* const value = std::get_if<Scalars>(&kv->value[0].what);
    if (value != nullptr && value->bits[0] != 0 && kv->type == 4 && kv->key.times == 1 &&
        kv->key.pieces == std::vector<std::string>{"general.alignment"}) {
      alignment_ = value->bits[0];
    }
  } else if (const auto* tensor = std::get_if<Tensor>(&item.what)) {
    tensors_.push_back({tensor, index_, item.at, 0});
  } else if (const auto* group = std::get_if<Group>(&item.what)) {
    return CollectAll(group->items);
  } else if (const auto* repeat = std::get_if<Repeat>(&item.what)) {
    const uint64_t outer = index_;
    for (index_ = 0; index_ < repeat->times; ++index_) {
      if (!CollectAll(repeat->body)) return false;
    }
    index_ = outer;
  }
  return true;
}

bool Assembler::CollectAll(const Items& items) {
  return std::all_of(items.begin(), items.end(),
                     [&](const Item& item) { return out_.Step() && Collect(item); });
}

// Makes the data of the tensors, and computes where each lies.  If the content
// of the data section is stated, the computed data only occupies its place.
bool Assembler::EmitDataOfTensors() {
  uint64_t skipped = 0;  // Wraps around, as do offsets in hostile files.
  const auto or_zeros = [&](const std::optional<Items>& bytes, uint64_t count) {
    if (bytes) return EmitAll(*bytes);
    if (!states_content_) return Emit(Zeros{count});
    skipped += count;
    return true;
  };
  for (Placed& placed : tensors_) {
    const Tensor& tensor = *placed.tensor;
    index_ = placed.index;
    out_.set_at(placed.at);
    placed.offset = out_.size() + skipped;
    if (!out_.Step(tensor.dims.size() * sizeof(tensor.dims[0]))) return false;
    if (!or_zeros(tensor.data, DataBytes(tensor.type, tensor.dims).value_or(0))) {
      return false;
    }
    const uint64_t over = (out_.size() + skipped) % alignment_;
    if (!or_zeros(tensor.pad, over == 0 ? 0 : alignment_ - over)) return false;
  }
  index_ = 0;
  data_ = out_.Take();
  return true;
}

bool Assembler::Apply(const Patch& patch) {
  out_.set_at(patch.at);
  if (patch.cut) {
    const auto size = static_cast<int64_t>(out_.size());
    const int64_t left = *patch.cut < 0 ? size + *patch.cut : *patch.cut;
    if (left < 0 || left > size) {
      return out_.Fail(absl::StrCat("the file has only ", size, " bytes to cut"));
    }
    out_.image()->Truncate(left);
    return true;
  }
  Image file = out_.Take();
  if (!EmitAll(patch.bytes)) return false;
  if (patch.offset > file.size() || out_.size() > file.size() - patch.offset) {
    return out_.Fail(absl::StrCat("the file has only ", file.size(), " bytes"));
  }
  const Image bytes = out_.Take();
  *out_.image() = std::move(file);
  return out_.Overwrite(patch.offset, bytes);
}

bool Assembler::EmitAll(const Items& items) {
  return std::all_of(items.begin(), items.end(), [&](const Item& item) { return Emit(item); });
}

bool Assembler::Emit(const Item& item) {
  const Position outer = out_.at();
  out_.set_at(item.at);
  if (!out_.Step() || !std::visit([&](const auto& what) { return Emit(what); }, item.what)) {
    return false;
  }
  out_.set_at(outer);
  return true;
}

bool Assembler::Emit(const Text& text) {
  std::string once;
  return Expand(text, &once) && out_.Bytes(once, text.times);
}

bool Assembler::Emit(const Scalars& scalars) {
  for (const uint64_t bits : scalars.bits) {
    if (!out_.Number(bits, scalars.type->bytes)) return false;
  }
  return true;
}

bool Assembler::Emit(const Array& array) {
  return EmitField(array.stored_element_type, array.element_type, 4) &&
         EmitField(array.length, CountElements(array.elements), length_bytes()) &&
         EmitAll(array.elements);
}

bool Assembler::Emit(const Align& align) {
  varies_ = true;
  return out_.Align(align.to);
}

// Content that is the same in each repetition is made once.
bool Assembler::Emit(const Repeat& repeat) {
  const uint64_t outer = index_;
  const bool varied = std::exchange(varies_, false);
  for (index_ = 0; index_ < repeat.times; ++index_) {
    const uint64_t begin = out_.size();
    if (!EmitAll(repeat.body)) return false;
    if (!varies_) {
      const uint64_t more = repeat.times - 1;
      if (more > 0 && !out_.Copies(out_.image()->Part(begin, out_.size()), more)) {
        return false;
      }
      break;
    }
  }
  index_ = outer;
  varies_ |= varied;
  return true;
}

bool Assembler::Emit(const Header& header) {
  const auto& magic = header.magic;
  return (magic ? EmitField(magic, 0, 4) : out_.Bytes("GGUF")) &&
         EmitField(header.version, header.layout, 4) &&
         EmitField(header.tensor_count, tensors_.size(), length_bytes()) &&
         EmitField(header.metadata_kv_count, keys_, length_bytes());
}

bool Assembler::Emit(const KeyValue& kv) {
  const uint64_t begin = out_.size();
  if (!EmitLengthAndText(kv.key_length, kv.key) || !EmitField(kv.stored_type, kv.type, 4) ||
      !EmitAll(kv.value)) {
    return false;
  }
  if (made_ == nullptr) return true;
  varies_ = true;  // Each has a place of its own.
  made_->keys[next_key_].begin = begin;
  made_->keys[next_key_++].end = out_.size();
  return true;
}

bool Assembler::Emit(const Tensor& tensor) {
  varies_ = true;
  Placed& placed = tensors_[next_tensor_++];
  placed.begin = out_.size();
  if (!EmitLengthAndText(tensor.name_length, tensor.name) ||
      !EmitField(tensor.n_dims, tensor.dims.size(), 4)) {
    return false;
  }
  for (const uint64_t dim : tensor.dims) {
    if (!out_.Number(dim, length_bytes())) return false;
  }
  if (!out_.Number(tensor.type, 4) || !EmitField(tensor.offset, placed.offset, 8)) {
    return false;
  }
  placed.end = out_.size();
  return true;
}

bool Assembler::Emit(const Data& data) {
  varies_ = true;
  if (data.padding ? !EmitAll(*data.padding) : !Emit(Align{alignment_})) {
    return false;
  }
  if (made_ != nullptr) made_->data_begin = out_.size();
  return data.content ? EmitAll(*data.content) : out_.Append(data_);
}

bool Assembler::EmitField(const Override& field, absl::int128 computed, int bytes) {
  if (!field) return out_.Number(computed, bytes);
  if (const auto* number = std::get_if<absl::int128>(&*field)) {
    return out_.Number(*number, bytes);
  }
  return EmitAll(std::get<Items>(*field));
}

bool Assembler::EmitLengthAndText(const Override& length, const Text& text) {
  std::string once;
  return Expand(text, &once) &&
         EmitField(length, absl::int128(once.size()) * text.times, length_bytes()) &&
         out_.Bytes(once, text.times);
}

// Returns the text once, with the repetition index in its gaps; empty if it is
// repeated zero times.
bool Assembler::Expand(const Text& text, std::string* once) {
  if (text.times == 0) return out_.Step();
  uint64_t least = 0;
  for (const std::string& piece : text.pieces) least += piece.size();
  if (!out_.HasRoom(least, text.times) || !out_.Step(least)) return false;
  once->reserve(least);
  *once = text.pieces[0];
  for (size_t i = 1; i < text.pieces.size(); ++i) {
    varies_ = true;
    absl::StrAppend(once, index_, text.pieces[i]);
  }
  return true;
}

}  // namespace

absl::StatusOr<Image> Assemble(const Document& document, uint64_t max_stored) {
  return Assembler(document, max_stored, nullptr).Run();
}

absl::StatusOr<Image> AssembleWithTables(const Document& document, Tables* tables) {
  *tables = Tables();
  return Assembler(document, kMaxStored, tables).Run();
}

uint64_t CountElements(const Items& items) {
  uint64_t count = 0;
  for (const Item& item : items) {
    if (const auto* scalars = std::get_if<Scalars>(&item.what)) {
      count += scalars->bits.size();
    } else if (const auto* repeat = std::get_if<Repeat>(&item.what)) {
      count += repeat->times * CountElements(repeat->body);
    } else if (std::holds_alternative<String>(item.what) ||
               std::holds_alternative<Array>(item.what)) {
      ++count;
    }
  }
  return count;
}

}  // namespace gguf::corpus
