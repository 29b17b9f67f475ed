// Opens files and streams.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/input/bus_guard.h"
#include "conformance/input/file_reader.h"
#include "conformance/input/read_header.h"
#include "conformance/input/urls.h"
#include "parser/sniff.h"

namespace gguf {
namespace {

constexpr size_t kKeptInMemory = 16 << 20;
constexpr size_t kBlock = 1 << 20;

// Mapping and unmapping a file takes several times as long as reading one of
// this size.
constexpr int64_t kSmallFile = 64 << 10;

absl::Status SystemError(absl::string_view what) { return absl::ErrnoToStatus(errno, what); }

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

// Copies bytes of a regular file, as ReadAt.
absl::StatusOr<size_t> ReadBytes(int fd, uint64_t offset, void* to, size_t size) {
  ssize_t count;
  do {
    count = pread(fd, to, size, static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return SystemError("cannot read");
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

// Returns an unnamed file that vanishes with its descriptor; not open on error.
Descriptor TemporaryFile() {
  const char* folder = getenv("TMPDIR");
  std::string name = absl::StrCat(folder && *folder ? folder : "/tmp", "/ggufcheck.XXXXXX");
  const int fd = mkostemp(&name[0], O_CLOEXEC);
  if (fd >= 0) unlink(name.c_str());
  return Descriptor(fd);
}

// Returns the holes of a file, at most kMostHoles; nothing if the file system does not tell.
std::optional<std::vector<Range>> HolesOf(int fd, uint64_t size) {
  std::vector<Range> holes;
#ifdef SEEK_HOLE
  for (uint64_t at = 0; at < size && holes.size() < kMostHoles;) {
    const off_t hole = lseek(fd, static_cast<off_t>(at), SEEK_HOLE);
    if (hole < 0) return std::nullopt;
    if (static_cast<uint64_t>(hole) >= size) break;
    // No data after the hole is an error, ENXIO.
    const off_t data = lseek(fd, hole, SEEK_DATA);
    if (data < 0 && errno != ENXIO) return std::nullopt;
    const uint64_t end = data < 0 ? size : std::min<uint64_t>(data, size);
    if (end <= static_cast<uint64_t>(hole)) return std::nullopt;
    holes.push_back({static_cast<uint64_t>(hole), end});
    at = end;
  }
  return holes;
#else
  return std::nullopt;
#endif
}

bool BeginsLikeAModel(absl::string_view bytes) {
  const FileKind kind = Sniff(AsBytes(bytes));
  return kind.is_gguf || kind.legacy != nullptr;
}

Deadline DeadlineOf(const OpenOptions& options) {
  return Deadline(options.limits.seconds, options.interrupted);
}

// Returns the error of the last system call.
absl::Status CannotOpen(const std::string& path) {
  if (IsUrl(path)) {
    return absl::InvalidArgumentError("is a URL; only the files to be checked may be URLs");
  }
  if (errno == ENOENT && absl::StrContains(path, ":/")) {
    return absl::NotFoundError("is neither a file nor a URL of https://, http:// or hf://");
  }
  return SystemError("cannot open");
}

}  // namespace

absl::StatusOr<Input> Input::Open(const std::string& path, uint64_t stream_limit, Streams wanted,
                                  const Deadline& deadline) {
  const Descriptor file(OpenToRead(path));
  const int fd = file.get();
  if (!file.is_open()) return CannotOpen(path);
  struct stat status;
  if (fstat(fd, &status) != 0) return CannotOpen(path);
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError("is a directory");
  }
  Input input;
  input.path_ = path;
  input.name_ = BaseName(path);
  absl::Status opened;
  const bool at_begin = path != "-" || lseek(fd, 0, SEEK_CUR) == 0;
  if (S_ISREG(status.st_mode) && at_begin) {
    input.opened_ = status;
    AwaitNextStep(status.st_ctim);
    opened = status.st_size <= kSmallFile ? input.Copy(fd, status.st_size)
                                          : input.Map(fd, status.st_size);
    // Standard input keeps its place for the program that reads on.
    if (path != "-") input.holes_ = HolesOf(fd, status.st_size);
  } else {
    opened = input.Spool([&](char* to, size_t size) { return ReadSome(fd, deadline, to, size); },
                         stream_limit, wanted);
  }
  if (!opened.ok()) return opened;
  return input;
}

absl::StatusOr<Input> Input::Open(const std::string& path, const OpenOptions& options) {
  if (IsReadByHeader(path, options.header)) return OpenHeader(path, options);
  auto input = Open(path, options.limits.stream_bytes, Streams::kModels, DeadlineOf(options));
  if (input.ok()) input->header_only_ = options.header.only;
  return input;
}

absl::StatusOr<Input> Input::OpenHeader(const std::string& path, const OpenOptions& options) {
  const bool is_url = IsUrl(path);
  const Descriptor file(is_url ? -1 : OpenToRead(path));
  const Deadline deadline = DeadlineOf(options);
  if (!is_url && !file.is_open()) return CannotOpen(path);
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

absl::StatusOr<Input> Input::OpenReader(const ReadAt& read, uint64_t size, const std::string& name,
                                        const OpenOptions& options) {
  Input input;
  input.name_ = name;
  input.reader_ = std::make_unique<FileReader>(read, size, DeadlineOf(options));
  const absl::Status status = input.OpenTables(options);
  if (!status.ok()) return status;
  return input;
}

absl::StatusOr<Input> Input::OpenUnmapped(const std::string& path, const OpenOptions& options) {
  const auto file = std::make_shared<Descriptor>(OpenToRead(path));
  struct stat status;
  if (!file->is_open() || fstat(file->get(), &status) != 0) {
    return SystemError("cannot open");
  }
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError("is a directory");
  }
  Input input;
  input.path_ = path;
  input.name_ = BaseName(path);
  input.header_only_ = options.header.only;
  if (!S_ISREG(status.st_mode) || lseek(file->get(), 0, SEEK_CUR) != 0) {
    input.guarded_ = false;
    const Deadline deadline = DeadlineOf(options);
    const absl::Status spooled = input.Spool(
        [&](char* to, size_t size) { return ReadSome(file->get(), deadline, to, size); },
        options.limits.stream_bytes, Streams::kModels);
    if (!spooled.ok()) return spooled;
    return input;
  }
  input.opened_ = status;
  AwaitNextStep(status.st_ctim);
  const auto read = [file](uint64_t offset, void* to, size_t size) {
    return ReadBytes(file->get(), offset, to, size);
  };
  input.reader_ = std::make_unique<FileReader>(read, status.st_size, DeadlineOf(options));
  if (path != "-") input.holes_ = HolesOf(file->get(), status.st_size);
  const absl::Status opened = input.OpenTables(options);
  if (!opened.ok()) return opened;
  return input;
}

// Reads the header and the tables; a legacy file is copied.
absl::Status Input::OpenTables(const OpenOptions& options) {
  auto header = ReadHeader(reader_.get(), std::nullopt, options.limits);
  if (header.ok()) {
    memory_ = std::move(header->prefix);
    size_ = header->size;
    header_only_ = options.header.only;
    return absl::OkStatus();
  }
  const bool is_legacy = absl::IsUnimplemented(header.status());
  // A function may be unable to read the beginning again.
  if (!is_legacy || (options.header.only && path_.empty())) {
    return header.status();
  }
  header_only_ = options.header.only;
  guarded_ = false;
  const absl::Status spooled =
      Spool(reader_->Stream(), options.limits.stream_bytes, Streams::kModels);
  if (spooled.ok()) reader_.reset();
  return spooled;
}

absl::Status Input::Copy(int fd, uint64_t size) {
  const auto read = [fd](uint64_t offset, void* to, size_t count) {
    return ReadBytes(fd, offset, to, count);
  };
  size_ = size;
  return FileReader(read, size, Deadline(0)).ReadTo(size, &memory_);
}

absl::Status Input::Map(int fd, uint64_t size) {
  void* map = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return SystemError("cannot map");
  map_ = static_cast<const uint8_t*>(map);
  size_ = size;
  if (!guarded_) return absl::OkStatus();
  guard_ = GuardMapping(map, size);
  if (guard_ >= 0) return absl::OkStatus();
  return absl::ResourceExhaustedError("too many files are open at a time");
}

absl::Status Input::Spool(const ReadNext& read, uint64_t limit, Streams wanted) {
  std::string& buffer = memory_;
  Descriptor spool(-1);
  uint64_t& size = size_;
  while (true) {
    const size_t had = buffer.size();
    buffer.resize(had + kBlock);
    const auto count = read(&buffer[had], kBlock);
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
      guarded_(other.guarded_),
      guard_(std::exchange(other.guard_, -1)),
      reader_(std::move(other.reader_)),
      complete_(other.complete_),
      header_only_(other.header_only_),
      opened_(other.opened_),
      holes_(std::move(other.holes_)) {}

Input::~Input() {
  if (map_ == nullptr) return;
  UnguardMapping(guard_);
  munmap(const_cast<uint8_t*>(map_), size_);
}

Source Input::source() const {
  const Bytes bytes = map_ != nullptr ? Bytes(map_, size_) : AsBytes(memory_);
  Source source(bytes, size_, name_);
  source.header_only = header_only_;
  source.data = reader_.get();
  if (holes_ && !header_only_) source.holes = &*holes_;
  return source;
}

std::string Input::WhyChanged() const {
  if (MappingFaulted(guard_) || (reader_ != nullptr && reader_->failed())) {
    return "the file shrank, or could not be read, while it was being checked";
  }
  if (!opened_) return "";
  const auto now = StatusOf(path_);
  return now && Same(*opened_, *now) ? "" : "the file changed while it was checked";
}

bool IsReadByHeader(const std::string& path, const HeaderOptions& options) {
  std::error_code ignored;
  return IsUrl(path) ||
         (options.only && (path == "-" || !std::filesystem::is_regular_file(path, ignored)));
}

std::string BaseName(const std::string& path) {
  return path == "-" ? "" : path.substr(path.rfind('/') + 1);
}

}  // namespace gguf
