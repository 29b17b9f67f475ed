// Items that stand for raw bytes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_RAW_ITEMS_H_
#define GGUF_CORPUS_LANGUAGE_RAW_ITEMS_H_

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

// Returns whether these items, made by Raw() or groups of them, are all zeros.
bool IsZeros(const Items& items);

// Combines items into the one item that a field requires.
Items Grouped(Items items);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_RAW_ITEMS_H_
