// Vocabulary: the words shared by all tables: architectures, their groups, and
// symbols.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_VOCABULARY_H_
#define GGUF_CONFORMANCE_TABLES_VOCABULARY_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/tables/expr_parser.h"
#include "conformance/tables/tsv.h"

namespace gguf {

class Vocabulary {
 public:
  Vocabulary(const Tsv& architectures, const Tsv& symbols);

  // Sorted; an architecture's number is its position.  The next number stands
  // for all other names.
  const std::vector<std::string>& architectures() const {
    return architectures_;
  }
  // The first build (build.h) that loads each, by number.
  const std::vector<int32_t>& first_builds() const { return first_builds_; }
  // The architectures of each group, by the group's name.
  const std::map<std::string, std::set<int>>& groups() const { return groups_; }
  const SymbolTypes& symbols() const { return symbols_; }

  // Returns the numbers for a cell such as "llama,qwen2", "@loader,-clip" or
  // "*".
  std::set<int> Architectures(const Cell& cell) const;

 private:
  std::vector<std::string> architectures_;
  std::vector<int32_t> first_builds_;
  std::map<std::string, std::set<int>> groups_;
  SymbolTypes symbols_;
};

// n_embd -> kNEmbd, llama-server -> kLlamaServer
std::string EnumName(const std::string& name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_VOCABULARY_H_
