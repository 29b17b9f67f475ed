// The known vulnerabilities of readers that a finding is about.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_VULNERABILITIES_H_
#define GGUF_CONFORMANCE_REPORT_VULNERABILITIES_H_

#include <string>

#include "parser/core/diagnostic.h"

namespace gguf {

// Returns "CVE-2026-7482 (ollama)", the records separated by commas; empty if
// none is known.
std::string VulnerabilitiesOf(const Diagnostic& diagnostic);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_VULNERABILITIES_H_
