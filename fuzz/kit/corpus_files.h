// CorpusFiles: the assembled cases of the corpus, for tests and seeds.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_KIT_CORPUS_FILES_H_
#define GGUF_FUZZ_KIT_CORPUS_FILES_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"

namespace gguf {

// Returns the cases below `cases` whose files have at most `most` bytes: id to
// bytes.
inline absl::StatusOr<std::map<std::string, std::string>> CorpusFiles(const std::string& cases,
                                                                      size_t most) {
  const absl::StatusOr<std::vector<std::string>> ids = corpus::ListCases(cases);
  if (!ids.ok()) return ids.status();
  std::map<std::string, std::string> files;
  for (const std::string& id : *ids) {
    const absl::StatusOr<corpus::Case> a_case = corpus::LoadCase(cases, id);
    if (!a_case.ok()) return a_case.status();
    const absl::StatusOr<corpus::Image> image = corpus::Assemble(a_case->document);
    if (!image.ok()) return image.status();
    if (image->size() <= most) files.emplace(id, image->ToString());
  }
  return files;
}

}  // namespace gguf

#endif  // GGUF_FUZZ_KIT_CORPUS_FILES_H_
