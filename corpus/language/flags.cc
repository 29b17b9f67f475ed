// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/flags.h"

#include "corpus/language/pairs.h"

namespace gguf::corpus {

absl::StatusOr<std::vector<Flag>> ReadFlags(const std::string& path) {
  const auto rows = ReadPairs(path, "flag", "meaning");
  if (!rows.ok()) return rows.status();
  std::vector<Flag> flags;
  for (const auto& [name, meaning] : *rows) flags.push_back({name, meaning});
  return flags;
}

}  // namespace gguf::corpus
