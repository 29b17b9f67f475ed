// Assembles the cases one by one.
//
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/kit/corpus_files.h"

#include <vector>

#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"

namespace gguf {

absl::StatusOr<std::map<std::string, std::string>> CorpusFiles(
    const std::string& cases, size_t most) {
  const absl::StatusOr<std::vector<std::string>> ids = corpus::ListCases(cases);
  if (!ids.ok()) return ids.status();
  std::map<std::string, std::string> files;
  for (const std::string& id : *ids) {
    const absl::StatusOr<corpus::Case> a_case = corpus::LoadCase(cases, id);
    if (!a_case.ok()) return a_case.status();
    const absl::StatusOr<corpus::Image> image =
        corpus::Assemble(a_case->document);
    if (!image.ok()) return image.status();
    if (image->size() <= most) files.emplace(id, image->ToString());
  }
  return files;
}

}  // namespace gguf
