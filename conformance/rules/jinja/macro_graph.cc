// Cycles of macros.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/jinja/macro_graph.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gguf::jinja {
namespace {

using Edges = std::vector<std::pair<size_t, size_t>>;  // Caller, callee.

// Takes away, again and again, what calls nothing that is left, or with
// `backwards` what nothing that is left calls.
void Strip(const Edges& edges, bool backwards, std::vector<bool>* is_left) {
  std::vector<size_t> degree(is_left->size());
  std::vector<std::vector<size_t>> neighbours(is_left->size());
  for (auto [from, to] : edges) {
    if (!(*is_left)[from] || !(*is_left)[to]) continue;
    if (backwards) std::swap(from, to);
    ++degree[from];
    neighbours[to].push_back(from);
  }
  std::vector<size_t> free;
  for (size_t i = 0; i < degree.size(); ++i) {
    if ((*is_left)[i] && degree[i] == 0) free.push_back(i);
  }
  while (!free.empty()) {
    const size_t i = free.back();
    free.pop_back();
    (*is_left)[i] = false;
    for (const size_t neighbour : neighbours[i]) {
      if (--degree[neighbour] == 0) free.push_back(neighbour);
    }
  }
}

}  // namespace

size_t MacroGraph::AddMacro(const Token& name) {
  macros_.push_back(name);
  return macros_.size() - 1;
}

void MacroGraph::AddCall(size_t caller, absl::string_view callee,
                         bool is_conditional) {
  if (is_complete()) calls_.push_back({caller, callee, is_conditional});
}

std::vector<Token> MacroGraph::FindCycles(bool with_conditional) const {
  absl::flat_hash_map<absl::string_view, size_t> numbers;
  for (size_t i = 0; i < macros_.size(); ++i) numbers[macros_[i].text] = i;
  Edges edges;
  for (const Call& call : calls_) {
    const auto callee = numbers.find(call.callee);
    if (callee == numbers.end()) continue;
    if (with_conditional || !call.is_conditional) {
      edges.emplace_back(call.caller, callee->second);
    }
  }
  std::vector<bool> is_left(macros_.size(), true);
  Strip(edges, false, &is_left);
  Strip(edges, true, &is_left);
  std::vector<Token> cycles;
  for (size_t i = 0; i < macros_.size(); ++i) {
    if (is_left[i]) cycles.push_back(macros_[i]);
  }
  return cycles;
}

}  // namespace gguf::jinja
