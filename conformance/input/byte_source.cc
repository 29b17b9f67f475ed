// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/byte_source.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>

namespace gguf {

absl::Status StreamSource::ReadTo(uint64_t count, std::string* bytes) {
  constexpr uint64_t kAtATime = 1 << 20;
  while (bytes->size() < count) {
    const uint64_t had = bytes->size();
    bytes->resize(had + std::min(kAtATime, count - had));
    const ssize_t got = read(fd_, &(*bytes)[had], bytes->size() - had);
    bytes->resize(had + std::max<ssize_t>(got, 0));
    if (got == 0) break;
    if (got < 0) return absl::ErrnoToStatus(errno, "cannot read");
  }
  return absl::OkStatus();
}

}  // namespace gguf
