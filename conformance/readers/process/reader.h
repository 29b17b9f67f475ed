// Reader: how to run a third-party program, from the command line or from
// readers.toml, which lists the known readers:
//
//   [readers.toy]
//   command = ["node", "adapters/toy.mjs"]  # relative to the file's folder
//   setup = ["sh", "install.sh"]            # run first, with the network
//   environment = { TOY_HOME = "${HOME}/toy" }
//   capabilities = "kv,tensors"             # checked against the greeting
//   sanitizer = "asan+ubsan"                # none, asan, ubsan, msan, tsan
//   memory_mib = 2048                       # resident, without mapped files
//   address_space_mib = 0                   # 0: no limit
//   accept_exit = "0"                       # for a command with {path}
//   reject_exit = "1,2"
//
// Only `command` is required.  ${NAME} is a variable of the runner's
// environment;
// ${NAME:-text} is `text` if it is not set.
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
#include "conformance/base/toml_file.h"

namespace gguf::readers {

// Placeholder for the path of a file, in the command of a program that does not
// implement the protocol and reads one file.
constexpr char kPathMark[] = "{path}";

struct Reader {
  std::string name;
  std::vector<std::string> command;                // The first is a path or found in PATH.
  std::vector<std::string> setup;                  // Empty: no setup.
  std::string folder;                              // Working directory of both; empty: current.
  bool listed = false;                             // In a readers.toml.
  std::map<std::string, std::string> environment;  // Added to the defaults.

  // The capabilities that the greeting must announce; nullopt: any.
  std::optional<std::string> capabilities;

  std::string sanitizer = "none";  // One of SanitizerKinds().

  // Limits in bytes: resident memory without mapped files, and address space,
  // where 0 means no limit.
  uint64_t memory = uint64_t{2} << 30;
  uint64_t address_space = uint64_t{32} << 30;

  // The exit codes of a command with {path} that mean accept and reject.
  std::vector<int> accept_exit = {0};
  std::vector<int> reject_exit = {1};

  // Whether the command has {path}: then only the verdict is observed.
  bool bare() const;
};

// "none", "asan", "ubsan", "asan+ubsan", "msan", "tsan".
const std::vector<std::string>& SanitizerKinds();

// Splits a command line at spaces outside of '...' and "...".  A backslash
// outside '...' quotes the next character.  An unclosed quote, or no word, is
// an error.
absl::StatusOr<std::vector<std::string>> SplitCommand(absl::string_view line);

// Joins words to a command line for a POSIX shell.
std::string ShellLine(const std::vector<std::string>& command);

// Returns a path for logs and reports, which do not name the folders of this
// machine: relative if it is in the working directory, unchanged below /usr and
// /bin, and otherwise "/path/to/NAME".
std::string PortablePath(const std::string& path);

// Returns the command with PortablePath() of each word.
std::vector<std::string> PortableCommand(const Reader& reader);

// Parses exit codes, each from 0 to 255: "0" or "1,2,3".
absl::StatusOr<std::vector<int>> ParseExitCodes(absl::string_view text);

// Returns the reader with this name.  InvalidArgument: the file has an error,
// such as an unknown key, a value of the wrong type or an unset variable, and
// the message names its line; or it has no such reader, and the message lists
// those that it has.  Other errors: the file cannot be read.
absl::StatusOr<Reader> ReadReader(const std::string& path, absl::string_view name);

// The same for a file that was parsed; it is in the folder of `path`.
absl::StatusOr<Reader> ReadReader(TomlFile file, const std::string& path, absl::string_view name);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_READER_H_
