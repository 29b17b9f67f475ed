// The one place that knows what is computed, and how.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/assemble.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/number.h"

namespace gguf::corpus {
namespace {

constexpr uint64_t kMaxSize = uint64_t{1} << 62;  // With counted zeros.

// A tensor of the table, the number of its repetition, its place in the data.
struct Placed {
  const Tensor* tensor;
  uint64_t index;
  Position at;
  uint64_t offset;
};

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

class Assembler {
 public:
  Assembler(const Document& document, uint64_t max_stored)
      : document_(document), max_stored_(max_stored) {}

  absl::StatusOr<Image> Run();

 private:
  bool Collect(const Item& item);
  bool CollectAll(const Items& items);
  bool EmitDataOfTensors();
  bool EmitDataSection(const Data& data);
  bool Apply(const Patch& patch);

  bool EmitAll(const Items& items);
  bool Emit(const Item& item);
  bool Emit(const Text& text);
  bool Emit(const Scalars& scalars);
  bool Emit(const String& string);
  bool Emit(const Array& array);
  bool Emit(const Zeros& zeros);
  bool Emit(const Align& align);
  bool Emit(const Repeat& repeat);
  bool Emit(const Group& group) { return EmitAll(group.items); }
  bool Emit(const Header& header);
  bool Emit(const KeyValue& kv);
  bool Emit(const Tensor& tensor);
  bool Emit(const Data& data) { return EmitDataSection(data); }

  bool EmitCopies(const Image& image, uint64_t times);
  bool EmitNumber(absl::int128 number, int bytes);
  bool EmitField(const Override& field, uint64_t computed, int bytes);
  bool EmitMagic(const Override& field);
  bool EmitLengthAndText(const Override& length, const Text& text);
  bool Expand(const Text& text, std::string* bytes);

  bool Step();
  bool Room(uint64_t bytes, uint64_t zeros);
  bool Fail(absl::string_view message);
  int length_bytes() const { return header_.layout == 1 ? 4 : 8; }

  const Document& document_;
  const uint64_t max_stored_;
  Header header_;  // The last, or that of a file which has none.
  uint64_t keys_ = 0;
  uint64_t alignment_ = 32;
  bool states_data_ = false;     // There is a `data`,
  bool states_content_ = false;  // and it says it all.
  std::vector<Placed> tensors_;
  size_t next_tensor_ = 0;

  Image out_;
  Image data_;           // Of all tensors, from the start of the data section.
  uint64_t index_ = 0;   // Of the innermost repetition.
  bool varies_ = false;  // What was emitted depends on more than its text.
  uint64_t steps_ = 0;
  uint64_t stored_ = 0;
  Position at_;
  absl::Status status_;
};

absl::StatusOr<Image> Assembler::Run() {
  const Items& items = document_.items;
  size_t data_behind = items.size();  // Where it stands if nothing says so.
  for (size_t i = 0; i < items.size(); ++i) {
    if (const auto* header = std::get_if<Header>(&items[i].what)) {
      header_ = *header;
    }
    if (!Collect(items[i])) return status_;
    if (Holds<Header>(items[i]) || Holds<KeyValue>(items[i]) ||
        Holds<Tensor>(items[i])) {
      data_behind = i;
    }
    if (const auto* data = std::get_if<Data>(&items[i].what)) {
      states_data_ = true;
      states_content_ = data->content.has_value();
    }
  }
  if (header_.alignment.value_or(0) != 0) alignment_ = *header_.alignment;
  if (!EmitDataOfTensors()) return status_;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!Emit(items[i])) return status_;
    if (i == data_behind && !states_data_ && !tensors_.empty() &&
        !EmitDataSection({})) {
      return status_;
    }
  }
  for (const Patch& patch : document_.patches) {
    if (!Apply(patch)) return status_;
  }
  return std::move(out_);
}

// Counts the keys, lists the tensors, finds the alignment.
bool Assembler::Collect(const Item& item) {
  at_ = item.at;
  if (!Step()) return false;
  if (const auto* kv = std::get_if<KeyValue>(&item.what)) {
    ++keys_;
    const auto* const value = std::get_if<Scalars>(&kv->value[0].what);
    if (value != nullptr && value->bits[0] != 0 && kv->type == 4 &&
        kv->key.times == 1 &&
        kv->key.pieces == std::vector<std::string>{"general.alignment"}) {
      alignment_ = value->bits[0];
    }
  } else if (const auto* tensor = std::get_if<Tensor>(&item.what)) {
    tensors_.push_back({tensor, index_, item.at, 0});
  } else if (const auto* group = std::get_if<Group>(&item.what)) {
    return CollectAll(group->items);
  } else if (const auto* repeat = std::get_if<Repeat>(&item.what)) {
    if (!Holds<KeyValue>(item) && !Holds<Tensor>(item)) return true;
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
                     [&](const Item& item) { return Collect(item); });
}

// Makes the data of the tensors, and finds out where each lies.  When the data
// section's content is stated, what would be computed takes its place only.
bool Assembler::EmitDataOfTensors() {
  uint64_t skipped = 0;  // Wraps around, as do offsets in hostile files.
  const auto zeros = [&](uint64_t count) {
    if (!states_content_) return Emit(Zeros{count});
    skipped += count;
    return true;
  };
  for (Placed& placed : tensors_) {
    const Tensor& tensor = *placed.tensor;
    index_ = placed.index;
    at_ = placed.at;
    placed.offset = out_.size() + skipped;
    if (!(tensor.data
              ? EmitAll(*tensor.data)
              : zeros(DataBytes(tensor.type, tensor.dims).value_or(0)))) {
      return false;
    }
    const uint64_t over = (out_.size() + skipped) % alignment_;
    if (!(tensor.pad ? EmitAll(*tensor.pad)
                     : zeros(over == 0 ? 0 : alignment_ - over))) {
      return false;
    }
  }
  index_ = 0;
  data_ = std::exchange(out_, {});
  return true;
}

bool Assembler::EmitDataSection(const Data& data) {
  varies_ = true;
  if (data.padding ? !EmitAll(*data.padding) : !Emit(Align{alignment_})) {
    return false;
  }
  if (data.content) return EmitAll(*data.content);
  if (!Room(0, data_.size())) return false;
  out_.Append(data_);
  return true;
}

bool Assembler::Apply(const Patch& patch) {
  at_ = patch.at;
  if (patch.cut) {
    const auto size = static_cast<int64_t>(out_.size());
    const int64_t left = *patch.cut < 0 ? size + *patch.cut : *patch.cut;
    if (left < 0 || left > size) {
      return Fail(absl::StrCat("the file has only ", size, " bytes to cut"));
    }
    out_.Truncate(left);
    return true;
  }
  Image file = std::exchange(out_, {});
  if (!EmitAll(patch.bytes)) return false;
  if (patch.offset > file.size() || out_.size() > file.size() - patch.offset) {
    return Fail(absl::StrCat("the file has only ", file.size(), " bytes"));
  }
  file.Overwrite(patch.offset, out_.ToString());
  out_ = std::move(file);
  return true;
}

bool Assembler::EmitAll(const Items& items) {
  return std::all_of(items.begin(), items.end(),
                     [&](const Item& item) { return Emit(item); });
}

bool Assembler::Emit(const Item& item) {
  const Position outer = std::exchange(at_, item.at);
  if (!Step() ||
      !std::visit([&](const auto& what) { return Emit(what); }, item.what)) {
    return false;
  }
  at_ = outer;
  return true;
}

bool Assembler::Emit(const Text& text) {
  std::string bytes;
  if (!Expand(text, &bytes)) return false;
  out_.Append(bytes);
  return true;
}

bool Assembler::Emit(const Scalars& scalars) {
  for (const uint64_t bits : scalars.bits) {
    if (!EmitNumber(bits, scalars.type->bytes)) return false;
  }
  return true;
}

bool Assembler::Emit(const String& string) {
  return EmitLengthAndText(string.length, string.text);
}

bool Assembler::Emit(const Array& array) {
  return EmitField(array.stored_element_type, array.element_type, 4) &&
         EmitField(array.length, CountElements(array.elements),
                   length_bytes()) &&
         EmitAll(array.elements);
}

bool Assembler::Emit(const Zeros& zeros) {
  if (!Room(0, zeros.count)) return false;
  out_.AppendZeros(zeros.count);
  return true;
}

bool Assembler::Emit(const Align& align) {
  varies_ = true;
  const uint64_t over = out_.size() % align.to;
  return Emit(Zeros{over == 0 ? 0 : align.to - over});
}

// What comes out the same each time is made once.
bool Assembler::Emit(const Repeat& repeat) {
  const uint64_t outer = index_;
  const bool varied = std::exchange(varies_, false);
  for (index_ = 0; index_ < repeat.times; ++index_) {
    const uint64_t begin = out_.size();
    if (!EmitAll(repeat.body)) return false;
    if (!varies_) {
      if (!EmitCopies(out_.Part(begin, out_.size()), repeat.times - 1)) {
        return false;
      }
      break;
    }
  }
  index_ = outer;
  varies_ |= varied;
  return true;
}

bool Assembler::EmitCopies(const Image& image, uint64_t times) {
  if (image.size() == 0 || times == 0) return true;
  if (times > kMaxSize / image.size()) {
    return Fail("this makes the file too large");
  }
  const std::string bytes = image.ToString();
  if (bytes.find_first_not_of('\0') == std::string::npos) {
    return Emit(Zeros{image.size() * times});
  }
  if (!Room(bytes.size() * times, 0)) return false;
  for (uint64_t i = 0; i < times; ++i) out_.Append(bytes);
  return true;
}

bool Assembler::Emit(const Header& header) {
  return EmitMagic(header.magic) &&
         EmitField(header.version, header.layout, 4) &&
         EmitField(header.tensor_count, tensors_.size(), length_bytes()) &&
         EmitField(header.metadata_kv_count, keys_, length_bytes());
}

bool Assembler::Emit(const KeyValue& kv) {
  return EmitLengthAndText(kv.key_length, kv.key) &&
         EmitField(kv.stored_type, kv.type, 4) && EmitAll(kv.value);
}

bool Assembler::Emit(const Tensor& tensor) {
  varies_ = true;
  const uint64_t offset = tensors_[next_tensor_++].offset;
  if (!EmitLengthAndText(tensor.name_length, tensor.name) ||
      !EmitField(tensor.n_dims, tensor.dims.size(), 4)) {
    return false;
  }
  for (const uint64_t dim : tensor.dims) {
    if (!EmitNumber(dim, length_bytes())) return false;
  }
  return EmitNumber(tensor.type, 4) && EmitField(tensor.offset, offset, 8);
}

bool Assembler::EmitNumber(absl::int128 number, int bytes) {
  const auto bits = Encode(number, bytes);
  if (!bits)
    return Fail(absl::StrCat("a number does not fit ", bytes, " bytes"));
  if (!Room(bytes, 0)) return false;
  char buffer[8];
  for (int i = 0; i < bytes; ++i) {
    const int byte = header_.big_endian ? bytes - 1 - i : i;
    buffer[i] = static_cast<char>(*bits >> (8 * byte));
  }
  out_.Append({buffer, static_cast<size_t>(bytes)});
  return true;
}

bool Assembler::EmitField(const Override& field, uint64_t computed, int bytes) {
  if (!field) return EmitNumber(computed, bytes);
  if (const auto* number = std::get_if<absl::int128>(&*field)) {
    return EmitNumber(*number, bytes);
  }
  return EmitAll(std::get<Items>(*field));
}

bool Assembler::EmitMagic(const Override& field) {
  if (field) return EmitField(field, 0, 4);
  out_.Append("GGUF");
  return true;
}

bool Assembler::EmitLengthAndText(const Override& length, const Text& text) {
  std::string bytes;
  if (!Expand(text, &bytes) ||
      !EmitField(length, bytes.size(), length_bytes())) {
    return false;
  }
  out_.Append(bytes);
  return true;
}

bool Assembler::Expand(const Text& text, std::string* bytes) {
  std::string once = text.pieces[0];
  for (size_t i = 1; i < text.pieces.size(); ++i) {
    varies_ = true;
    absl::StrAppend(&once, index_, text.pieces[i]);
  }
  if (once.empty()) return true;
  if (text.times > max_stored_ / once.size()) {
    return Fail("this makes the file too large");
  }
  if (!Room(once.size() * text.times, 0)) return false;
  for (uint64_t i = 0; i < text.times; ++i) *bytes += once;
  return true;
}

// Keeps whatever text from running for hours.
bool Assembler::Step() {
  constexpr uint64_t kBytesAStep = 64;
  return ++steps_ <= max_stored_ / kBytesAStep || Fail("too many repetitions");
}

bool Assembler::Room(uint64_t bytes, uint64_t zeros) {
  stored_ += bytes;
  if (stored_ <= max_stored_ && zeros <= kMaxSize &&
      out_.size() + bytes + zeros <= kMaxSize) {
    return true;
  }
  return Fail("this makes the file too large");
}

bool Assembler::Fail(absl::string_view message) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "line ", at_.line, ", column ", at_.column, ": ", message));
  }
  return false;
}

}  // namespace

absl::StatusOr<Image> Assemble(const Document& document, uint64_t max_stored) {
  return Assembler(document, max_stored).Run();
}

}  // namespace gguf::corpus
