// write_seeds CASES FOLDER: writes the assembled cases of the corpus, as seeds.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>

#include "fuzz/kit/corpus_files.h"

int main(int argc, char** argv) {
  // A larger seed slows every fuzzer and adds nothing.
  constexpr size_t kLargestSeed = 4096;
  if (argc != 3) return 2;
  const auto files = gguf::CorpusFiles(argv[1], kLargestSeed);
  if (!files.ok()) {
    std::fprintf(stderr, "%s\n", files.status().ToString().c_str());
    return 1;
  }
  for (const auto& [id, bytes] : *files) {
    std::string name = id;
    std::replace(name.begin(), name.end(), '/', '-');
    std::ofstream file(std::string(argv[2]) + "/" + name, std::ios::binary);
    file << bytes;
    if (!file.flush()) return 1;
  }
  return 0;
}
