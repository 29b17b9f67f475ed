// Disassemble: the text of any file, in the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_
#define GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "corpus/language/document.h"

namespace gguf::corpus {

// A document that assembles to exactly these bytes, whatever they are.  What is
// as it would be computed is left out.
Document Disassemble(absl::string_view bytes);

// A text that reads as this document.
std::string Print(const Document& document);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_
