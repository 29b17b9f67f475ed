// What the commands about readers share: the corpus, the reader and its known failures.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_READER_FLAGS_H_
#define GGUF_CLI_READER_FLAGS_H_

#include <set>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/known_failures.h"
#include "conformance/readers/run/run_log.h"

namespace gguf {

// Finds the corpus's cases and the list of readers in a checkout.

// Returns `folder`; when it is empty, the relative path of the nearest
// corpus/cases in the current folder or its parents, or of the cases in the
// archive of the corpus, if that is the current folder.  NotFound explains what
// to do.
absl::StatusOr<std::string> FindCases(const std::string& folder);

// Returns the folder with the bases of a text: `folder` if not empty; else the
// folder "cases" that contains the text, if any; else as FindCases.
absl::StatusOr<std::string> FindCasesFor(const std::string& text_path, const std::string& folder);

// Returns `path`; when it is empty, the nearest
// conformance/readers/readers.toml in the current folder or its
// parents.  NotFound explains what to do.
absl::StatusOr<std::string> FindReadersFile(const std::string& path);

// KnownFailuresFile: reads a reader's known failures, compares them with a run,
// and rewrites them.
class KnownFailuresFile {
 public:
  // Reads the list.  It is empty for an empty path and, with `fix`, for a
  // missing file.  InvalidArgument: the path is required, or a line is invalid.
  static absl::StatusOr<KnownFailuresFile> Read(const std::string& path, bool fix);

  const readers::KnownFailures& list() const { return list_; }

  // Returns a message for each line that is outdated, and for the failures that
  // are not listed; none without a list.  `ids` are all ids of the corpus.
  std::vector<std::string> Differences(const std::vector<readers::CaseRecord>& records,
                                       const std::set<std::string>& ids) const;

  // Rewrites the list so that these records are expected.
  absl::Status Fix(const std::vector<readers::CaseRecord>& records,
                   const std::set<std::string>& ids) const;

 private:
  std::string path_;
  std::string text_;
  readers::KnownFailures list_;
};

// The flags that select a third-party reader and configure how it is run, and
// its start.
struct ReaderFlags {
  std::string name;
  std::string command;
  std::string readers_file;
  std::string sanitizer;
  std::vector<std::string> environment;  // NAME=value
  std::string accept_exit, reject_exit;
  std::string timeout = "10s";
};

// `flags` has the default of --timeout.
void AddReaderFlags(CLI::App* command, ReaderFlags* flags);

// Returns the reader of a command line.
absl::StatusOr<readers::Reader> ReaderOfCommand(const std::string& command);

// Returns the selected reader.  InvalidArgument: the flags are invalid;
// NotFound and others: readers.toml is missing or invalid.
absl::StatusOr<readers::Reader> ReaderOf(const ReaderFlags& flags);

absl::StatusOr<readers::WatchLimits> LimitsOf(const ReaderFlags& flags,
                                              const readers::Reader& reader);

// Runs the reader's setup, if it has one, with its output on standard error.
absl::Status SetUp(const readers::Reader& reader);

// Returns the reader's greeting; for a reader without the protocol, its name.
// Errors: there is no greeting, or its capabilities differ from those in
// readers.toml.  Warns on standard error when the reader cannot be isolated
// from the network.
absl::StatusOr<readers::Greeting> GreetingOf(const readers::Reader& reader);

}  // namespace gguf

#endif  // GGUF_CLI_READER_FLAGS_H_
