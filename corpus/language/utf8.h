// UTF-8, for the texts of the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_UTF8_H_
#define GGUF_CORPUS_LANGUAGE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf::corpus {

// Any code up to 0x10ffff, surrogates too: the language believes nothing.
void AppendUtf8(uint32_t code, std::string* out);

// The bytes of the character that these begin with, and its code; 0 when they
// are not what AppendUtf8 makes of one.
size_t DecodeUtf8(absl::string_view bytes, uint32_t* code);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_UTF8_H_
