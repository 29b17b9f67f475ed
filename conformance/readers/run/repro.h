// Repro: shows a case and the command that reproduces its result.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_REPRO_H_
#define GGUF_CONFORMANCE_READERS_RUN_REPRO_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/process/reader.h"

namespace gguf::readers {

// Returns the command that lets the reader read the case, its bytes (for a long
// file, those around the first finding), and its text.  NotFound: no such case.
absl::StatusOr<std::string> Repro(const Reader& reader,
                                  const std::string& cases,
                                  const std::string& id);

// Returns lines of 16 bytes: offset, hex, ASCII.
std::string HexDump(absl::string_view bytes, uint64_t offset);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_REPRO_H_
