// OutputFile: a file that is written whole or not at all.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_OUTPUT_OUTPUT_FILE_H_
#define GGUF_CONFORMANCE_OUTPUT_OUTPUT_FILE_H_

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf {

// The files that a run reads, none of which it may replace.
class InputFiles {
 public:
  // `what` names the file in messages: "the configuration".
  void Add(const std::string& path, const char* what) {
    files_.push_back({path, what});
  }

  // Returns InvalidArgument when `path` leads to one of these files, whatever
  // it is called: device and inode are compared.  Pipes and devices are not
  // refused.
  absl::Status Refuse(const std::string& path) const;

 private:
  std::vector<std::pair<std::string, const char*>> files_;
};

// Until Close() the contents are in a temporary file beside the target, which
// the destructor removes.  A symbolic link stays and the file that it leads to
// is replaced.  Pipes and devices are written in place.
//
// Errors: Unavailable, "cannot write NAME: " and the system's words.
class OutputFile {
 public:
  // `name` is for messages.  InvalidArgument when the path is one of `inputs`.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(
      const std::string& path, const std::string& name,
      const InputFiles& inputs);
  static std::unique_ptr<OutputFile> StandardOutput();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Buffers.  After an error it accepts and drops everything.
  std::ostream& out() { return out_; }
  // For writing without the buffer.
  int fd() const { return fd_; }

  // Writes what is in the buffer.
  absl::Status Flush();
  // Writes the rest and gives the file its name.  Nothing may follow.
  absl::Status Close();

  // Whether an error is that nobody reads standard output any more: `| head`.
  bool reader_left() const;

 private:
  class Buffer;
  OutputFile(int fd, const std::string& name);

  int fd_;  // -1 once closed.
  const std::string name_;
  std::string target_;     // Empty when written in place.
  std::string temporary_;  // Empty when there is none, or no longer.
  const std::unique_ptr<Buffer> buffer_;
  std::ostream out_;
};

// Replaces the contents of a file.  As OutputFile, with the path as the name.
absl::Status ReplaceFile(const std::string& path, absl::string_view text,
                         const InputFiles& inputs);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_OUTPUT_OUTPUT_FILE_H_
