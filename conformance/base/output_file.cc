// Writes temporary files and renames them when they are complete.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <streambuf>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = 1 << 16;

// The number of links that Linux follows.
constexpr int kMostLinks = 40;

absl::Status Failed(const std::string& name, int error) {
  return absl::UnavailableError(
      absl::ErrnoToStatus(error, absl::StrCat("cannot write ", name)).message());
}

// Follows links, including one whose target does not exist.
std::string Followed(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;
  }
  return path.string();
}

}  // namespace

absl::Status InputFiles::Refuse(const std::string& path) const {
  struct stat target;
  if (stat(path.c_str(), &target) != 0 || !S_ISREG(target.st_mode)) {
    return absl::OkStatus();
  }
  for (const auto& [input, what] : files_) {
    struct stat status;
    if (stat(input.c_str(), &status) == 0 && status.st_dev == target.st_dev &&
        status.st_ino == target.st_ino) {
      return absl::InvalidArgumentError(
          absl::StrCat("it would overwrite ", Quote(input, input.size()), ", ", what));
    }
  }
  return absl::OkStatus();
}

// Writes to a descriptor, which it leaves open.
class OutputFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(int fd) : fd_(fd), bytes_(kBufferBytes, '\0') { Empty(); }

  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (traits_type::eq_int_type(c, traits_type::eof())) return 0;
    return sputc(traits_type::to_char_type(c));
  }

  int sync() override {
    for (const char* at = pbase(); at < pptr() && error_ == 0;) {
      const ssize_t count = write(fd_, at, pptr() - at);
      if (count >= 0) {
        at += count;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    Empty();
    return error_ == 0 ? 0 : -1;
  }

 private:
  void Empty() { setp(&bytes_[0], &bytes_[0] + bytes_.size()); }

  const int fd_;
  int error_ = 0;  // As in errno.
  std::string bytes_;
};

OutputFile::OutputFile(int fd, const std::string& name)
    : fd_(fd), name_(name), buffer_(std::make_unique<Buffer>(fd)), out_(buffer_.get()) {}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path,
                                                               const std::string& name,
                                                               const InputFiles& inputs) {
  const absl::Status refused = inputs.Refuse(path);
  if (!refused.ok()) {
    return absl::Status(refused.code(),
                        absl::StrCat("cannot write ", name, ": ", refused.message()));
  }
  struct stat there;
  const bool exists = stat(path.c_str(), &there) == 0;
  const bool in_place = exists && !S_ISREG(there.st_mode);
  const std::string target = in_place ? "" : Followed(path);
  const std::string temporary = in_place ? "" : absl::StrCat(target, ".", getpid(), ".tmp");
  // Never writes to an existing file; the umask applies.
  const int fd = in_place ? open(path.c_str(), O_WRONLY | O_CLOEXEC)
                          : open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return Failed(name, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(fd, name));
  file->target_ = target;
  file->temporary_ = temporary;
  // Best effort: some file systems do not support modes.
  if (exists && !in_place) (void)!fchmod(fd, there.st_mode & 0777);
  return file;
}

std::unique_ptr<OutputFile> OutputFile::StandardOutput() {
  return std::unique_ptr<OutputFile>(new OutputFile(STDOUT_FILENO, "to standard output"));
}

OutputFile::~OutputFile() {
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status OutputFile::Flush() {
  out_.flush();
  if (buffer_->error() != 0) return Failed(name_, buffer_->error());
  return absl::OkStatus();
}

absl::Status OutputFile::Close() {
  const absl::Status flushed = Flush();
  if (!flushed.ok() || fd_ == STDOUT_FILENO) return flushed;
  if (close(std::exchange(fd_, -1)) != 0) return Failed(name_, errno);
  return Rename();
}

absl::Status OutputFile::Publish() {
  const absl::Status flushed = Flush();
  return flushed.ok() ? Rename() : flushed;
}

absl::Status OutputFile::Rename() {
  if (temporary_.empty()) return absl::OkStatus();
  if (rename(temporary_.c_str(), target_.c_str()) != 0) {
    return Failed(name_, errno);
  }
  temporary_.clear();
  return absl::OkStatus();
}

bool OutputFile::reader_left() const { return fd_ == STDOUT_FILENO && buffer_->error() == EPIPE; }

absl::Status ReplaceFile(const std::string& path, absl::string_view text,
                         const InputFiles& inputs) {
  const auto file = OutputFile::Create(path, path, inputs);
  if (!file.ok()) return file.status();
  (*file)->out() << text;
  return (*file)->Close();
}

}  // namespace gguf
