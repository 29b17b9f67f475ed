// Extends a prefix until the parser needs no more bytes; takes the requested bytes from what a
// server sends, which may be anything.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/read_header.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/sniff.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// Each read is so many times as long as the last.
constexpr uint64_t kGrowth = 4;

// The first read has at least these bytes, so that what Sniff() and the parser
// say of a wrong file does not depend on the length of the prefix.
constexpr uint64_t kFewest = 256;

absl::StatusOr<uint64_t> SizeOf(const ByteSource& source, std::optional<uint64_t> stated) {
  const std::optional<uint64_t> own = source.size();
  if (!stated && !own) {
    return absl::InvalidArgumentError(
        "the size of the file is unknown; state it with the option size (--size BYTES)");
  }
  if (stated && own && *stated != *own) {
    return absl::InvalidArgumentError(absl::StrCat("the stated size (--size) is ", *stated,
                                                   " bytes, but the server reports ", *own));
  }
  return stated ? *stated : *own;
}

bool NeedsMore(const FileHeader& header, const Limits& limits) {
  Diagnostics ignored(0);
  const File file = Parse({AsBytes(header.prefix), header.size, ""}, limits, &ignored);
  return file.stop && file.stop->kind == Stop::kNeedsMore;
}

}  // namespace

absl::StatusOr<size_t> ReadSome(int fd, const Deadline& deadline, char* to, size_t size) {
  constexpr int kMilliseconds = 100;
  while (!deadline.passed()) {
    pollfd waiting = {fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, kMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(fd, to, size);
    if (count >= 0) return count;
    if (errno != EINTR && errno != EAGAIN) return absl::ErrnoToStatus(errno, "cannot read");
  }
  return absl::CancelledError(deadline.why());
}

absl::Status StreamSource::ReadTo(uint64_t count, std::string* bytes) {
  constexpr uint64_t kAtATime = 1 << 20;
  while (bytes->size() < count) {
    const uint64_t had = bytes->size();
    bytes->resize(had + std::min(kAtATime, count - had));
    const auto got = ReadSome(fd_, deadline_, &(*bytes)[had], bytes->size() - had);
    bytes->resize(had + got.value_or(0));
    if (!got.ok()) return got.status();
    if (*got == 0) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<FileHeader> ReadHeader(ByteSource* source, std::optional<uint64_t> size,
                                      const Limits& limits, uint64_t first_read) {
  FileHeader header;
  for (uint64_t wanted = std::max(first_read, kFewest);; wanted *= kGrowth) {
    if (size) wanted = std::min(wanted, *size);
    const absl::Status status = source->ReadTo(wanted, &header.prefix);
    if (!status.ok()) return status;
    const auto whole = SizeOf(*source, size);
    if (!whole.ok()) return whole.status();
    header.size = *whole;
    if (header.prefix.size() > *whole) header.prefix.resize(*whole);
    if (Sniff(AsBytes(header.prefix)).legacy != nullptr) {
      return absl::UnimplementedError(
          "a legacy (pre-GGUF) format has no header with all tensors; check "
          "the whole file");
    }
    if (!NeedsMore(header, limits)) return header;
    if (header.prefix.size() < std::min(wanted, *whole)) {
      return absl::UnavailableError(absl::StrCat("the stream ended after ", header.prefix.size(),
                                                 " of ", *whole,
                                                 " bytes, before the end of the tensor table"));
    }
  }
}

// Takes the requested bytes from what a server sends, which may be anything.

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
