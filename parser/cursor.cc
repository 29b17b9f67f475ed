// Compares lengths from a file with its size; the only place that does.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/cursor.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "parser/structure_rules.h"

namespace gguf {

std::string Stop::Why() const {
  const std::string where = absl::StrCat("reading stopped at byte 0x", absl::Hex(offset));
  if (kind != kDamage) return absl::StrCat(where, ": ", limit);
  return absl::StrCat(where, ", ", subject.Path(), ": ", rule->id);
}

bool Cursor::Skip(absl::string_view field, uint64_t size) {
  if (stopped_) return false;
  if (size > remaining()) return FailTake(field, size);
  offset_ += size;
  limit_ += std::min(size, ~uint64_t{0} - limit_);
  FindReadable();
  return true;
}

bool Cursor::FailTake(absl::string_view field, uint64_t size) {
  if (size > remaining()) {
    return FailToFit(kFileComplete, field, {offset_, size_}, size, 1,
                     "needs {needed byte|bytes}, but the file ends after {remaining}",
                     {{"needed", size}, {"remaining", remaining()}});
  }
  if (size > limit_ - offset_) {
    return StopAtLimit(absl::StrCat("the limit of ", limit_, " bytes of metadata"));
  }
  return StopFor(Stop::kNeedsMore,
                 absl::StrCat("needs ", offset_ + size, " bytes of the file, has ", prefix_size_));
}

bool Cursor::FailString(absl::string_view field, const Field<uint64_t>& length) {
  return FailToFit(kFileComplete, field, length.where, length.value, 1,
                   "is {length byte|bytes} long, but the file ends after {remaining}",
                   {{"length", length.value}, {"remaining", remaining()}});
}

// A string too long for any reader is a finding, even if it is not read here.
bool Cursor::FailAtLimit(absl::string_view field, const Field<uint64_t>& length) {
  if (length.value > kLongestReadable) {
    Report(kStringLengthBounded, field, length.where, "is {length} bytes long, more than 2^30",
           {{"length", length.value}});
  }
  return false;
}

bool Cursor::Fits(uint64_t count, uint64_t min_size) const {
  return count <= remaining() / min_size;
}

void Cursor::Report(const Rule& rule, absl::string_view field, Range where,
                    absl::string_view format, std::initializer_list<Arg> args) {
  if (out_ == nullptr) return;
  out_->Add(rule, where, subject_.Of(field), format, args);
}

bool Cursor::Fail(const Rule& rule, absl::string_view field, Range where, absl::string_view format,
                  std::initializer_list<Arg> args) {
  Report(rule, field, where, format, args);
  stopped_ = true;
  stop_ = Stop{Stop::kDamage, &rule, where.begin, subject_.Of(field), ""};
  return false;
}

bool Cursor::FailToFit(const Rule& rule, absl::string_view field, Range where, uint64_t count,
                       uint64_t size, absl::string_view format, std::initializer_list<Arg> args) {
  Fail(rule, field, where, format, args);
  stop_->needed = CheckedMultiply(count, size).value_or(UINT64_MAX);
  return false;
}

bool Cursor::StopAtLimit(absl::string_view why) { return StopFor(Stop::kNotDone, why); }

bool Cursor::StopFor(Stop::Kind kind, absl::string_view why) {
  stopped_ = true;
  stop_ = Stop{kind, nullptr, offset_, {}, std::string(why)};
  return false;
}

}  // namespace gguf
