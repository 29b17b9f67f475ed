// The layout of a GGUF file, top to bottom.
//
// Version 1 is read as found in real files: 32-bit counts, lengths and
// dimensions, otherwise as version 2.  Its published draft differs; no file
// with the layout of the draft is known.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/parse.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/foreign_type.h"
#include "parser/parse_legacy.h"
#include "parser/structure_rules.h"

namespace gguf {
namespace {

// The minimum size of an entry in bytes: key length, value type, one byte of
// value; name length, dimension count, type, offset.
uint64_t MinKeyBytes(const Encoding& e) { return e.length_bytes + 4 + 1; }
uint64_t MinTensorBytes(const Encoding& e) { return e.length_bytes + 4 + 4 + 8; }

class Parser {
 public:
  Parser(const FileKind& kind, const Source& source, const Limits& limits, Diagnostics* found)
      : limits_(limits), deadline_(limits.seconds), cursor_(source, limits.metadata_bytes, found) {
    file_.bytes = source.prefix;
    file_.data = source.data;
    file_.holes = source.holes;
    file_.size = source.size;
    file_.name = source.name;
    file_.kind = kind;
    file_.own_types = limits.own_types;
  }

  File Run() {
    ReadHeader() && ReadKeys() && ReadTensors();
    ChooseSizedTypes(&file_);
    file_.stop = cursor_.stop();
    return std::move(file_);
  }

 private:
  bool ReadHeader();
  bool ReadMagic();
  bool ReadVersion();
  bool HasLayoutOfVersion2() const;
  bool FailCount(absl::string_view field, const Field<uint64_t>& count, uint64_t min_size);
  bool InTime(uint64_t index);
  bool ReadKeys();
  bool ReadKey(KeyValue* kv);
  void SettleAlignment();
  bool ReadTensors();
  bool ReadTensor(TensorInfo* tensor);
  bool ReadDimensions(TensorInfo* tensor);

  const Limits& limits_;
  const Deadline deadline_;
  Cursor cursor_;
  File file_;
  bool tensors_fit_ = false;
};

bool Parser::ReadHeader() {
  cursor_.set_subject({"header"});
  if (!ReadMagic() || !ReadVersion() || !cursor_.ReadLength("tensor_count", &file_.tensor_count) ||
      !cursor_.ReadLength("metadata_kv_count", &file_.key_count)) {
    return false;
  }
  if (HasLayoutOfVersion2()) {
    return cursor_.Fail(kHeaderVersionKnown, "version", file_.version.where,
                        "is 1, but the counts have 64 bits, as in later versions", {});
  }
  file_.progress = Progress::kHeader;
  // A wrong tensor count does not keep the keys from being read.
  tensors_fit_ = cursor_.Fits(file_.tensor_count.value, MinTensorBytes(cursor_.encoding()));
  const uint64_t min_size = MinKeyBytes(cursor_.encoding());
  return cursor_.Fits(file_.key_count.value, min_size) ||
         FailCount("metadata_kv_count", file_.key_count, min_size);
}

bool Parser::ReadMagic() {
  if (file_.kind.is_pointer) {
    return cursor_.StopAtLimit(absl::StrCat(file_.kind.what, ". ", file_.kind.advice));
  }
  Bytes magic;
  if (file_.size == 0) {
    return cursor_.Fail(
        kFileComplete, "magic", {0, 0},
        "needs 4 bytes, but the file ends after 0: this is {what}. {advice}",
        {{"what", Trusted{file_.kind.what}}, {"advice", Trusted{file_.kind.advice}}});
  }
  // The rest of the magic may not be available yet.
  const bool is_cut = file_.bytes.size() < std::min<uint64_t>(4, file_.size);
  if (file_.kind.is_gguf || is_cut) {
    if (!cursor_.Take("magic", 4, &magic)) return false;
    file_.progress = Progress::kMagic;
    return true;
  }
  const uint64_t shown = std::min<uint64_t>(4, file_.bytes.size());
  return cursor_.Fail(kHeaderMagic, "magic", {0, shown}, "is {magic}: this is {what}. {advice}",
                      {{"magic", AsText(file_.bytes.subspan(0, shown))},
                       {"what", Trusted{file_.kind.what}},
                       {"advice", Trusted{file_.kind.advice}}});
}

// The version alone determines the endianness: one of its two readings is an
// existing version.  If neither is, the endianness stays unknown.
bool Parser::ReadVersion() {
  Encoding encoding;
  if (!cursor_.ReadU32("version", &file_.version)) return false;
  uint32_t& version = file_.version.value;
  const auto is_known = [](uint32_t v) { return v >= 1 && v <= 3; };
  if (is_known(__builtin_bswap32(version))) {
    encoding.endian = Endian::kBig;
    version = __builtin_bswap32(version);
  }
  if (!is_known(version)) {
    return cursor_.Fail(kHeaderVersionKnown, "version", file_.version.where,
                        "is {version}, not 1, 2 or 3", {{"version", version}});
  }
  encoding.length_bytes = version == 1 ? 4 : 8;
  cursor_.set_encoding(encoding);
  file_.encoding = encoding;
  return true;
}

// Returns whether a file of stated version 1 has the layout of version 2 or 3.
// Then the number of keys, as read in version 1, is the upper half of a small
// 64-bit number of tensors, and a number of keys and the length of a key
// follow.
bool Parser::HasLayoutOfVersion2() const {
  constexpr uint64_t kKeys = 16, kKeyLength = 24, kEnd = 32;
  if (file_.version.value != 1 || file_.key_count.value != 0 || file_.bytes.size() < kEnd) {
    return false;
  }
  const auto load = [&](uint64_t at) {
    return LoadUnsigned<uint64_t>(file_.bytes.data() + at, file_.encoding.endian);
  };
  const uint64_t room = file_.size - kEnd;
  return load(kKeys) > 0 && load(kKeys) <= room && load(kKeyLength) > 0 && load(kKeyLength) <= room;
}

bool Parser::FailCount(absl::string_view field, const Field<uint64_t>& count, uint64_t min_size) {
  cursor_.set_subject({"header"});
  return cursor_.FailToFit(
      kHeaderCountsFit, field, count.where, count.value, min_size,
      "is {count}, but the rest of the file is too short for that many entries of at least {size} "
      "bytes",
      {{"count", count.value}, {"size", min_size}});
}

bool Parser::InTime(uint64_t index) {
  return !deadline_.passed_before(index) || cursor_.StopAtLimit(deadline_.why());
}

bool Parser::ReadKeys() {
  const uint64_t count = file_.key_count.value;
  if (count > limits_.keys) {
    return cursor_.StopAtLimit(
        absl::StrCat("the limit of ", limits_.keys, " keys: the file has ", count));
  }
  file_.keys.reserve(std::min(count, cursor_.readable() / MinKeyBytes(cursor_.encoding())));
  for (uint64_t i = 0; i < count; ++i) {
    KeyValue kv;
    kv.index = i;
    if (!InTime(i) || !ReadKey(&kv)) return false;
    file_.keys.push_back(kv);
  }
  file_.progress = Progress::kKeys;
  SettleAlignment();
  return true;
}

bool Parser::ReadKey(KeyValue* kv) {
  cursor_.set_subject({"kv", true, kv->index, {}});
  Field<uint32_t> type;
  if (!cursor_.ReadString("key", &kv->key)) return false;
  cursor_.set_subject(kv->subject());
  if (!cursor_.ReadU32("type", &type)) return false;
  kv->type = FindValueType(type.value, file_.version.value);
  if (kv->type == nullptr) {
    return cursor_.Fail(kValueTypeKnown, "type", type.where,
                        "is {type}, which the format does not define", {{"type", type.value}});
  }
  const uint64_t begin = cursor_.offset();
  struct : ValueVisitor {
    KeyValue* kv = nullptr;
    void BeginArray(const ValueTypeInfo& type, uint64_t length, uint64_t depth, uint64_t, Range) {
      kv->depth = std::max(kv->depth, depth);
      if (depth > 1) return;
      kv->element_type = &type;
      kv->length = length;
    }
  } visitor;
  visitor.kv = kv;
  ValueWalker walker(&cursor_, file_.version.value, limits_, &visitor);
  if (!walker.Walk(*kv->type)) return false;
  kv->value = {begin, cursor_.offset()};
  return true;
}

// Readers use the first, the last or none of several general.alignment keys, so
// the alignment is known only if all agree.
void Parser::SettleAlignment() {
  bool seen = false;
  for (const KeyValue& kv : file_.keys) {
    if (kv.key.value != "general.alignment") continue;
    const uint64_t value = file_.Unsigned(kv).value_or(0);
    if (kv.type->type != ValueType::kU32 || value == 0 || (seen && value != file_.alignment)) {
      file_.alignment_known = false;
      file_.alignment = 32;
      return;
    }
    file_.alignment = value;
    seen = true;
  }
}

bool Parser::ReadTensors() {
  const uint64_t count = file_.tensor_count.value;
  const uint64_t min_size = MinTensorBytes(cursor_.encoding());
  if (!tensors_fit_) {
    return FailCount("tensor_count", file_.tensor_count, min_size);
  }
  if (count > limits_.tensors) {
    return cursor_.StopAtLimit(
        absl::StrCat("the limit of ", limits_.tensors, " tensors: the file has ", count));
  }
  file_.tensors.reserve(std::min(count, cursor_.readable() / min_size));
  for (uint64_t i = 0; i < count; ++i) {
    TensorInfo tensor;
    tensor.index = i;
    if (!InTime(i) || !ReadTensor(&tensor)) return false;
    tensor.bytes = ByteSize(tensor, file_.alignment);
    file_.tensors.push_back(tensor);
  }
  file_.progress = Progress::kTensors;
  file_.infos_end = cursor_.offset();
  // Cannot wrap: the file has less than 2^63 bytes, the alignment 32 bits.
  file_.data_begin = *CheckedAlignUp(file_.infos_end, file_.alignment);
  return true;
}

bool Parser::ReadTensor(TensorInfo* tensor) {
  cursor_.set_subject({"tensor", true, tensor->index, {}});
  if (!cursor_.ReadString("name", &tensor->name)) return false;
  cursor_.set_subject(tensor->subject());
  return cursor_.ReadU32("n_dims", &tensor->n_dims) && ReadDimensions(tensor) &&  //
         cursor_.ReadU32("type", &tensor->type) && cursor_.ReadU64("offset", &tensor->offset);
}

bool Parser::ReadDimensions(TensorInfo* tensor) {
  const uint32_t width = cursor_.encoding().length_bytes;
  const uint64_t count = tensor->n_dims.value;
  const uint64_t begin = cursor_.offset();
  if (count > kMaxDimensions && !cursor_.Fits(count, width)) {
    return cursor_.Fail(kTensorDimensionCount, "n_dims", tensor->n_dims.where,
                        "is {count}, more than the rest of the file has room for",
                        {{"count", count}});
  }
  Bytes dims;
  if (!cursor_.Take("dims", count * width, &dims)) {
    // They fit into the file: a limit stopped the reading.
    if (count > kMaxDimensions) {
      cursor_.Report(kTensorDimensionCount, "n_dims", tensor->n_dims.where,
                     "is {count}, more than 4", {{"count", count}});
    }
    return false;
  }
  tensor->dims_range = {begin, cursor_.offset()};
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t dim =
        LoadUnsignedOfSize(dims.data() + i * width, width, cursor_.encoding().endian);
    if (i < kMaxDimensions) {
      tensor->dims[i] = dim;
    } else {
      MultiplyDimension(dim, &tensor->beyond);
      tensor->zero_beyond |= dim == 0;
    }
  }
  return true;
}

}  // namespace

File Parse(const Source& source, const Limits& limits, Diagnostics* found) {
  const FileKind kind = Sniff(source.prefix);
  if (kind.legacy != nullptr) return ParseLegacy(kind, source, limits, found);
  return Parser(kind, source, limits, found).Run();
}

}  // namespace gguf
