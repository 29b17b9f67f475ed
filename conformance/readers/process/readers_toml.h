// readers.toml: the known readers, and how each is run.
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
// environment; ${NAME:-text} is `text` if it is not set.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_READERS_TOML_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_READERS_TOML_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/config/toml_file.h"
#include "conformance/readers/process/reader.h"

namespace gguf::readers {

// Returns the reader with this name.  InvalidArgument: the file has an error,
// such as an unknown key, a value of the wrong type or an unset variable, and
// the message names its line; or it has no such reader, and the message lists
// those that it has.  Other errors: the file cannot be read.
absl::StatusOr<Reader> ReadReader(const std::string& path,
                                  absl::string_view name);

// The same for a file that was parsed; it is in the folder of `path`.
absl::StatusOr<Reader> ReadReader(TomlFile file, const std::string& path,
                                  absl::string_view name);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_READERS_TOML_H_
