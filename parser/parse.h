// Parse: parses a GGUF file into a File.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_PARSE_H_
#define GGUF_PARSER_PARSE_H_

#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/diagnostic.h"
#include "parser/file.h"

namespace gguf {

// Reads the header, the metadata and the tensor table of GGUF version 1, 2 or 3
// of either endianness, or their equivalents in a legacy (pre-GGUF) file
// (parser/parse_legacy.h).  Reads no tensor data.
//
// Continues after any fault that does not hide where the next field begins.
// Does not check values; that is for the checks.  What stops it is one
// diagnostic of a rule in structure_rules.h, or a limit; `stop` of the result
// records which.
//
// A source that is not whole needs more bytes (Stop::kNeedsMore) until its
// prefix holds the tensor table.  The data of `source` outlives the result.
// Time is linear in the metadata; memory is about 200 bytes for each key and
// tensor.
File Parse(const Source& source, const Limits& limits, Diagnostics* found);

}  // namespace gguf

#endif  // GGUF_PARSER_PARSE_H_
