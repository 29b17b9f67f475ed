// Copies data into temporary files, proves it unchanged, and renames them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/fix/write.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/model/tensor_data.h"
#include "parser/parse.h"
#include "xxhash.h"

namespace gguf {
namespace {

constexpr char kTemporary[] = ".ggufcheck-fix-";
constexpr uint64_t kPage = 4096;
constexpr size_t kBufferBytes = 4 << 20;

absl::Status Failed(const std::string& path, int error) {
  return absl::UnavailableError(
      absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path)).message());
}

std::string FolderOfPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Removes the temporary files of runs that no longer exist: a living one holds a lock.
void RemoveLeftovers(const std::string& folder) {
  DIR* const dir = opendir(folder.c_str());
  if (dir == nullptr) return;
  while (const dirent* entry = readdir(dir)) {
    if (!absl::StartsWith(entry->d_name, kTemporary)) continue;
    const std::string path = absl::StrCat(folder, "/", entry->d_name);
    const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() >= 0 && flock(fd.get(), LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  }
  closedir(dir);
}

absl::Status WriteAll(int fd, const uint8_t* bytes, size_t size, const std::string& path) {
  while (size > 0) {
    const ssize_t count = write(fd, bytes, size);
    if (count < 0 && errno != EINTR) return Failed(path, errno);
    if (count <= 0) continue;
    bytes += count;
    size -= count;
  }
  return absl::OkStatus();
}

// Digests of the data of a file's tensors, fed piece by piece.  A piece counts by its bytes and its
// place in the tensor.
class TensorDigests {
 public:
  explicit TensorDigests(const Source& source) {
    Diagnostics unused(0);
    const File file = Parse(source, Limits(), &unused);
    for (const TensorInfo& tensor : file.tensors) {
      const bool has_data = tensor.bytes && *tensor.bytes > 0 && IsInFile(file, tensor);
      if (has_data) tensors_.push_back({DataRange(file, tensor), tensors_.size(), 0});
    }
    std::sort(tensors_.begin(), tensors_.end(),
              [](const Tensor& a, const Tensor& b) { return a.data.end < b.data.end; });
  }

  void Update(uint64_t offset, const uint8_t* bytes, size_t size) {
    auto tensor = std::upper_bound(tensors_.begin(), tensors_.end(), offset,
                                   [](uint64_t at, const Tensor& t) { return at < t.data.end; });
    for (; tensor != tensors_.end() && tensor->data.begin < offset + size; ++tensor) {
      const uint64_t from = std::max(offset, tensor->data.begin);
      const uint64_t to = std::min(offset + size, tensor->data.end);
      tensor->digest +=
          XXH3_64bits_withSeed(bytes + (from - offset), to - from, from - tensor->data.begin);
    }
  }

  // In the order of the tensors.
  std::vector<uint64_t> Finish() const {
    std::vector<uint64_t> digests(tensors_.size());
    for (const Tensor& tensor : tensors_) digests[tensor.index] = tensor.digest;
    return digests;
  }

 private:
  struct Tensor {
    Range data;
    size_t index;
    uint64_t digest;
  };
  std::vector<Tensor> tensors_;
};

// A temporary file, which goes away unless it is renamed.
class Temporary {
 public:
  static absl::StatusOr<std::unique_ptr<Temporary>> Create(const std::string& target) {
    std::string path = absl::StrCat(FolderOfPath(target), "/", kTemporary, "XXXXXX");
    const int fd = mkostemp(&path[0], O_CLOEXEC);
    if (fd < 0) return Failed(target, errno);
    std::unique_ptr<Temporary> made(new Temporary(fd, path, target));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) return Failed(target, errno);
    return made;
  }
  ~Temporary() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  const std::string& target() const { return target_; }

  // Takes mode and owner over, as far as that is permitted, and waits for the disk.
  absl::Status Sync(const struct stat& like) {
    (void)!fchown(fd(), like.st_uid, like.st_gid);
    if (fchmod(fd(), like.st_mode & 07777) != 0) (void)!fchmod(fd(), like.st_mode & 0777);
    return fsync(fd()) == 0 ? absl::OkStatus() : Failed(target_, errno);
  }
  absl::Status Rename() {
    if (rename(path_.c_str(), target_.c_str()) != 0) return Failed(target_, errno);
    path_.clear();
    const FileDescriptor folder(open(FolderOfPath(target_).c_str(), O_RDONLY | O_CLOEXEC));
    // Some file systems cannot synchronize folders.
    if (folder.get() >= 0) (void)!fsync(folder.get());
    return absl::OkStatus();
  }

 private:
  Temporary(int fd, std::string path, std::string target)
      : fd_(fd), path_(std::move(path)), target_(std::move(target)) {}

  const FileDescriptor fd_;
  std::string path_;
  const std::string target_;
};

// Copies all files, counting bytes.
class Copier {
 public:
  Copier(const WriteOptions& options, uint64_t total)
      : options_(options), total_(total), buffer_(kBufferBytes) {}

  absl::Status Copy(const FixedOutput& file, int from, int to) {
    const Spliced& result = *file.result;
    const Source written = result.source();
    TensorDigests before(result.original()), after(written);
    const std::string& tables = result.tables();
    absl::Status status = WriteAll(to, AsBytes(tables).data(), tables.size(), file.output);
    uint64_t at = tables.size();
    for (const Spliced::Piece& piece : result.pieces()) {
      for (uint64_t done = 0; status.ok() && done < piece.size;) {
        const size_t size = std::min<uint64_t>(kBufferBytes, piece.size - done);
        const bool zeros = piece.from == Spliced::Piece::kZeros;
        status = zeros ? (std::fill_n(buffer_.begin(), size, 0), absl::OkStatus())
                       : ReadAt(from, piece.from + done, size, file.input);
        if (!status.ok()) return status;
        if (!zeros) before.Update(piece.from + done, buffer_.data(), size);
        after.Update(at, buffer_.data(), size);
        status = WriteAll(to, buffer_.data(), size, file.output);
        done += size;
        at += size;
        done_ += size;
        if (options_.progress) options_.progress(done_, total_);
        if (options_.interrupted && options_.interrupted()) {
          return absl::CancelledError("interrupted");
        }
      }
    }
    if (!status.ok()) return status;
    return before.Finish() == after.Finish()
               ? absl::OkStatus()
               : absl::InternalError("the data of a tensor would change");
  }

 private:
  absl::Status ReadAt(int fd, uint64_t offset, size_t size, const std::string& path) {
    for (size_t done = 0; done < size;) {
      const ssize_t count = pread(fd, &buffer_[done], size - done, offset + done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
      if (count == 0) return absl::AbortedError(absl::StrCat(path, " has become shorter"));
      done += count;
    }
    return absl::OkStatus();
  }

  const WriteOptions& options_;
  const uint64_t total_;
  uint64_t done_ = 0;
  std::vector<uint8_t> buffer_;
};

// The bytes in which a result differs from its original, if they are in one page.
std::optional<Range> OnePage(const Spliced& result) {
  const absl::string_view old = AsText(result.original().prefix);
  const std::string& now = result.tables();
  if (!result.keeps_places() || old.size() < now.size()) return std::nullopt;
  const auto first = std::mismatch(now.begin(), now.end(), old.begin()).first - now.begin();
  size_t last = now.size();
  while (last > static_cast<size_t>(first) && now[last - 1] == old[last - 1]) --last;
  if (last == static_cast<size_t>(first)) return Range{};
  if (first / kPage != (last - 1) / kPage) return std::nullopt;
  return Range{static_cast<uint64_t>(first), last};
}

absl::Status PatchPage(const FixedOutput& file, Range bytes) {
  const FileDescriptor fd(open(file.input.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.get() < 0) return Failed(file.input, errno);
  const char* const now = file.result->tables().data() + bytes.begin;
  const ssize_t count = pwrite(fd.get(), now, bytes.size(), bytes.begin);
  if (count != static_cast<ssize_t>(bytes.size()))
    return Failed(file.input, count < 0 ? errno : EIO);
  return fsync(fd.get()) == 0 ? absl::OkStatus() : Failed(file.input, errno);
}

absl::Status Changed(const WriteOptions& options, size_t index) {
  const std::string why = options.why_changed ? options.why_changed(index) : "";
  return why.empty() ? absl::OkStatus() : absl::AbortedError(why);
}

bool IsHash(absl::string_view name) {
  absl::string_view hash = name;
  if (absl::StartsWith(hash, "sha256-") || absl::StartsWith(hash, "sha256:")) hash.remove_prefix(7);
  return (hash.size() == 64 || hash.size() == 40) &&
         std::all_of(hash.begin(), hash.end(), absl::ascii_isxdigit);
}

}  // namespace

absl::Status CheckMayReplace(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) return absl::ErrnoToStatus(errno, "cannot open");
  const auto refused = [](absl::string_view why) {
    return absl::FailedPreconditionError(
        absl::StrCat("is not changed in place: ", why, "; use --output"));
  };
  if (S_ISLNK(status.st_mode)) return refused("it is a link");
  if (!S_ISREG(status.st_mode)) return refused("it is no regular file");
  if (status.st_nlink > 1) return refused("the file has several names (hard links)");
  if (IsHash(absl::string_view(path).substr(path.rfind('/') + 1))) {
    return refused("a store names it by its hash");
  }
  return absl::OkStatus();
}

absl::Status WriteFixed(const std::vector<FixedOutput>& files, const WriteOptions& options) {
  uint64_t total = 0;
  for (const FixedOutput& file : files) {
    total += file.result->source().size;
    RemoveLeftovers(FolderOfPath(file.output));
  }
  if (files.size() == 1 && files[0].input == files[0].output) {
    if (const auto bytes = OnePage(*files[0].result)) {
      absl::Status unchanged = Changed(options, 0);
      return unchanged.ok() ? PatchPage(files[0], *bytes) : unchanged;
    }
  }
  std::vector<std::unique_ptr<Temporary>> written;
  Copier copier(options, total);
  for (size_t i = 0; i < files.size(); ++i) {
    const FileDescriptor from(open(files[i].input.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.get() < 0) return absl::ErrnoToStatus(errno, "cannot open " + files[i].input);
    struct stat like;
    if (fstat(from.get(), &like) != 0) return absl::ErrnoToStatus(errno, "cannot open");
    auto to = Temporary::Create(files[i].output);
    if (!to.ok()) return to.status();
    written.push_back(*std::move(to));
    absl::Status status = copier.Copy(files[i], from.get(), written.back()->fd());
    if (status.ok()) status = Changed(options, i);
    if (status.ok()) status = written.back()->Sync(like);
    if (status.ok() && options.check) status = options.check(written.back()->path(), i);
    if (!status.ok()) return status;
  }
  for (size_t i = 0; i < files.size(); ++i) {
    absl::Status status = Changed(options, i);
    if (status.ok()) status = written[i]->Rename();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gguf
