// EnvironmentOf: the environment variables of a reader.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_ENVIRONMENT_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "conformance/readers/process/reader.h"

namespace gguf::readers {

// Returns sorted "NAME=value" entries: the runner's own PATH, HOME and TMPDIR,
// a UTF-8 locale, the variables that the reader configures, and options that
// make sanitizers exit with kSanitizerExit at the first report.
std::vector<std::string> EnvironmentOf(const Reader& reader);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_ENVIRONMENT_H_
