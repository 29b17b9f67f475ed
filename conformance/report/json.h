// The JSON report (schema ggufcheck/report/1).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JSON_H_
#define GGUF_CONFORMANCE_REPORT_JSON_H_

#include <string>

#include "conformance/report/report.h"

namespace gguf {

// One document, ending with a line break.  schemas/report.schema.json describes
// it.  Numbers from a file are strings: they may not fit a JSON number.
std::string JsonReport(const Report& report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JSON_H_
