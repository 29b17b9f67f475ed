// FileReader: a file of a known size that is read by calls of a function; and its status, to detect
// that it changed.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_FILE_READER_H_
#define GGUF_CONFORMANCE_INPUT_FILE_READER_H_

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/input/read_header.h"

namespace gguf {

// Returns whether the two are of the same file in the same state.
bool Same(const struct stat& a, const struct stat& b);

// Waits until the current file-time tick ends, if the file was changed in it:
// file times advance in ticks of some milliseconds, and another change in the
// same tick would not be visible.
void AwaitNextStep(const timespec& changed);

// Returns the current status of a path, or of standard input.
std::optional<struct stat> StatusOf(const std::string& path);

// FileReader: a file of a known size that is read by calls of a function.

// Copies up to `size` bytes of a file, from `offset` on, to `to`; returns how
// many, which are fewer only at the end of the file.  May be called from
// several threads.
using ReadAt = std::function<absl::StatusOr<size_t>(uint64_t offset, void* to, size_t size)>;

// Reads the next bytes of a stream, at most `size`, as soon as there are some;
// 0 at its end.
using ReadNext = std::function<absl::StatusOr<size_t>(char* to, size_t size)>;

class FileReader : public DataReader, public ByteSource {
 public:
  // Reading from the front ends when the deadline passes.
  FileReader(ReadAt read, uint64_t size, Deadline deadline)
      : read_(std::move(read)), size_(size), deadline_(std::move(deadline)) {}

  void Read(uint64_t offset, uint8_t* to, size_t size) const override;
  // Returns whether a Read() failed.
  bool failed() const { return failed_; }

  // Errors: those of the function; DataLoss when the file ends before its size;
  // Cancelled when the deadline passes.
  absl::Status ReadTo(uint64_t count, std::string* bytes) override;
  std::optional<uint64_t> size() const override { return size_; }

  // Returns a function that reads the file from its beginning, with the same
  // errors.  It refers to this object.
  ReadNext Stream();

 private:
  // Reads some bytes, at least one.
  absl::StatusOr<size_t> ReadSome(uint64_t offset, void* to, size_t size) const;

  const ReadAt read_;
  const uint64_t size_;
  const Deadline deadline_;
  mutable std::atomic<bool> failed_{false};
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_FILE_READER_H_
