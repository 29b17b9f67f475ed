// Parse: a GGUF file -> File.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_PARSE_H_
#define GGUF_PARSER_PARSE_H_

#include "parser/core/diagnostic.h"
#include "parser/core/file.h"
#include "parser/core/limits.h"
#include "parser/core/source.h"

namespace gguf {

// Reads the header, the metadata and the tensor table of GGUF version 1, 2 or
// 3 of either endianness, or what GGUF's ancestors have in place of these
// (parser/legacy/parse_legacy.h).  Touches no tensor data.
//
// Goes on behind whatever does not hide where the next field begins, and asks
// nothing else: whether the values are right is for the checks.  What stops it
// is one diagnostic of a rule in structure_rules.h, or a limit; `stop` of the
// result says which.
//
// Of a source that is not whole, more is needed (Stop::kNeedsMore) until its
// prefix has the tensor table.  What `source` refers to outlives the result.
// Takes time linear in the metadata, and about 200 bytes of memory for each key
// and tensor.
File Parse(const Source& source, const Limits& limits, Diagnostics* found);

}  // namespace gguf

#endif  // GGUF_PARSER_PARSE_H_
