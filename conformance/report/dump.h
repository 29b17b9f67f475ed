// The canonical dump: the complete metadata and tensor table.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_DUMP_H_
#define GGUF_CONFORMANCE_REPORT_DUMP_H_

#include <ostream>

#include "parser/file.h"

namespace gguf {

// Writes one JSON document, one entry per line, ending with a line break.
// Streams: memory does not grow with the file.
//
// Numbers from the file are never JSON numbers.  Integers are decimal
// strings; floats are `bits` in hex and the shortest `value` that reads back
// the same; bools are true and false, or the byte as a decimal string when it
// is neither 0 nor 1; strings are text when they are UTF-8 and `hex` otherwise.
// An array of floats has the arrays `bits` and `value`; a string in an array
// that is not UTF-8 is {"hex": ...}.  Dimensions are in file order, offsets
// relative to the data section.  The alignment is null when it is not known.
// "incomplete": true when the parser stopped.
//
// A legacy (pre-GGUF) format has no "kv".  Instead it has "family"; "hparams",
// named as in the programs that read it, as signed decimals or, for floats,
// `bits` and `value`; "tokens", and their "scores" if there are any.  Its
// offsets are from the start of the file, which has no data section.
void WriteDump(const File& file, std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_DUMP_H_
