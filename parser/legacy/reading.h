// ReadAs: reads a legacy (pre-GGUF) file as one given family.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_LEGACY_READING_H_
#define GGUF_PARSER_LEGACY_READING_H_

#include <cstdint>

#include "parser/core/deadline.h"
#include "parser/core/diagnostic.h"
#include "parser/core/file.h"
#include "parser/core/legacy_format.h"
#include "parser/core/limits.h"
#include "parser/core/sniff.h"
#include "parser/core/source.h"

namespace gguf {

// The size of counts, lengths and dimensions.
inline constexpr uint32_t kLegacyLengthBytes = 4;

// One interpretation of a file: the same bytes mean different things in each.
struct Reading {
  const LegacyFamily* family;
  uint32_t alignment;  // Of tensor data, from the start of the file.
};

// Does what ParseLegacy() (parse_legacy.h) documents, for one reading.  `kind`
// is the kind of `source`.  All arguments outlive the call; the data of
// `source` outlives the result.
File ReadAs(const Reading& reading, const FileKind& kind, const Source& source,
            const Limits& limits, const Deadline& deadline, Diagnostics* found);

}  // namespace gguf

#endif  // GGUF_PARSER_LEGACY_READING_H_
