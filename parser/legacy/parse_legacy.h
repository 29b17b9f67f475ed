// ParseLegacy: the bytes of one of GGUF's ancestors -> File.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_LEGACY_PARSE_LEGACY_H_
#define GGUF_PARSER_LEGACY_PARSE_LEGACY_H_

#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"
#include "parser/core/diagnostic.h"
#include "parser/core/file.h"
#include "parser/core/limits.h"
#include "parser/core/sniff.h"
#include "parser/core/source.h"

namespace gguf {

// Reads GGML, GGMF version 1, GGJT versions 1 to 3, whisper.cpp's ggml and
// rwkv.cpp versions 100 and 101, as `kind`, that of the source, says.  All
// are little endian.  Like Parse (parser/parse.h), it reports only what keeps
// it from reading on, and touches no tensor data.
//
// These files have no table of tensors: each one's data stands behind its name,
// and the next tensor behind that.  So a tensor whose size is not known ends
// the reading.
//
// An unversioned GGML file does not say which model's hyper-parameters it has:
// each family is tried.  The first that reads the file to its end is taken; if
// none does, the one with the most plausible hyper-parameters, then the one
// that reads furthest.  Time is linear in the metadata, times the families.
//
// A GGJT file that cannot be read is tried without its padding, too: then
// `alignment` is 1.
File ParseLegacy(const FileKind& kind, const Source& source,
                 const Limits& limits, Diagnostics* found);

// Calls `each` with the text of every token and the bits of its score, 0 if
// there is none; of those that can still be read when the bytes have changed.
// The vocabulary was read: progress is kKeys or more.
void ForEachToken(
    const File& file,
    const std::function<void(absl::string_view text, uint32_t score)>& each);

}  // namespace gguf

#endif  // GGUF_PARSER_LEGACY_PARSE_LEGACY_H_
