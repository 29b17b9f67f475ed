// A mapping as long as the file, into which its beginning is copied.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/header_input.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/sniff.h"

namespace gguf {
namespace {

// The first read takes in the keys of most models without a vocabulary.
constexpr uint64_t kFirstRead = 256 << 10;
constexpr uint64_t kGrowth = 4;

absl::StatusOr<uint64_t> SizeOf(const ByteSource& source,
                                std::optional<uint64_t> stated) {
  const std::optional<uint64_t> own = source.size();
  if (!stated && !own) {
    return absl::InvalidArgumentError(
        "nobody says how long the file is; say --size BYTES");
  }
  if (stated && own && *stated != *own) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--size says ", *stated, " bytes, but the server says ", *own));
  }
  return stated ? *stated : *own;
}

// Whether more bytes would tell more.
bool WantsMore(Bytes bytes, uint64_t present, Limits limits) {
  limits.metadata_bytes = std::min(limits.metadata_bytes, present);
  Diagnostics ignored(0);
  const File file = Parse(bytes, "", limits, &ignored);
  return file.stop && file.stop->kind == Stop::kNotDone;
}

}  // namespace

absl::StatusOr<HeaderInput> HeaderInput::Read(ByteSource* source,
                                              std::optional<uint64_t> size,
                                              const Limits& limits) {
  HeaderInput input;
  std::string prefix;
  for (uint64_t wanted = kFirstRead;; wanted *= kGrowth) {
    if (size) wanted = std::min(wanted, *size);
    absl::Status status = source->ReadTo(wanted, &prefix);
    if (!status.ok()) return status;
    const auto whole = SizeOf(*source, size);
    if (!whole.ok()) return whole.status();
    if (Sniff(AsBytes(prefix)).ancestor != nullptr) {
      return absl::UnimplementedError(
          "only GGUF has a header of all tensors; this is an ancestor of it, "
          "which has to be checked as a whole");
    }
    if (input.map_ == nullptr) status = input.Map(*whole);
    if (status.ok()) status = input.Append(prefix);
    if (!status.ok()) return status;

    const bool all = prefix.size() >= std::min(*whole, limits.metadata_bytes);
    if (all || !WantsMore(input.bytes(), input.present_, limits)) return input;
    if (prefix.size() < std::min(wanted, *whole)) {
      return absl::UnavailableError(
          absl::StrCat("the stream ended after ", prefix.size(), " of ", *whole,
                       " bytes, before the tensor table did"));
    }
  }
}

absl::Status HeaderInput::Map(uint64_t size) {
  if (size == 0) return absl::OkStatus();
  // Memory that is only read is never counted as used.
  void* map =
      mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot make room for ", size, " bytes"));
  }
  map_ = static_cast<uint8_t*>(map);
  size_ = size;
  return absl::OkStatus();
}

absl::Status HeaderInput::Append(absl::string_view prefix) {
  const uint64_t count = std::min<uint64_t>(prefix.size(), size_);
  if (count <= present_) return absl::OkStatus();
  if (mprotect(map_, count, PROT_READ | PROT_WRITE) != 0) {
    return absl::ErrnoToStatus(errno, "out of memory");
  }
  std::memcpy(map_ + present_, prefix.data() + present_, count - present_);
  present_ = count;
  return absl::OkStatus();
}

HeaderInput::HeaderInput(HeaderInput&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)),
      size_(other.size_),
      present_(other.present_) {}

HeaderInput::~HeaderInput() {
  if (map_ != nullptr) munmap(map_, size_);
}

}  // namespace gguf
