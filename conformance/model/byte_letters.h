// The letters of byte-level BPE: each byte of a text is written as a letter of its own.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_BYTE_LETTERS_H_
#define GGUF_CONFORMANCE_MODEL_BYTE_LETTERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// How byte-level BPE and SentencePiece write a space.
inline constexpr char kByteLevelSpace[] = "\u0120";
inline constexpr char kSentencePieceSpace[] = "\u2581";

// Returns the letter of a byte, as UTF-8: printable bytes are the character of their number, the
// others, in order, those from U+0100 on.  Source: GPT-2's bytes_to_unicode.
std::string ByteLetter(int byte);

// Returns the byte that a letter stands for; -1 if it stands for none.
int ByteOfLetter(uint32_t code_point);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_BYTE_LETTERS_H_
