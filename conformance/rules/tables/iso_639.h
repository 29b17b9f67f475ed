// The codes of languages: rows of iso_639.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_ISO_639_H_
#define GGUF_CONFORMANCE_RULES_TABLES_ISO_639_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace gguf {

struct Language {
  char three[4];
  char two[3];  // Empty: it has none.
};

// In order.
extern const Language kLanguages[];
extern const size_t kLanguageCount;
extern const absl::string_view kTwoLetterLanguages[];
extern const size_t kTwoLetterLanguagesCount;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_ISO_639_H_
