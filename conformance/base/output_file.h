// OutputFile: a file that is written completely or not at all, unless it is one
// that others may read while it grows.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_OUTPUT_FILE_H_
#define GGUF_CONFORMANCE_BASE_OUTPUT_FILE_H_

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf {

// The files that a run reads, which it must not replace.
class InputFiles {
 public:
  // `what` names the file in messages: "the configuration".
  void Add(const std::string& path, const std::string& what) { files_.push_back({path, what}); }

  // Returns InvalidArgument when `path` leads to one of these files, under any
  // name: device and inode are compared.  Pipes and devices are not refused.
  absl::Status Refuse(const std::string& path) const;

 private:
  std::vector<std::pair<std::string, std::string>> files_;
};

// An output file.  Until Close() or Publish(), the contents are in a temporary
// file next to the target, which the destructor removes.  A symbolic link is
// kept, and the file that it points to is replaced.  Pipes and devices are
// written in place.
//
// Errors: Unavailable, "cannot write NAME: " and the system's message.
class OutputFile {
 public:
  // Creates a file.  `name` is for messages.  InvalidArgument when the path is
  // one of `inputs`.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& path,
                                                            const std::string& name,
                                                            const InputFiles& inputs);
  static std::unique_ptr<OutputFile> StandardOutput();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // A buffered stream.  After an error it accepts and drops everything.
  std::ostream& out() { return out_; }
  // The descriptor, for unbuffered writes.
  int fd() const { return fd_; }
  // Whether it is a pipe or a device, from which nothing can be taken back.
  bool in_place() const { return target_.empty(); }

  // Writes the buffer.
  absl::Status Flush();
  // Writes the buffer and renames the file to its target now, where it grows
  // and stays, even without Close().
  absl::Status Publish();
  // Writes the rest and renames the file to its target.  Call nothing after
  // this, or after an error.
  absl::Status Close();

  // Returns whether an error means that the reader of standard output has gone,
  // as in `| head`.
  bool reader_left() const;

 private:
  class Buffer;
  OutputFile(int fd, const std::string& name);
  absl::Status Rename();

  int fd_;  // -1 once closed.
  const std::string name_;
  std::string target_;     // Empty when written in place.
  std::string temporary_;  // Empty when there is none, or no longer.
  const std::unique_ptr<Buffer> buffer_;
  std::ostream out_;
};

// Replaces the contents of a file, as OutputFile does, with the path as the
// name.
absl::Status ReplaceFile(const std::string& path, absl::string_view text, const InputFiles& inputs);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_OUTPUT_FILE_H_
