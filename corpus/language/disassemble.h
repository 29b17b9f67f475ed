// Disassemble: writes any file as text in the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_
#define GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "corpus/language/document.h"

namespace gguf::corpus {

// Returns a document that assembles to exactly these bytes, whatever they are.
// Values that equal the computed ones are left out.
Document Disassemble(absl::string_view bytes);

// Returns a text that parses to this document.
std::string Print(const Document& document);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_
