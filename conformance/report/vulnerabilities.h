// The known vulnerabilities of readers that findings are about.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_VULNERABILITIES_H_
#define GGUF_CONFORMANCE_REPORT_VULNERABILITIES_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/engine/file_report.h"
#include "parser/core/diagnostic.h"

namespace gguf {

// Returns "CVE-2026-7482 (ollama)", the records separated by commas; empty if
// none is known.
std::string VulnerabilitiesOf(const Diagnostic& diagnostic);

// Returns "Readers that lacked this check: CVE-2026-7482 (ollama)." with the
// records of all findings, or empty.
std::string VulnerableReaders(const std::vector<const Diagnostic*>& findings);

// Returns VulnerableReaders() of each rule's findings, without the rules for
// which it is empty.
std::map<const Rule*, std::string> VulnerableReadersByRule(
    const FileReport& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_VULNERABILITIES_H_
