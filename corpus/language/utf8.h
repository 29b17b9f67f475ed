// UTF-8 for the texts of the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_UTF8_H_
#define GGUF_CORPUS_LANGUAGE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf::corpus {

// Appends any code up to 0x10ffff, including surrogates, because the language
// must express invalid text.
void AppendUtf8(uint32_t code, std::string* out);

// Returns the number of bytes of the first character, and its code; 0 if it is
// not in the form that AppendUtf8 writes.
size_t DecodeUtf8(absl::string_view bytes, uint32_t* code);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_UTF8_H_
