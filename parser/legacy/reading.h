// ReadAs: a file of GGUF's ancestors, read as one of a family that is given.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_LEGACY_READING_H_
#define GGUF_PARSER_LEGACY_READING_H_

#include <cstdint>

#include "parser/core/deadline.h"
#include "parser/core/diagnostic.h"
#include "parser/core/file.h"
#include "parser/core/legacy_family.h"
#include "parser/core/limits.h"
#include "parser/core/sniff.h"
#include "parser/core/source.h"

namespace gguf {

// How numbers and lengths are written.
inline constexpr Encoding kLegacyEncoding = {Endian::kLittle, 4};

// How a file is read: the same bytes mean other things in each.
struct Reading {
  const LegacyFamily* family;
  uint32_t alignment;  // Of the data, from the start of the file.
};

// What ParseLegacy() (parse_legacy.h) says, for one reading.  `kind` is that of
// `source`; all arguments outlive the call, what `source` refers to the result.
File ReadAs(const Reading& reading, const FileKind& kind, const Source& source,
            const Limits& limits, const Deadline& deadline, Diagnostics* found);

}  // namespace gguf

#endif  // GGUF_PARSER_LEGACY_READING_H_
