// ParseLegacy: parses the bytes of a legacy (pre-GGUF) file into a File.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_PARSE_LEGACY_H_
#define GGUF_PARSER_PARSE_LEGACY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/legacy_format.h"
#include "parser/sniff.h"

namespace gguf {

// Reads GGML, GGMF version 1, GGJT versions 1 to 3, whisper.cpp's ggml and
// rwkv.cpp versions 100 and 101, according to `kind`, the kind of the source.
// All are little endian, except for files of rwkv.cpp, which writes the
// machine's byte order (kind.endian).  Like Parse (parser/parse.h), it reports
// only errors that stop it, and reads no tensor data.
//
// These files have no tensor table: the data of each tensor follows its name,
// and the next tensor follows the data.  A tensor of unknown size therefore
// ends the reading.
//
// An unversioned GGML file does not name its family of models, so each is
// tried.  Of the families with which the whole file can be read, the one with
// the fewest implausible hyper-parameters is chosen; if there is none, of all
// families the one with the fewest, then the one that reads furthest.  Of
// equals, the likeliest is chosen, which kind.legacy lists first.  Time is
// linear in the metadata, times the number of families.
//
// A GGJT file that cannot be read is also tried without padding: then
// `alignment` is 1.
File ParseLegacy(const FileKind& kind, const Source& source, const Limits& limits,
                 Diagnostics* found);

// Calls `each` with the text of every token and the bits of its score, 0 if it
// has none.  If the bytes have changed, stops at the first token that cannot be
// read. Requires that the vocabulary was read: progress is kKeys or more.
void ForEachToken(const File& file,
                  const std::function<void(absl::string_view text, uint32_t score)>& each);

// Describes, for people, the identified format and why, which readers still
// load it, and what to do.  Contains no text from the file.  `file.legacy` must
// be set.
std::string AboutLegacy(const File& file);

}  // namespace gguf

#endif  // GGUF_PARSER_PARSE_LEGACY_H_
