// CaseFile: a case of the corpus, written to disk for a reader.
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

// A new folder.  The destructor removes it with its contents.
class TemporaryFolder {
 public:
  // Creates the folder in $TMPDIR or /tmp.
  static absl::StatusOr<TemporaryFolder> Make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }  // Absolute.

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Owns the files of one case.  The destructor removes them.
class CaseFile {
 public:
  // Writes the case in `folder`, under its file name if it has one.  For a
  // shard, also writes the others of its set, fetched with `load`.  Error: the
  // case cannot be assembled, or its file cannot be written.
  static absl::StatusOr<CaseFile> Write(const corpus::Case& a_case,
                                        const corpus::Loader& load,
                                        const std::string& folder);
  CaseFile(CaseFile&& other) noexcept;
  CaseFile& operator=(CaseFile&&) = delete;
  ~CaseFile();

  const std::string& path() const { return path_; }
  const corpus::Image& image() const { return image_; }

 private:
  CaseFile() = default;

  std::string folder_;  // Only for this case; empty: moved from.
  std::string path_;
  corpus::Image image_;
};

// Returns the file name under which readers get a case: "invalid-x.gguf".
std::string FileNameOf(const corpus::Case& a_case);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_FILE_H_
