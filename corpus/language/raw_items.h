// Items that stand for bytes as they are.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_RAW_ITEMS_H_
#define GGUF_CORPUS_LANGUAGE_RAW_ITEMS_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "corpus/language/document.h"

namespace gguf::corpus {

// An item that no text said.
template <class What>
Item Make(What what) {
  return {{}, std::move(what)};
}

inline Text Literal(absl::string_view bytes) { return {{std::string(bytes)}}; }

// Bytes as they stand, long runs of zeros apart.
Items Raw(absl::string_view bytes);

// Whether these items, of Raw() or groups of them, make zeros only.
bool IsZeros(const Items& items);

// As the one item that a field takes.
Items Grouped(Items items);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_RAW_ITEMS_H_
