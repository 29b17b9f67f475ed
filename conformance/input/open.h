// Input: an open file, stream or file on a web server.  Bytes in memory need no
// Input: they are a Source.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_OPEN_H_
#define GGUF_CONFORMANCE_INPUT_OPEN_H_

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/input/file_reader.h"
#include "conformance/input/http/client.h"

namespace gguf {

// Which streams are read to the end: those that begin like a model, or any.
enum class Streams { kModels, kAny };

// Options for reading only the header, keys and tensor table of a file.
struct HeaderOptions {
  bool only = false;             // For files and streams; for URLs, always on.
  std::optional<uint64_t> size;  // The full size, if a stream is a prefix.
  HttpAccess http;
};

struct OpenOptions {
  Limits limits;
  HeaderOptions header;
  // Returning true ends the reading of a stream or a URL, as does the limit of
  // seconds.  May be empty.
  std::function<bool()> interrupted;
};

class Input {
 public:
  // Maps a regular file, or copies it to memory if it is small; reads a pipe or
  // a device to its end.  "-" is standard input.  A stream is kept in memory up
  // to 16 MiB, beyond that in an unnamed temporary file; for a stream that
  // `streams` excludes only the beginning is read.
  //
  // Errors: NotFound, PermissionDenied and others with the system's message;
  // ResourceExhausted for a stream of more than `stream_limit` bytes, a full
  // disk, or too many inputs at a time; InvalidArgument for a directory;
  // DataLoss for a small file that shrinks while it is copied; Cancelled when
  // the deadline of reading a stream passes.
  static absl::StatusOr<Input> Open(const std::string& path, uint64_t stream_limit,
                                    Streams wanted = Streams::kModels,
                                    const Deadline& deadline = Deadline(0));

  // Opens a model, or only its header if IsReadByHeader().
  //
  // Errors: as above, and those of ReadHeader() (read_header.h) and HttpSource.
  static absl::StatusOr<Input> Open(const std::string& path, const OpenOptions& options);

  // Reads a file of `size` bytes by calls of `read`: first its header and
  // tables, to be kept in memory; later, what a check asks for.  Nothing is
  // mapped, so the file may shrink without a signal.  A file in a legacy
  // (pre-GGUF) format is first copied, as a stream is.
  //
  // Errors: those of `read`, of ReadHeader() and of a stream.
  static absl::StatusOr<Input> OpenReader(const ReadAt& read, uint64_t size,
                                          const std::string& name, const OpenOptions& options);

  // Opens a file on disk without mapping it.  Not for URLs.  Errors: as above,
  // and those of Open().
  static absl::StatusOr<Input> OpenUnmapped(const std::string& path, const OpenOptions& options);

  Input(Input&& other) noexcept;
  Input& operator=(Input&& other) = delete;
  ~Input();

  // Returns a Source that refers to the input.
  Source source() const;
  Bytes bytes() const { return source().prefix; }

  // Returns false if the source is only the beginning of an excluded stream.
  bool complete() const { return complete_; }

  // Returns how the file changed since it was opened, or why it could not be
  // read; empty if neither.  Call this after using the bytes: after a change
  // they may belong to no single state of the file, and bytes lost when the
  // file shrank read as zeros.
  std::string WhyChanged() const;

 private:
  Input() = default;
  static absl::StatusOr<Input> OpenHeader(const std::string& path, const OpenOptions& options);
  absl::Status Copy(int fd, uint64_t size);
  absl::Status Map(int fd, uint64_t size);
  absl::Status Spool(const ReadNext& read, uint64_t limit, Streams wanted);
  absl::Status OpenTables(const OpenOptions& options);

  std::string path_;
  std::string name_;    // The last part of the path.
  std::string memory_;  // A small file, a short stream, or a header.
  const uint8_t* map_ = nullptr;
  uint64_t size_ = 0;
  bool guarded_ = true;                 // Whether mappings need a guard.
  int guard_ = -1;                      // Slot of the SIGBUS guard.
  std::unique_ptr<FileReader> reader_;  // Null for a file in memory.
  bool complete_ = true;
  bool header_only_ = false;
  std::optional<struct stat> opened_;  // Status of a regular file at opening.
  std::optional<std::vector<Range>> holes_;
};

// Returns whether a path is a URL: http://, https:// or hf://.
bool IsUrl(const std::string& path);

// Returns whether a path is hf://ORG/REPO, without a file.
bool IsRepository(const std::string& path);

// Returns the paths of the GGUF files in such a repository, at least one.
// Errors are those of Hub::ListFiles() (http/hub.h).
absl::StatusOr<std::vector<std::string>> ListRepository(const std::string& path,
                                                        const OpenOptions& options);

// Returns whether only the header of a path is read.
bool IsReadByHeader(const std::string& path, const HeaderOptions& options);

// Returns a path as shown in reports: a URL without user, query and fragment.
std::string ShownPath(const std::string& path);

// Returns the last part of a path; empty for standard input.
std::string BaseName(const std::string& path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_OPEN_H_
