// LegacyFormat: the formats before GGUF, as their first eight bytes tell them
// apart.
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

// A format in one version.
struct LegacyFormat {
  const char* name;         // As FileKind::format.
  absl::string_view magic;  // Its bytes: a little-endian number, so reversed.
  uint32_t version;         // The u32 after the magic; 0 when there is none.
  TypeScheme scheme;        // Of the tensors' types, unless the header says it.
  uint32_t alignment;       // Of the tensors' data, from the start of the file.
  absl::Span<const LegacyFamily> families;  // The likeliest first.
};

// Those of a magic stand together.  One of an unknown version is called after
// the first of its magic.
absl::Span<const LegacyFormat> LegacyFormats();

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LEGACY_FORMAT_H_
