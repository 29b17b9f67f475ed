// The one place that compares lengths from a file with the file.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/cursor.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "parser/assert.h"
#include "parser/structure_rules.h"

namespace gguf {

std::string Stop::Why() const {
  const std::string where =
      absl::StrCat("reading stopped at byte 0x", absl::Hex(offset));
  if (kind == kNotDone) return absl::StrCat(where, ": ", limit);
  return absl::StrCat(where, ", ", subject.Path(), ": ", rule->id);
}

void Cursor::set_offset(uint64_t offset) {
  Assert(offset <= file_.size(), "the cursor was moved outside the file");
  offset_ = offset;
}

bool Cursor::Skip(absl::string_view field, uint64_t size) {
  if (stopped_) return false;
  if (size > remaining()) return FailTake(field, size);
  offset_ += size;
  limit_ += std::min(size, ~uint64_t{0} - limit_);
  return true;
}

bool Cursor::FailTake(absl::string_view field, uint64_t size) {
  if (size <= remaining()) {
    return StopAtLimit(
        absl::StrCat("the limit of ", limit_, " bytes of metadata"));
  }
  return Fail(kFileComplete, field, {offset_, file_.size()},
              "needs {needed} bytes, but the file ends after {remaining}",
              {{"needed", size}, {"remaining", remaining()}});
}

bool Cursor::FailString(absl::string_view field,
                        const Field<uint64_t>& length) {
  return Fail(kFileComplete, field, length.where,
              "is {length} bytes long, but the file ends after {remaining}",
              {{"length", length.value}, {"remaining", remaining()}});
}

// A string that no reader takes is a finding, even if it is not read here.
bool Cursor::FailAtLimit(absl::string_view field,
                         const Field<uint64_t>& length) {
  if (length.value > kLongestThatReadersTake) {
    Report(kStringLengthBounded, field, length.where, "is {length} bytes long",
           {{"length", length.value}});
  }
  return false;
}

bool Cursor::Fits(uint64_t count, uint64_t min_size) const {
  return count <= (file_.size() - offset_) / min_size;
}

void Cursor::Report(const Rule& rule, absl::string_view field, Range where,
                    absl::string_view format, std::initializer_list<Arg> args) {
  Assert(out_ != nullptr, "a file that was read before cannot be read again");
  out_->Add(rule, where, subject_.Of(field), format, args);
}

bool Cursor::Fail(const Rule& rule, absl::string_view field, Range where,
                  absl::string_view format, std::initializer_list<Arg> args) {
  Report(rule, field, where, format, args);
  stopped_ = true;
  stop_ = Stop{Stop::kDamage, &rule, where.begin, subject_.Of(field), ""};
  return false;
}

bool Cursor::StopAtLimit(absl::string_view why) {
  stopped_ = true;
  stop_ = Stop{Stop::kNotDone, nullptr, offset_, {}, std::string(why)};
  return false;
}

}  // namespace gguf
