// Reads a file as far as it makes sense; the rest becomes bytes.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/disassemble.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "corpus/language/types.h"

namespace gguf::corpus {

Items Raw(absl::string_view bytes) {
  constexpr size_t kRun = 16;
  Items items;
  while (!bytes.empty()) {
    size_t begin = 0, end = 0;  // The next long run of zeros.
    while (end - begin < kRun) {
      begin = bytes.find('\0', end);
      if (begin == absl::string_view::npos) {
        begin = end = bytes.size();
        break;
      }
      end = std::min(bytes.find_first_not_of('\0', begin), bytes.size());
    }
    if (begin > 0) items.push_back(Make(Literal(bytes.substr(0, begin))));
    if (end > begin) items.push_back(Make(Zeros{end - begin}));
    bytes.remove_prefix(end);
  }
  return items;
}

namespace {

// Returns whether these items, made by Raw() or groups of them, are all zeros.
bool IsZeros(const Items& items) {
  return std::all_of(items.begin(), items.end(), [](const Item& item) {
    if (const auto* group = std::get_if<Group>(&item.what)) {
      return IsZeros(group->items);
    }
    const auto* const text = std::get_if<Text>(&item.what);
    return std::holds_alternative<Zeros>(item.what) ||
           (text != nullptr && text->pieces[0].find_first_not_of('\0') == std::string::npos);
  });
}

}  // namespace

Items Grouped(Items items) {
  if (items.size() == 1) return items;
  Items group;
  group.push_back(Make(Group{std::move(items)}));
  return group;
}

// Reads a file as far as it makes sense; the rest becomes bytes.

namespace {

// Deeper arrays become bytes.
constexpr int kMaxDepth = 32;

// The memory of a key, a string, an array or a tensor, in numbers.
constexpr uint64_t kNumbersOfItem = 16;

// The type in which a tensor's data can be written, or null.
const ScalarType* ScalarOf(uint32_t tensor_type) {
  const TensorType* const type = FindTensorType(tensor_type);
  return type == nullptr ? nullptr : FindScalar(absl::AsciiStrToLower(type->name));
}

void Add(Items added, Items* items) {
  std::move(added.begin(), added.end(), std::back_inserter(*items));
}

class Disassembler {
 public:
  Disassembler(absl::string_view bytes, uint64_t most_numbers)
      : bytes_(bytes), numbers_left_(most_numbers) {}

  Document Run();

 private:
  bool ReadHeader();
  // Reads entries up to the first that is incomplete, then what there is of it.
  bool ReadEntries(uint64_t count, bool (Disassembler::*read)(),
                   void (Disassembler::*read_damaged)());
  bool ReadKey();
  bool ReadTensor();
  void ReadDamagedKey();
  void ReadDamagedTensor();
  bool ReadLoose(int bytes, uint64_t* value);
  bool ReadLooseText();
  bool DropComputedOffsets();
  void ReadData();
  void ReadDataOfTensors();
  Items ReadDataAsItStands();
  Items Fill(uint64_t size, const ScalarType* scalar = nullptr);

  bool ReadValue(uint32_t type, int depth, Items* items);
  bool ReadArray(int depth, Items* items);
  template <class Number>
  bool ReadNumber(int bytes, Number* value);
  bool ReadText(Text* text);

  void AddTensors() {
    for (Tensor& tensor : tensors_) {
      document_.items.push_back(Make(std::move(tensor)));
    }
  }
  absl::string_view Take(uint64_t size) {
    const absl::string_view taken = bytes_.substr(at_, size);
    at_ += taken.size();
    return taken;
  }
  // The bytes from a position to the next that is aligned.
  uint64_t PaddingAt(uint64_t at) const { return (alignment_ - at % alignment_) % alignment_; }
  uint64_t left() const { return bytes_.size() - at_; }
  int length_bytes() const { return header_.layout == 1 ? 4 : 8; }

  // Takes from the numbers that may be made; returns false if too few are left.
  bool Spend(uint64_t numbers) {
    if (numbers > numbers_left_) return false;
    numbers_left_ -= numbers;
    return true;
  }

  absl::string_view bytes_;
  uint64_t numbers_left_;
  uint64_t at_ = 0;
  Header header_;
  uint64_t tensor_count_ = 0;
  uint64_t key_count_ = 0;
  uint64_t alignment_ = 32;
  std::vector<Tensor> tensors_;
  std::vector<uint64_t> offsets_;  // As stated in the table.
  Items loose_;                    // Fields of an incomplete item.
  bool truncated_ = false;         // The data ends too early.
  Document document_;
};

Document Disassembler::Run() {
  if (ReadHeader()) {
    document_.items.push_back(Make(header_));
    const bool complete =
        ReadEntries(key_count_, &Disassembler::ReadKey, &Disassembler::ReadDamagedKey) &&
        ReadEntries(tensor_count_, &Disassembler::ReadTensor, &Disassembler::ReadDamagedTensor);
    const auto keys = static_cast<uint64_t>(document_.items.size() - 1);
    auto& header = std::get<Header>(document_.items[0].what);
    if (keys != key_count_) header.metadata_kv_count = key_count_;
    if (tensors_.size() != tensor_count_) header.tensor_count = tensor_count_;
    if (complete && !tensors_.empty()) {
      ReadData();
    } else if (!tensors_.empty()) {
      DropComputedOffsets();
      AddTensors();  // The rest is bytes.
      document_.items.push_back(Make(Data{Grouped({}), Grouped({})}));
    }
  } else {
    at_ = 0;
  }
  Add(std::move(loose_), &document_.items);
  Add(Raw(Take(left())), &document_.items);
  return std::move(document_);
}

template <class Number>
bool Disassembler::ReadNumber(int bytes, Number* value) {
  if (left() < static_cast<uint64_t>(bytes)) return false;
  *value = 0;
  for (int i = 0; i < bytes; ++i) {
    const int byte = header_.big_endian ? bytes - 1 - i : i;
    *value |= Number{static_cast<uint8_t>(bytes_[at_ + i])} << (8 * byte);
  }
  at_ += bytes;
  return true;
}

// Returns false if this does not look like a header.
bool Disassembler::ReadHeader() {
  const std::string magic(Take(4));
  uint64_t version = 0;
  if (!ReadNumber(4, &version)) return false;
  const auto is_layout = [](uint64_t v) { return v >= 1 && v <= 3; };
  if (const uint32_t swapped = __builtin_bswap32(version); is_layout(swapped)) {
    header_.big_endian = true;
    version = swapped;
  }
  if (magic != "GGUF" && !is_layout(version)) return false;
  if (magic != "GGUF") header_.magic = Items{Make(Literal(magic))};
  if (is_layout(version)) {
    header_.layout = static_cast<uint32_t>(version);
  } else {
    header_.version = version;
  }
  return ReadNumber(length_bytes(), &tensor_count_) && ReadNumber(length_bytes(), &key_count_);
}

bool Disassembler::ReadEntries(uint64_t count, bool (Disassembler::*read)(),
                               void (Disassembler::*read_damaged)()) {
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t begin = at_;
    if ((this->*read)()) continue;
    at_ = begin;
    (this->*read_damaged)();
    return false;
  }
  return true;
}

bool Disassembler::ReadKey() {
  KeyValue kv;
  if (!ReadText(&kv.key) || !ReadNumber(4, &kv.type) || !ReadValue(kv.type, 0, &kv.value)) {
    return false;
  }
  const auto* const scalars = std::get_if<Scalars>(&kv.value[0].what);
  if (scalars != nullptr && scalars->bits[0] != 0 && kv.type == 4 &&
      kv.key.pieces[0] == "general.alignment") {
    alignment_ = scalars->bits[0];
  }
  document_.items.push_back(Make(std::move(kv)));
  return true;
}

bool Disassembler::ReadValue(uint32_t type, int depth, Items* items) {
  if (type == kArrayType) return ReadArray(depth, items);
  if (type == kStringType) {
    String string;
    if (!ReadText(&string.text)) return false;
    items->push_back(Make(std::move(string)));
    return true;
  }
  const ScalarType* const scalar = FindScalar(type);
  uint64_t bits = 0;
  if (scalar == nullptr || !Spend(1) || !ReadNumber(scalar->bytes, &bits)) {
    return false;
  }
  AddScalar(*scalar, bits, {}, items);
  return true;
}

bool Disassembler::ReadArray(int depth, Items* items) {
  Array array;
  uint32_t& type = array.element_type;
  uint64_t length = 0;
  if (depth == kMaxDepth || !ReadNumber(4, &type) || !ReadNumber(length_bytes(), &length)) {
    return false;
  }
  const ScalarType* const scalar = FindScalar(type);
  if ((type != kArrayType && type != kStringType && scalar == nullptr) || !Spend(kNumbersOfItem)) {
    return false;
  }
  if (scalar != nullptr && length > numbers_left_) {
    if (length > left() / scalar->bytes) return false;
    array.length = length;
    array.elements.push_back(Make(Group{Raw(Take(length * scalar->bytes))}));
    items->push_back(Make(std::move(array)));
    return true;
  }
  for (uint64_t i = 0; i < length; ++i) {
    if (!ReadValue(type, depth + 1, &array.elements)) return false;
  }
  items->push_back(Make(std::move(array)));
  return true;
}

// Writes the available fields one by one, so that the wrong one is visible.
void Disassembler::ReadDamagedKey() {
  uint64_t type = 0;
  uint64_t length = 0;
  if (!ReadLooseText() || !ReadLoose(4, &type)) return;
  if (type != kStringType && type != kArrayType) return;
  if (type == kArrayType && !ReadLoose(4, &type)) return;
  ReadLoose(length_bytes(), &length);
}

void Disassembler::ReadDamagedTensor() {
  uint64_t n_dims = 0;
  if (ReadLooseText()) ReadLoose(4, &n_dims);
}

bool Disassembler::ReadLoose(int bytes, uint64_t* value) {
  if (!ReadNumber(bytes, value)) return false;
  loose_.push_back(Make(Scalars{FindScalar(bytes == 4 ? "u32" : "u64"), {*value}}));
  return true;
}

bool Disassembler::ReadLooseText() {
  const uint64_t begin = at_;
  uint64_t length = 0;
  String string;
  if (!ReadText(&string.text)) {
    at_ = begin;
    ReadLoose(length_bytes(), &length);
    return false;
  }
  loose_.push_back(Make(std::move(string)));
  return true;
}

bool Disassembler::ReadTensor() {
  Tensor tensor;
  uint64_t n_dims = 0, offset = 0;
  if (!ReadText(&tensor.name) || !ReadNumber(4, &n_dims) || n_dims > left() / length_bytes() ||
      !Spend(n_dims)) {
    return false;
  }
  tensor.dims.resize(n_dims);
  for (uint64_t& dim : tensor.dims) ReadNumber(length_bytes(), &dim);
  if (!ReadNumber(4, &tensor.type) || !ReadNumber(8, &offset)) return false;
  tensor.offset = offset;
  tensors_.push_back(std::move(tensor));
  offsets_.push_back(offset);
  return true;
}

// Leaves out the offsets that equal the computed ones.  Returns whether all do,
// and the data is small enough to compute.
bool Disassembler::DropComputedOffsets() {
  constexpr uint64_t kLargest = uint64_t{1} << 60;
  bool regular = true;
  absl::uint128 end = 0;
  for (Tensor& tensor : tensors_) {
    const auto stated = std::get<absl::int128>(*tensor.offset);
    if (stated == absl::Uint128Low64(end)) tensor.offset.reset();
    regular = regular && absl::uint128(stated) == end;
    end += DataBytes(tensor.type, tensor.dims).value_or(0);
    end += PaddingAt(absl::Uint128Low64(end % alignment_));
  }
  return regular && end < kLargest;
}

// The data section after a complete table.
void Disassembler::ReadData() {
  const bool regular = DropComputedOffsets();
  const uint64_t padding = PaddingAt(at_);
  Data data;
  if (regular) {
    Items before = Fill(padding);
    if (!IsZeros(before)) data.padding = std::move(before);
    ReadDataOfTensors();
  } else {
    Items before = Raw(Take(padding));
    const bool is_computed = IsZeros(before) && left() > 0;
    if (!is_computed) data.padding = Grouped(std::move(before));
    data.content = ReadDataAsItStands();
  }
  AddTensors();
  if (data.padding || data.content) {
    document_.items.push_back(Make(std::move(data)));
  }
  if (truncated_) {
    document_.patches.emplace_back().cut = static_cast<int64_t>(bytes_.size());
  }
}

void Disassembler::ReadDataOfTensors() {
  const uint64_t data_begin = at_;
  for (Tensor& tensor : tensors_) {
    const bool is_last = &tensor == &tensors_.back();
    const uint64_t size = DataBytes(tensor.type, tensor.dims).value_or(0);
    Items data = Fill(size, ScalarOf(tensor.type));
    if (!IsZeros(data)) tensor.data = std::move(data);
    if (truncated_) continue;
    const uint64_t padding = PaddingAt(at_ - data_begin);
    if (is_last && left() < padding) {
      tensor.pad = Grouped(Raw(Take(left())));
      continue;
    }
    Items pad = Fill(padding);
    if (!IsZeros(pad)) tensor.pad = std::move(pad);
  }
}

// The rest of the file, in pieces that begin where a tensor should.
Items Disassembler::ReadDataAsItStands() {
  const uint64_t data_begin = at_;
  std::sort(offsets_.begin(), offsets_.end());
  Items content;
  for (const uint64_t offset : offsets_) {
    const uint64_t at = at_ - data_begin;
    if (offset <= at || offset - at >= left()) continue;
    Add(Raw(Take(offset - at)), &content);
  }
  Add(Raw(Take(left())), &content);
  return Grouped(std::move(content));
}

// Returns the next `size` bytes, with zeros for missing ones.
Items Disassembler::Fill(uint64_t size, const ScalarType* scalar) {
  const uint64_t missing = size - std::min(size, left());
  Items items;
  if (scalar != nullptr && missing == 0 && size > 0 &&
      bytes_.substr(at_, size).find_first_not_of('\0') != absl::string_view::npos &&
      Spend(size / scalar->bytes)) {
    Scalars scalars{scalar, std::vector<uint64_t>(size / scalar->bytes)};
    for (uint64_t& bits : scalars.bits) ReadNumber(scalar->bytes, &bits);
    items.push_back(Make(std::move(scalars)));
    return items;
  }
  items = Raw(Take(size - missing));
  if (missing > 0) {
    items.push_back(Make(Zeros{missing}));
    truncated_ = true;
  }
  return Grouped(std::move(items));
}

bool Disassembler::ReadText(Text* text) {
  uint64_t length = 0;
  if (!ReadNumber(length_bytes(), &length) || length > left() || !Spend(kNumbersOfItem) ||
      !Spend(length / sizeof(uint64_t))) {
    return false;
  }
  *text = Literal(Take(length));
  return true;
}

}  // namespace

Document Disassemble(absl::string_view bytes, uint64_t most_numbers) {
  return Disassembler(bytes, most_numbers).Run();
}

}  // namespace gguf::corpus
