// Opens files and streams.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/input/bus_guard.h"
#include "conformance/input/http/hub.h"
#include "conformance/input/http/url.h"
#include "conformance/input/http_source.h"
#include "conformance/input/read_header.h"
#include "parser/core/sniff.h"

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

// Opens a path, or standard input for "-".  Does not wait for the writer of a
// named pipe.
int OpenToRead(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool SameTime(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool Same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
         a.st_size == b.st_size && SameTime(a.st_mtim, b.st_mtim) &&
         SameTime(a.st_ctim, b.st_ctim);
}

// Waits until the current file-time tick ends, if the file was changed in it:
// file times advance in ticks of some milliseconds, and another change in the
// same tick would not be visible.
void AwaitNextStep(const timespec& changed) {
  constexpr int64_t kLongestStep = 20'000'000;
  constexpr timespec kMillisecond = {0, 1'000'000};
  timespec now;
  while (clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0) {
    const int64_t left =
        (changed.tv_sec - now.tv_sec) * int64_t{1'000'000'000} +
        changed.tv_nsec - now.tv_nsec;
    if (left < 0 || left > kLongestStep) return;
    nanosleep(&kMillisecond, nullptr);
  }
}

// Returns the current status of a path, or of standard input.
std::optional<struct stat> StatusOf(const std::string& path) {
  struct stat status;
  const int failed =
      path == "-" ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status);
  if (failed != 0) return std::nullopt;
  return status;
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

// Returns an unnamed file that vanishes with its descriptor; not open on error.
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
  return kind.is_gguf || kind.legacy != nullptr;
}

HttpOptions HttpOptionsOf(const OpenOptions& options) {
  HttpOptions http;
  http.access = options.header.http;
  http.stop = options.interrupted;
  if (options.limits.seconds > 0) {
    http.request_timeout =
        std::chrono::milliseconds(std::llround(options.limits.seconds * 1000));
  }
  return http;
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenUrl(
    const std::string& path, const OpenOptions& options) {
  HttpOptions http = HttpOptionsOf(options);
  auto url = ParseUrl(path);
  if (IsHubPath(path)) {
    const auto hub = Hub::FromEnvironment();
    const auto file = ParseHubPath(path);
    if (!hub.ok()) return hub.status();
    if (!file.ok()) return file.status();
    url = hub->FileUrl(*file);
    http.access = hub->AccessWith(http.access);
  }
  if (!url.ok()) return url.status();
  return std::make_unique<HttpSource>(*url, http);
}

}  // namespace

absl::StatusOr<Input> Input::Open(const std::string& path,
                                  uint64_t stream_limit, Streams wanted,
                                  const Deadline& deadline) {
  const Descriptor file(OpenToRead(path));
  const int fd = file.get();
  if (!file.is_open()) return SystemError("cannot open");
  struct stat status;
  if (fstat(fd, &status) != 0) return SystemError("cannot open");
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError("is a directory");
  }
  Input input;
  input.path_ = path;
  input.name_ = BaseName(path);
  absl::Status opened;
  if (S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
    input.opened_ = status;
    AwaitNextStep(status.st_ctim);
    opened = input.Map(fd, status.st_size);
  } else {
    opened = input.Spool(fd, stream_limit, wanted, deadline);
  }
  if (!opened.ok()) return opened;
  return input;
}

absl::StatusOr<Input> Input::Open(const std::string& path,
                                  const OpenOptions& options) {
  if (IsReadByHeader(path, options.header)) return OpenHeader(path, options);
  auto input = Open(path, options.limits.stream_bytes, Streams::kModels,
                    Deadline(options.limits.seconds, options.interrupted));
  if (input.ok()) input->header_only_ = options.header.only;
  return input;
}

absl::StatusOr<Input> Input::OpenHeader(const std::string& path,
                                        const OpenOptions& options) {
  const bool is_url = IsUrl(path);
  const Descriptor file(is_url ? -1 : OpenToRead(path));
  const Deadline deadline(options.limits.seconds, options.interrupted);
  if (!is_url && !file.is_open()) return SystemError("cannot open");
  std::unique_ptr<ByteSource> source;
  if (is_url) {
    auto opened = OpenUrl(path, options);
    if (!opened.ok()) return opened.status();
    source = *std::move(opened);
  } else {
    source = std::make_unique<StreamSource>(file.get(), deadline);
  }
  auto header = ReadHeader(source.get(), options.header.size, options.limits);
  if (!header.ok()) return header.status();
  Input input;
  input.name_ = BaseName(ShownPath(path));
  input.memory_ = std::move(header->prefix);
  input.size_ = header->size;
  input.header_only_ = true;
  return input;
}

absl::Status Input::Map(int fd, uint64_t size) {
  if (size == 0) return absl::OkStatus();
  void* map = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return SystemError("cannot map");
  map_ = static_cast<const uint8_t*>(map);
  size_ = size;
  guard_ = GuardMapping(map, size);
  if (guard_ >= 0) return absl::OkStatus();
  return absl::ResourceExhaustedError("too many files are open at a time");
}

absl::Status Input::Spool(int fd, uint64_t limit, Streams wanted,
                          const Deadline& deadline) {
  std::string& buffer = memory_;
  Descriptor spool(-1);
  uint64_t& size = size_;
  while (true) {
    const size_t had = buffer.size();
    buffer.resize(had + kBlock);
    const auto count = ReadSome(fd, deadline, &buffer[had], kBlock);
    buffer.resize(had + count.value_or(0));
    if (!count.ok()) return count.status();
    if (*count == 0) break;
    size += *count;
    if (size > limit) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the stream exceeds the limit of ", limit, " bytes"));
    }
    if (wanted == Streams::kModels && !spool.is_open() && buffer.size() >= 8 &&
        !BeginsLikeAModel(buffer)) {
      complete_ = false;
      return absl::OkStatus();
    }
    if (buffer.size() < kKeptInMemory && !spool.is_open()) continue;
    if (!spool.is_open()) spool = TemporaryFile();
    if (!spool.is_open() || !WriteAll(spool.get(), buffer)) {
      return SystemError("cannot keep the stream on disk");
    }
    buffer.clear();
  }
  return spool.is_open() ? Map(spool.get(), size) : absl::OkStatus();
}

Input::Input(Input&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      memory_(std::move(other.memory_)),
      map_(std::exchange(other.map_, nullptr)),
      size_(other.size_),
      guard_(std::exchange(other.guard_, -1)),
      complete_(other.complete_),
      header_only_(other.header_only_),
      opened_(other.opened_) {}

Input::~Input() {
  if (map_ == nullptr) return;
  UnguardMapping(guard_);
  munmap(const_cast<uint8_t*>(map_), size_);
}

Source Input::source() const {
  const Bytes bytes = map_ != nullptr ? Bytes(map_, size_) : AsBytes(memory_);
  Source source(bytes, size_, name_);
  source.header_only = header_only_;
  return source;
}

std::string Input::WhyChanged() const {
  if (MappingFaulted(guard_)) {
    return "the file shrank, or could not be read, while it was being checked";
  }
  if (!opened_) return "";
  const auto now = StatusOf(path_);
  return now && Same(*opened_, *now) ? ""
                                     : "the file changed while it was checked";
}

bool IsUrl(const std::string& path) {
  return IsHttpUrl(path) || IsHubPath(path);
}

bool IsRepository(const std::string& path) {
  const auto parsed = ParseHubPath(path);
  return IsHubPath(path) && parsed.ok() && parsed->file.empty();
}

absl::StatusOr<std::vector<std::string>> ListRepository(
    const std::string& path, const OpenOptions& options) {
  const auto hub = Hub::FromEnvironment();
  const auto repository = ParseHubPath(path);
  if (!hub.ok()) return hub.status();
  if (!repository.ok()) return repository.status();
  return hub->ListFiles(*repository, HttpOptionsOf(options));
}

bool IsReadByHeader(const std::string& path, const HeaderOptions& options) {
  std::error_code ignored;
  return IsUrl(path) ||
         (options.only &&
          (path == "-" || !std::filesystem::is_regular_file(path, ignored)));
}

std::string ShownPath(const std::string& path) {
  return IsHttpUrl(path) ? ShownUrl(path) : path;
}

std::string BaseName(const std::string& path) {
  return path == "-" ? "" : path.substr(path.rfind('/') + 1);
}

}  // namespace gguf
