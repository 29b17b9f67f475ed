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

// Returns an environment variable.
std::optional<std::string> Variable(const std::string& name);

// Reads the configuration, the manifest and the base.  Flags of `command`
// override the configuration.  InvalidArgument reports an error in the flags,
// the configuration or the manifest; other errors concern the base.
absl::StatusOr<CheckRequest> MakeCheckRequest(const CLI::App& command,
                                              const CheckFlags& flags);

}  // namespace gguf

#endif  // GGUF_CLI_MAKE_REQUEST_H_
