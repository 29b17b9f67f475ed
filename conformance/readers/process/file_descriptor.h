// FileDescriptor: an owned file descriptor.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_FILE_DESCRIPTOR_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_FILE_DESCRIPTOR_H_

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

#include <utility>

namespace gguf::readers {

// Closes its descriptor when it is destroyed.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  // -1 if closed.
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  // Calls read() until no signal interrupts it.
  ssize_t Read(void* to, size_t size) const {
    ssize_t got;
    do {
      got = read(fd_, to, size);
    } while (got < 0 && errno == EINTR);
    return got;
  }

  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_FILE_DESCRIPTOR_H_
