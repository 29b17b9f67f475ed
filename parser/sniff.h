// Sniff: identifies the kind of a file by its first bytes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_SNIFF_H_
#define GGUF_PARSER_SNIFF_H_

#include <cstdint>
#include <optional>

#include "conformance/base/bytes.h"
#include "parser/legacy_format.h"

namespace gguf {

// What happened to a file that is no longer the one that was published.
enum class Damage : uint8_t {
  kNone,
  kNeverFilled,  // Its space was reserved, and holds zeros.
  kInTransport,  // A server's answer in its place, or bytes converted as text.
};

struct FileKind {
  // As named in reports: gguf, ggml, ggmf, ggjt, rwkv.cpp, or unknown; also
  // whisper-ggml, which has ggml's magic: ParseLegacy() distinguishes the two.
  const char* format = "unknown";
  std::optional<uint32_t> version;  // Legacy only; GGUF's is in File.

  // Set if the file has the magic of GGML, GGMF or GGJT.  If its version is
  // unknown, this format has a different version.
  const LegacyFormat* legacy = nullptr;

  // A description and advice for a file in neither GGUF nor a legacy format.
  // Text of ggufcheck.
  const char* what = "";
  const char* advice = "";

  bool is_gguf = false;     // Begins with GGUF, or with part of it at EOF.
  bool is_pointer = false;  // A Git LFS pointer: the model is elsewhere.
  // A program, an archive or a pickle: what runs, or hides, code.
  bool is_program = false;
  Damage damage = Damage::kNone;

  // Of legacy formats: rwkv.cpp writes numbers in the machine's byte order.
  Endian endian = Endian::kLittle;
};

// Reads at most the first kilobyte.
FileKind Sniff(Bytes file);

}  // namespace gguf

#endif  // GGUF_PARSER_SNIFF_H_
