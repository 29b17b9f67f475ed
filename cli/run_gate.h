// RunGate: checks the files of a request and writes its reports.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_RUN_GATE_H_
#define GGUF_CLI_RUN_GATE_H_

#include "CLI/CLI.hpp"
#include "cli/report_output.h"
#include "conformance/gate/check_request.h"

namespace gguf {

// Shows progress and prints errors.  Returns the exit code.
int RunGate(const CheckRequest& request, const ReportFlags& flags,
            const CLI::App& command);

}  // namespace gguf

#endif  // GGUF_CLI_RUN_GATE_H_
