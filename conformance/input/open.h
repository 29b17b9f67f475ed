// Input: a file, a stream or a file on a web server, opened for as long as it
// lives.  Bytes that are in memory need none: they are a Source.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_OPEN_H_
#define GGUF_CONFORMANCE_INPUT_OPEN_H_

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "parser/core/bytes.h"
#include "parser/core/limits.h"
#include "parser/core/source.h"

namespace gguf {

// Which streams are read to their end: those that begin like a model, or any.
enum class Streams { kModels, kAny };

// Reading no more of a file than its header, keys and tensor table.
struct HeaderOptions {
  bool only = false;             // Of files and streams; URLs always.
  std::optional<uint64_t> size;  // Of the whole file, whose stream is read.
  bool private_redirects = false;
};

struct OpenOptions {
  Limits limits;
  HeaderOptions header;
  // Ends the reading of a stream or a URL when it is true.  May be empty.
  std::function<bool()> interrupted;
};

class Input {
 public:
  // Maps a regular file; reads a pipe or a device to its end.  "-" is standard
  // input.  A stream is kept in memory up to 16 MiB and in an unnamed temporary
  // file beyond; of one that is not wanted only the beginning is read.
  //
  // Errors: NotFound, PermissionDenied, and the like with the system's words;
  // ResourceExhausted for a stream of more than `stream_limit` bytes, a full
  // disk, or too many inputs at a time; InvalidArgument for a directory;
  // Cancelled for an interruption.
  static absl::StatusOr<Input> Open(
      const std::string& path, uint64_t stream_limit,
      Streams wanted = Streams::kModels,
      const std::function<bool()>& interrupted = nullptr);

  // The same of a model, or only its header where IsReadByHeader().
  //
  // Errors: those of ReadHeader() (read_header.h) and HttpSource, too.
  static absl::StatusOr<Input> Open(const std::string& path,
                                    const OpenOptions& options);

  Input(Input&& other) noexcept;
  Input& operator=(Input&& other) = delete;
  ~Input();

  // Refers to the input.
  Source source() const;
  Bytes bytes() const { return source().prefix; }

  // False for a stream that is not wanted: the source is only its beginning.
  bool complete() const { return complete_; }

  // Why the bytes may be those of no single state of the file; empty when it
  // did not change since it was opened.  To be asked when they were looked at:
  // bytes that could not be read, since the file shrank, were zeros.
  std::string WhyChanged() const;

 private:
  Input() = default;
  static absl::StatusOr<Input> OpenHeader(const std::string& path,
                                          const OpenOptions& options);
  absl::Status Map(int fd, uint64_t size);
  absl::Status Spool(int fd, uint64_t limit, Streams wanted,
                     const std::function<bool()>& interrupted);

  std::string path_;
  std::string name_;    // The last part of the path.
  std::string memory_;  // A short stream, or a header.
  const uint8_t* map_ = nullptr;
  uint64_t size_ = 0;
  int guard_ = -1;  // Slot of the SIGBUS guard.
  bool complete_ = true;
  bool header_only_ = false;
  std::optional<struct stat> opened_;  // What a regular file was like then.
};

// Whether of a path only the header is read, and not the file.
bool IsReadByHeader(const std::string& path, const HeaderOptions& options);

// A path as reports show it: a URL without user, query and fragment.
std::string ShownPath(const std::string& path);

// The last part of a path; empty for standard input.
std::string BaseName(const std::string& path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_OPEN_H_
