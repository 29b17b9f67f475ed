// Disassemble: writes any file as text in the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_
#define GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "corpus/language/document.h"

namespace gguf::corpus {

// Returns an item without a position in a text.
template <class What>
Item Make(What what) {
  return {{}, std::move(what)};
}

inline Text Literal(absl::string_view bytes) { return {{std::string(bytes)}}; }

// Returns items for raw bytes, with long runs of zeros separate.
Items Raw(absl::string_view bytes);

// Combines items into the one item that a field requires.
Items Grouped(Items items);

// Disassemble: writes any file as text in the case language.

// The default of Disassemble().
inline constexpr uint64_t kMostNumbers = 10'000'000;

// Returns a document that assembles to exactly these bytes, whatever they are.
// Values that equal the computed ones are left out.
//
// At most `most_numbers` numbers become numbers; a key, a string, an array or a
// tensor counts as several.  Whatever exceeds this becomes bytes, of which long
// runs of zeros take no memory.  So memory is bounded by `most_numbers` and the
// bytes that are not zero, even for a sparse file.
Document Disassemble(absl::string_view bytes, uint64_t most_numbers = kMostNumbers);

// Returns a text that parses to this document.
std::string Print(const Document& document);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_DISASSEMBLE_H_
