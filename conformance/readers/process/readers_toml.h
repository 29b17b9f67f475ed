// readers.toml: what readers there are, and how each is run.
//
//   [readers.toy]
//   command = ["node", "adapters/toy.mjs"]  # relative to the file's folder
//   setup = ["sh", "install.sh"]            # run first, with the network
//   environment = { TOY_HOME = "${HOME}/toy" }
//   capabilities = "kv,tensors"             # checked against the greeting
//   sanitizer = "asan+ubsan"                # none, asan, ubsan, msan, tsan
//   memory_mib = 2048                       # resident, besides mapped files
//   address_space_mib = 0                   # 0: no limit
//   accept_exit = "0"                       # of a command with {path}
//   reject_exit = "1,2"
//
// Only `command` must be there.  ${NAME} is a variable of the runner's
// environment, ${NAME:-text} has a text for when there is none.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_READERS_TOML_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_READERS_TOML_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/process/reader.h"

namespace gguf::readers {

// The reader with this name.  InvalidArgument: the file says something wrong,
// and the message has its line: a key that there is not, a value of the wrong
// type, a variable that is not set; or it has no such reader, and the message
// lists those that it has.  Else it cannot be read.
absl::StatusOr<Reader> ReadReader(const std::string& path,
                                  absl::string_view name);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_READERS_TOML_H_
