// LegacyFormat: what there is to say about a format before GGUF.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_LEGACY_FORMAT_H_
#define GGUF_CONFORMANCE_RULES_LEGACY_FORMAT_H_

#include <string>

#include "parser/file.h"

namespace gguf {

// All strings are ours and live for ever.
struct LegacyFormat {
  const char* past;     // A clause: what llama.cpp makes of it.
  const char* readers;  // Programs of today that load it.
  const char* advice;   // A sentence: the way to GGUF.
};

// The file has `legacy`.
const LegacyFormat& LegacyFormatOf(const File& file);

// For people: what the file is taken for and why, who still loads it, what to
// do.  All words are ours.  The file has `legacy`.
std::string AboutLegacy(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_LEGACY_FORMAT_H_
