// CaseFile: a case of the corpus, written to disk for a reader.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_CASE_FILE_H_
#define GGUF_CONFORMANCE_READERS_RUN_CASE_FILE_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "corpus/language/case.h"
#include "corpus/language/document.h"
#include "corpus/language/image.h"

namespace gguf::readers {

// Owns a folder.  The destructor removes it with its contents.
class TemporaryFolder {
 public:
  // Creates a folder in $TMPDIR or /tmp.
  static absl::StatusOr<TemporaryFolder> Make();

  // Takes over a folder, which need not exist yet.
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }  // Of Make(): absolute.

 private:
  std::string path_;  // Empty: moved from.
};

// The files of one case.
struct CaseFile {
  TemporaryFolder folder;  // Only for this case.
  std::string path;
  corpus::Image image;
};

// Writes a case in a folder of its own in `parent`, under its file name if it
// has one.  For a shard, also writes the others of its set, fetched with
// `load`.  Error: the case cannot be assembled, or its file cannot be written.
absl::StatusOr<CaseFile> WriteCase(const corpus::Case& a_case,
                                   const corpus::Loader& load,
                                   const std::string& parent);

// Assembles a document and writes it to a file.
absl::StatusOr<corpus::Image> WriteDocument(const corpus::Document& document,
                                            const std::string& path);

// Returns the file name under which readers get a case: "invalid-x.gguf".
std::string FileNameOf(const corpus::Case& a_case);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_FILE_H_
