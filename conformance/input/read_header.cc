// Extends a prefix until the parser needs no more bytes.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/read_header.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "parser/core/diagnostic.h"
#include "parser/core/sniff.h"
#include "parser/core/source.h"
#include "parser/parse.h"

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
    return absl::InvalidArgumentError("the size of the file is unknown; use --size BYTES");
  }
  if (stated && own && *stated != *own) {
    return absl::InvalidArgumentError(
        absl::StrCat("--size is ", *stated, " bytes, but the server reports ", *own));
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
          "a legacy (pre-GGUF) format has no header with all tensors; check the whole file");
    }
    if (!NeedsMore(header, limits)) return header;
    if (header.prefix.size() < std::min(wanted, *whole)) {
      return absl::UnavailableError(absl::StrCat("the stream ended after ", header.prefix.size(),
                                                 " of ", *whole,
                                                 " bytes, before the end of the tensor table"));
    }
  }
}

}  // namespace gguf
