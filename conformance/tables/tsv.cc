// Reads tab-separated tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/tsv.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gguf {

void Cell::Fail(absl::string_view why, size_t offset) const {
  std::fprintf(stderr, "%s:%zu:%zu: %s\n", path->c_str(), line, column + offset,
               std::string(why).c_str());
  std::exit(1);
}

Tsv ReadTsv(const std::string& path) {
  Tsv tsv;
  tsv.path = path;
  const auto shared_path = std::make_shared<const std::string>(path);
  std::ifstream in(path);
  std::string line;
  size_t number = 0;
  while (std::getline(in, line)) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::vector<Cell> cells;
    size_t column = 1;
    for (const absl::string_view text : absl::StrSplit(line, '\t')) {
      cells.push_back({std::string(text), shared_path, number, column});
      column += text.size() + 1;
    }
    if (tsv.header.empty()) {
      tsv.header = std::move(cells);
      continue;
    }
    if (cells.size() != tsv.header.size()) {
      cells.back().Fail(absl::StrCat("the row has ", cells.size(),
                                     " cells, the header ", tsv.header.size()));
    }
    tsv.rows.push_back(std::move(cells));
  }
  if (tsv.header.empty()) {
    std::fprintf(stderr, "%s: missing table\n", path.c_str());
    std::exit(1);
  }
  return tsv;
}

}  // namespace gguf
