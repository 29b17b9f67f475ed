// Pairs: the rows of flags.tsv and retired.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_PAIRS_H_
#define GGUF_CORPUS_LANGUAGE_PAIRS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf::corpus {

// Returns the rows after the heading.  Errors name the file, and a line that is
// not of the form "key<TAB>value" or repeats a key; `key` and `value` describe
// the columns.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadPairs(
    const std::string& path, absl::string_view key, absl::string_view value);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_PAIRS_H_
