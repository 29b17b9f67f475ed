// Says in sentences what a reader did with a case, and what it should have
// done.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_REPORT_WORDS_H_
#define GGUF_CONFORMANCE_READERS_REPORT_WORDS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// Returns "It accepted the file.", "It read tensor[w].offset as 7.".  Texts of
// the log are not escaped again.
std::string WhatItDid(const CaseRecord& record);

// Returns "It should have rejected the file."; empty if it did what it should,
// or may do either.
std::string WhatItShould(const CaseRecord& record);

// Returns "1 reader", "2 readers".
std::string Counted(size_t count, absl::string_view noun);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_REPORT_WORDS_H_
