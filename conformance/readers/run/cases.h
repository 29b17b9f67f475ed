// The cases of a run: selects them, and writes their files for readers.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_CASES_H_
#define GGUF_CONFORMANCE_READERS_RUN_CASES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/language/case.h"
#include "corpus/language/document.h"
#include "corpus/language/image.h"

namespace gguf::readers {

struct Selection {
  // Globs over section/name, in which * also matches a slash.  Empty: all.
  std::vector<std::string> selectors;
  // "must"; "should", which includes must; or "may": all.
  std::string level = "may";
  bool small = false;  // Leaves out files of more than 64 KiB.
};

// Returns the selected cases of the folder, sorted by id.  NotFound: a selector
// matches none of `ids`, or no case is left.  InvalidArgument: a malformed
// case.
absl::StatusOr<std::vector<corpus::Case>> SelectCases(const Selection& selection,
                                                      const std::string& cases,
                                                      const std::vector<std::string>& ids);

// Keeps the cases of a shard: every count-th one.
void KeepShard(const ShardInfo& shard, std::vector<corpus::Case>* cases);

// Parses a time with its unit, up to a day: "2s", "500ms", "1.5m".
absl::StatusOr<absl::Duration> ParseTimeout(absl::string_view text);

// Owns a folder.  The destructor removes it with its contents.
class TemporaryFolder {
 public:
  // Creates a folder in $TMPDIR or /tmp.
  static absl::StatusOr<TemporaryFolder> Make();

  // Takes over a folder, which need not exist yet.
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
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
absl::StatusOr<CaseFile> WriteCase(const corpus::Case& a_case, const corpus::Loader& load,
                                   const std::string& parent);

// Assembles a document and writes it to a file.
absl::StatusOr<corpus::Image> WriteDocument(const corpus::Document& document,
                                            const std::string& path);

// Returns the file name under which readers get a case: "invalid-x.gguf".
std::string FileNameOf(const corpus::Case& a_case);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASES_H_
