// Input: the bytes of a file or of a stream, for as long as it lives.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_INPUT_H_
#define GGUF_CLI_INPUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "parser/bytes.h"

namespace gguf {

// Which streams are read to their end: those that begin like a model, or any.
enum class Streams { kModels, kAny };

class Input {
 public:
  // Maps a regular file; reads a pipe or a device to its end.  "-" is standard
  // input.  A stream is kept in memory up to 16 MiB and in an unnamed temporary
  // file beyond; of one that is not wanted only the beginning is read.
  //
  // Errors: NotFound, PermissionDenied, and the like with the system's words;
  // ResourceExhausted for a stream of more than `stream_limit` bytes, a full
  // disk, or too many inputs at a time; InvalidArgument for a directory.
  static absl::StatusOr<Input> Open(const std::string& path,
                                    uint64_t stream_limit,
                                    Streams wanted = Streams::kModels);

  Input(Input&& other) noexcept;
  Input& operator=(Input&& other) = delete;
  ~Input();

  Bytes bytes() const;

  // False for a stream that is not wanted: bytes() is only its beginning.
  bool complete() const { return complete_; }

  // Whether the file changed under our hands so that some bytes could not be
  // read: it shrank, or the disk failed.  They read as zeros instead.
  bool damaged() const;

 private:
  Input() = default;
  static absl::StatusOr<Input> Map(int fd, uint64_t size);
  static absl::StatusOr<Input> Spool(int fd, uint64_t limit, Streams wanted);

  std::string memory_;  // A short stream.
  const uint8_t* map_ = nullptr;
  uint64_t map_size_ = 0;
  int guard_ = -1;  // Slot of the SIGBUS guard.
  bool complete_ = true;
};

// The last part of a path; empty for standard input.
std::string BaseName(const std::string& path);

}  // namespace gguf

#endif  // GGUF_CLI_INPUT_H_
