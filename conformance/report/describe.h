// Describe: what a report says about a file in one line.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_DESCRIBE_H_
#define GGUF_CONFORMANCE_REPORT_DESCRIBE_H_

#include <string>

#include "conformance/engine/file_report.h"

namespace gguf {

// Returns the format, sizes and what was not read: "GGUF v3, little endian, 2
// tensors, 5 keys, 400 bytes, weights not read".  Empty for a file that could
// not be opened.
std::string Describe(const FileReport& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_DESCRIBE_H_
