// Makes the request of a check from a command line and a configuration.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_MAKE_REQUEST_H_
#define GGUF_CLI_MAKE_REQUEST_H_

#include <optional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "cli/check_flags.h"
#include "conformance/gate/check_request.h"

namespace gguf {

// A variable of the environment.
std::optional<std::string> Variable(const std::string& name);

// Reads the configuration, whose settings count where `command` has no flag,
// the manifest and the base.  InvalidArgument says what is wrong with the
// flags, the configuration or the manifest; other errors are those of the base.
absl::StatusOr<CheckRequest> MakeCheckRequest(const CLI::App& command,
                                              const CheckFlags& flags);

}  // namespace gguf

#endif  // GGUF_CLI_MAKE_REQUEST_H_
