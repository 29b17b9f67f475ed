// Sniff: what kind of file this is, by its first bytes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_SNIFF_H_
#define GGUF_PARSER_CORE_SNIFF_H_

#include <cstdint>
#include <optional>

#include "parser/core/bytes.h"
#include "parser/core/legacy_format.h"

namespace gguf {

struct FileKind {
  // As reports name it: gguf, ggml, ggmf, ggjt, rwkv.cpp, or unknown; also
  // whisper-ggml, which has ggml's magic: ParseLegacy() tells them apart.
  const char* format = "unknown";
  std::optional<uint32_t> version;  // Of the ancestors; GGUF's is in File.

  // Null unless it has the magic of GGML, GGMF or GGJT.  That of an unknown
  // version has another version.
  const LegacyFormat* ancestor = nullptr;

  // What it is and what to do about it, when it is neither GGUF nor an
  // ancestor.  Sentences of ours.
  const char* what = "";
  const char* advice = "";

  bool is_gguf = false;     // Begins with GGUF, or is cut off inside it.
  bool is_pointer = false;  // A Git LFS pointer: the model is elsewhere.
};

// Looks at the first kilobyte at most.
FileKind Sniff(Bytes file);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_SNIFF_H_
