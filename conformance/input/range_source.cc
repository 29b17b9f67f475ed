// Takes the requested bytes from what a server sends, which may be anything.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/range_source.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// Returns nothing for a range that is not valid (RFC 9110, section 14.4).
std::optional<ContentRange> ParseContentRange(absl::string_view value) {
  static const LazyRE2 kRange = {R"(bytes (\d+)-(\d+)/(\d+|\*))"};
  ContentRange range;
  std::string size;
  if (!RE2::FullMatch({value.data(), value.size()}, *kRange, &range.begin, &range.end, &size) ||
      range.end < range.begin) {
    return std::nullopt;
  }
  ++range.end;
  uint64_t number;
  if (size == "*") return range;
  if (!absl::SimpleAtoi(size, &number) || number < range.end) {
    return std::nullopt;
  }
  range.size = number;
  return range;
}

}  // namespace

void RangeResponse::AddHeader(absl::string_view name, absl::string_view value, int code) {
  const auto is = [&](absl::string_view other) { return absl::EqualsIgnoreCase(name, other); };
  uint64_t number;
  if (is("etag")) file_.etag = std::string(value);
  if (is("last-modified")) file_.modified = std::string(value);
  if (is("content-range")) {
    range_ = ParseContentRange(value);
    has_bad_range_ = !range_;
    if (range_) file_.size = range_->size;
  }
  if (is("content-length") && code == 200 && absl::SimpleAtoi(value, &number)) {
    file_.size = number;
  }
}

bool RangeResponse::AddBody(absl::string_view data, int code) {
  if (code != 200 && code != 206) return false;  // The body of an error.
  const uint64_t from = body_ + (code == 200 ? 0 : range_ ? range_->begin : begin_);
  body_ += data.size();
  // A server without ranges sends the whole file.
  const uint64_t skipped = begin_ > from ? begin_ - from : 0;
  data.remove_prefix(std::min<uint64_t>(skipped, data.size()));
  data = data.substr(0, end_ - bytes_->size());
  bytes_->append(data.data(), data.size());
  return bytes_->size() < end_;
}

absl::Status RangeResponse::Judge(int code) const {
  if (code != 200 && code != 206) return StatusOfCode(code);
  if (has_bad_range_) {
    return absl::UnavailableError("the server sent an invalid Content-Range");
  }
  if (range_ && (range_->begin != begin_ || body_ > range_->end - range_->begin)) {
    return absl::UnavailableError("the server returned other bytes than requested");
  }
  // A body of unknown length, which only a server without ranges may send, ends
  // where the file ends.
  const uint64_t wanted = std::min(end_, file_.size.value_or(end_));
  if (bytes_->size() < wanted && (file_.size || code == 206)) {
    return absl::UnavailableError(absl::StrCat("the server returned ", bytes_->size() - begin_,
                                               " of ", wanted - begin_, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status RangeSource::ReadTo(uint64_t count, std::string* bytes) {
  if (file_.size) count = std::min(count, *file_.size);
  if (bytes->size() >= count) return absl::OkStatus();
  RangeResponse response(bytes->size(), count, bytes);
  const absl::Status status = Get(&response);
  if (!status.ok()) return status;
  if (response.begin() != 0 && !(response.file() == file_)) {
    return absl::AbortedError("the file changed while it was being read");
  }
  file_ = response.file();
  return absl::OkStatus();
}

}  // namespace gguf
