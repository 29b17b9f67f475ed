// CorpusFiles: the assembled cases of the corpus, for tests and seeds.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_KIT_CORPUS_FILES_H_
#define GGUF_FUZZ_KIT_CORPUS_FILES_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace gguf {

// Returns the cases below `cases` whose files have at most `most` bytes: id to
// bytes.
absl::StatusOr<std::map<std::string, std::string>> CorpusFiles(
    const std::string& cases, size_t most);

}  // namespace gguf

#endif  // GGUF_FUZZ_KIT_CORPUS_FILES_H_
