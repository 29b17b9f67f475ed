// Opening of files and streams.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/bus_guard.h"
#include "parser/sniff.h"

namespace gguf {
namespace {

constexpr size_t kKeptInMemory = 16 << 20;
constexpr size_t kBlock = 1 << 20;

absl::Status SystemError(absl::string_view what) {
  return absl::ErrnoToStatus(errno, what);
}

// Owns a descriptor: closes it at the end of a scope, except standard input.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

// Reads at most a block to the end of `*out`.  0 at the end, -1 on an error.
ssize_t ReadBlock(int fd, std::string* out) {
  const size_t old_size = out->size();
  out->resize(old_size + kBlock);
  ssize_t count;
  do {
    count = read(fd, &(*out)[old_size], kBlock);
  } while (count < 0 && errno == EINTR);
  out->resize(old_size + std::max<ssize_t>(count, 0));
  return count;
}

bool WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(count);
  }
  return true;
}

// An unnamed file that vanishes with its descriptor; not open on an error.
Descriptor TemporaryFile() {
  const char* folder = getenv("TMPDIR");
  std::string name =
      absl::StrCat(folder && *folder ? folder : "/tmp", "/ggufcheck.XXXXXX");
  const int fd = mkostemp(&name[0], O_CLOEXEC);
  if (fd >= 0) unlink(name.c_str());
  return Descriptor(fd);
}

bool BeginsLikeAModel(absl::string_view bytes) {
  const FileKind kind = Sniff(AsBytes(bytes));
  return kind.is_gguf || kind.ancestor != nullptr;
}

}  // namespace

absl::StatusOr<Input> Input::Open(const std::string& path,
                                  uint64_t stream_limit, Streams wanted) {
  const bool is_stdin = path == "-";
  const Descriptor file(is_stdin ? STDIN_FILENO
                                 : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int fd = file.get();
  if (!file.is_open()) return SystemError("cannot open");
  struct stat status;
  if (fstat(fd, &status) != 0) return SystemError("cannot open");
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError("is a directory");
  }
  if (S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
    return Map(fd, status.st_size);
  }
  return Spool(fd, stream_limit, wanted);
}

absl::StatusOr<Input> Input::Map(int fd, uint64_t size) {
  Input input;
  if (size == 0) return input;
  void* map = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return SystemError("cannot map");
  input.map_ = static_cast<const uint8_t*>(map);
  input.map_size_ = size;
  input.guard_ = GuardMapping(map, size);
  if (input.guard_ < 0) {
    return absl::ResourceExhaustedError("too many files are open at a time");
  }
  return input;
}

absl::StatusOr<Input> Input::Spool(int fd, uint64_t limit, Streams wanted) {
  Input input;
  std::string& buffer = input.memory_;
  Descriptor spool(-1);
  uint64_t size = 0;
  while (true) {
    const ssize_t count = ReadBlock(fd, &buffer);
    if (count < 0) return SystemError("cannot read");
    if (count == 0) break;
    size += count;
    if (size > limit) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the limit of ", limit, " bytes for a stream"));
    }
    if (wanted == Streams::kModels && !spool.is_open() && buffer.size() >= 8 &&
        !BeginsLikeAModel(buffer)) {
      input.complete_ = false;
      return input;
    }
    if (buffer.size() < kKeptInMemory && !spool.is_open()) continue;
    if (!spool.is_open()) spool = TemporaryFile();
    if (!spool.is_open() || !WriteAll(spool.get(), buffer)) {
      return SystemError("cannot keep the stream on disk");
    }
    buffer.clear();
  }
  if (!spool.is_open()) return input;
  return Map(spool.get(), size);
}

Input::Input(Input&& other) noexcept
    : memory_(std::move(other.memory_)),
      map_(std::exchange(other.map_, nullptr)),
      map_size_(other.map_size_),
      guard_(std::exchange(other.guard_, -1)),
      complete_(other.complete_) {}

Input::~Input() {
  if (map_ == nullptr) return;
  UnguardMapping(guard_);
  munmap(const_cast<uint8_t*>(map_), map_size_);
}

Bytes Input::bytes() const {
  return map_ != nullptr ? Bytes(map_, map_size_) : AsBytes(memory_);
}

std::string BaseName(const std::string& path) {
  return path == "-" ? "" : path.substr(path.rfind('/') + 1);
}

bool Input::damaged() const { return MappingFaulted(guard_); }

}  // namespace gguf
