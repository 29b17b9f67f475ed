// EnvironmentOf: the variables that a reader is run with.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_ENVIRONMENT_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "conformance/readers/process/reader.h"

namespace gguf::readers {

// "NAME=value", sorted: the runner's own PATH, HOME and TMPDIR, a UTF-8 locale,
// what the reader asks for, and the options that make sanitizers end the
// process with kSanitizerExit at the first report.
std::vector<std::string> EnvironmentOf(const Reader& reader);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_ENVIRONMENT_H_
