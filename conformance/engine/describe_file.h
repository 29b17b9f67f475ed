// DescribeFile: what a report says about a file besides its findings.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_DESCRIBE_FILE_H_
#define GGUF_CONFORMANCE_ENGINE_DESCRIBE_FILE_H_

#include "conformance/engine/file_report.h"
#include "conformance/model/model.h"

namespace gguf {

// Fills in the format, the size, the counts, the largest dimensions, and the
// build of llama.cpp that a file needs, as far as it was read.
void DescribeFile(const Model& model, FileReport* report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_DESCRIBE_FILE_H_
