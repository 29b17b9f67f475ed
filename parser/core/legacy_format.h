// LegacyFormat: the legacy (pre-GGUF) formats, identified by their first eight
// bytes.
//
// Sources: gguf.md, historical state of affairs; llama.cpp's readers until
// August 2023; rwkv.cpp's FILE_FORMAT.md.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_LEGACY_FORMAT_H_
#define GGUF_PARSER_CORE_LEGACY_FORMAT_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "parser/core/legacy_family.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// One version of a format.
struct LegacyFormat {
  const char* name;         // As FileKind::format.
  absl::string_view magic;  // Its bytes: a little-endian number, so reversed.
  uint32_t version;         // The u32 after the magic; 0 when there is none.
  TypeScheme scheme;        // Of the tensors' types, unless the header sets it.
  uint32_t alignment;       // Of tensor data, from the start of the file.
  absl::Span<const LegacyFamily> families;  // The likeliest first.
};

// Returns all formats; those with the same magic are adjacent.  A file with an
// unknown version is reported as the first format of its magic.
absl::Span<const LegacyFormat> LegacyFormats();

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LEGACY_FORMAT_H_
