// Reader: how a third party's program is run, whoever says so: readers.toml or
// the command line.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_READER_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_READER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf::readers {

// Where this stands in a command, the path of a file is to be put: the program
// knows nothing of the protocol, and reads one file.
constexpr char kPathMark[] = "{path}";

struct Reader {
  std::string name;
  std::vector<std::string> command;  // The first is a path or found in PATH.
  std::vector<std::string> setup;    // Empty: there is nothing to set up.
  std::string folder;                // Where both are run; empty: here.
  std::map<std::string, std::string> environment;  // Beside the usual.

  // What the greeting should announce; nothing: whatever it does.
  std::optional<std::string> capabilities;

  std::string sanitizer = "none";  // One of SanitizerKinds().

  // The most bytes that the testee's memory may take: resident, besides the
  // pages of mapped files; and of addresses, 0 for no such limit.
  uint64_t memory = uint64_t{2} << 30;
  uint64_t address_space = uint64_t{32} << 30;

  // What the exit codes of a command with {path} say.
  std::vector<int> accept_exit = {0};
  std::vector<int> reject_exit = {1};

  // Whether the command has {path}: then nothing but the verdict is seen.
  bool bare() const;
};

// "none", "asan", "ubsan", "asan+ubsan", "msan", "tsan".
const std::vector<std::string>& SanitizerKinds();

// The words of a command line, split at spaces outside of quotes: '...' and
// "..." keep them, a backslash outside '...' keeps the next character.  An
// unclosed quote, or no word, is an error.
absl::StatusOr<std::vector<std::string>> SplitCommand(absl::string_view line);

// The same words as a line for a POSIX shell.
std::string ShellLine(const std::vector<std::string>& command);

// "0" or "1,2,3": exit codes, each from 0 to 255.
absl::StatusOr<std::vector<int>> ParseExitCodes(absl::string_view text);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_READER_H_
