// CaseFile: a case of the corpus as a file on disk, for a reader to read.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_CASE_FILE_H_
#define GGUF_CONFORMANCE_READERS_RUN_CASE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"

namespace gguf::readers {

// A new folder that is removed, with all that is in it, at the end.
class TemporaryFolder {
 public:
  // Below $TMPDIR, or /tmp.
  static absl::StatusOr<TemporaryFolder> Make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }  // Absolute.

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

class CaseFile {
 public:
  // Writes the case below `folder`, under its name if it has one, and beside a
  // shard the others of its set.  `load` fetches those.  Errors: the case
  // cannot be assembled, or its file not be written.
  static absl::StatusOr<CaseFile> Write(const corpus::Case& a_case,
                                        const corpus::Loader& load,
                                        const std::string& folder);
  CaseFile(CaseFile&& other) noexcept;
  CaseFile& operator=(CaseFile&&) = delete;
  ~CaseFile();  // Removes what it wrote.

  const std::string& path() const { return path_; }
  const corpus::Image& image() const { return image_; }

 private:
  CaseFile() = default;

  std::string folder_;  // That of this case alone; empty: moved from.
  std::string path_;
  corpus::Image image_;
};

// The name under which a case is given to readers: "invalid-x.gguf".
std::string FileNameOf(const corpus::Case& a_case);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_FILE_H_
