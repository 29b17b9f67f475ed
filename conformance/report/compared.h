// Formats the comparison of a file with its origin for people.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_COMPARED_H_
#define GGUF_CONFORMANCE_REPORT_COMPARED_H_

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/compare/comparison.h"

namespace gguf {

// Returns "12 tensors: 11 pass, 1 error": the tensors by result, those that
// were not compared last.
std::string ComparedSummary(const std::vector<ComparedTensor>& tensors);

// Returns a line of headings and one for each of the `most` tensors whose
// errors are the largest, in relation to what they may be.  Lines have at most
// `width` bytes, if the columns that always stay leave room for a name: names
// are shortened, and columns left out.
std::vector<std::string> ComparedTable(
    const std::vector<ComparedTensor>& tensors, size_t most, size_t width);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_COMPARED_H_
