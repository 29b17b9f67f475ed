// The one place that compares lengths from a file with the file.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/cursor.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "parser/assert.h"
#include "parser/structure_rules.h"

namespace gguf {

void Cursor::set_offset(uint64_t offset) {
  Assert(offset <= file_.size(), "the cursor was moved outside the file");
  offset_ = offset;
}

bool Cursor::Take(absl::string_view field, uint64_t size, Bytes* bytes) {
  if (stop_) return false;
  const uint64_t remaining = file_.size() - offset_;
  if (size > remaining) {  // Not `offset_ + size`: that can wrap.
    return Fail(kFileComplete, field, {offset_, file_.size()},
                "needs {needed} bytes, but the file ends after {remaining}",
                {{"needed", size}, {"remaining", remaining}});
  }
  if (offset_ > limit_ || size > limit_ - offset_) {
    return StopAtLimit(
        absl::StrCat("the limit of ", limit_, " bytes of metadata"));
  }
  *bytes = file_.subspan(offset_, size);
  offset_ += size;
  return true;
}

bool Cursor::Fits(uint64_t count, uint64_t min_size) const {
  return count <= (file_.size() - offset_) / min_size;
}

template <class T>
bool Cursor::ReadUnsigned(absl::string_view field, uint32_t size,
                          Field<T>* value) {
  const uint64_t begin = offset_;
  Bytes bytes;
  if (!Take(field, size, &bytes)) return false;
  value->value =
      static_cast<T>(LoadUnsignedOfSize(bytes.data(), size, encoding_.endian));
  value->where = {begin, offset_};
  return true;
}

bool Cursor::ReadU32(absl::string_view field, Field<uint32_t>* value) {
  return ReadUnsigned(field, 4, value);
}

bool Cursor::ReadU64(absl::string_view field, Field<uint64_t>* value) {
  return ReadUnsigned(field, 8, value);
}

bool Cursor::ReadLength(absl::string_view field, Field<uint64_t>* value) {
  return ReadUnsigned(field, encoding_.length_bytes, value);
}

bool Cursor::ReadString(absl::string_view field,
                        Field<absl::string_view>* value) {
  const uint64_t begin = offset_;
  Field<uint64_t> length;
  if (!ReadLength(field, &length)) return false;
  const uint64_t remaining = file_.size() - offset_;
  if (length.value > remaining) {
    return Fail(kFileComplete, field, length.where,
                "is {length} bytes long, but the file ends after {remaining}",
                {{"length", length.value}, {"remaining", remaining}});
  }
  Bytes bytes;
  if (!Take(field, length.value, &bytes)) return false;
  value->value = AsText(bytes);
  value->where = {begin, offset_};
  return true;
}

bool Cursor::Fail(const Rule& rule, absl::string_view field, Range where,
                  absl::string_view format, std::initializer_list<Arg> args) {
  Assert(out_ != nullptr, "a file that was read before cannot be read again");
  const Subject subject = subject_.Of(field);
  out_->Add(rule, where, subject, format, args);
  stop_ = Stop{Stop::kDamage, &rule,
               absl::StrFormat("reading stopped at byte 0x%x, %s: %s",
                               where.begin, subject.Path(), rule.id)};
  return false;
}

bool Cursor::StopAtLimit(absl::string_view why) {
  stop_ =
      Stop{Stop::kNotDone, nullptr,
           absl::StrFormat("reading stopped at byte 0x%x: %s", offset_, why)};
  return false;
}

}  // namespace gguf
