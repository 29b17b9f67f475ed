// Finds cycles of macros, and counts how often macros are called.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/macro_graph.h"

#include <algorithm>
#include <utility>

#include "parser/core/name_hash.h"

namespace gguf::jinja {

namespace {

// The indexes of caller, callee and call.
struct Edge {
  size_t from;
  size_t to;
  size_t call;
};

// Returns the calls of existing macros.
std::vector<Edge> EdgesOf(const std::vector<Token>& macros,
                          const std::vector<MacroGraph::Call>& calls) {
  NameMap<size_t> numbers;
  for (size_t i = 1; i < macros.size(); ++i) numbers[macros[i].text] = i;
  std::vector<Edge> edges;
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto callee = numbers.find(calls[i].callee);
    if (callee == numbers.end()) continue;
    edges.push_back({calls[i].caller, callee->second, i});
  }
  return edges;
}

// Repeatedly removes nodes that call no remaining node, or with `backwards`
// nodes that no remaining node calls.  Returns the order of removal.
std::vector<size_t> Strip(const std::vector<Edge>& edges, bool backwards,
                          std::vector<bool>* is_left) {
  std::vector<size_t> degree(is_left->size());
  std::vector<std::vector<size_t>> neighbours(is_left->size());
  for (auto [from, to, call] : edges) {
    if (!(*is_left)[from] || !(*is_left)[to]) continue;
    if (backwards) std::swap(from, to);
    ++degree[from];
    neighbours[to].push_back(from);
  }
  std::vector<size_t> free;
  for (size_t i = 0; i < degree.size(); ++i) {
    if ((*is_left)[i] && degree[i] == 0) free.push_back(i);
  }
  for (size_t next = 0; next < free.size(); ++next) {
    (*is_left)[free[next]] = false;
    for (const size_t neighbour : neighbours[free[next]]) {
      if (--degree[neighbour] == 0) free.push_back(neighbour);
    }
  }
  return free;
}

std::vector<bool> InCycles(const std::vector<Edge>& edges, size_t count) {
  std::vector<bool> is_left(count, true);
  Strip(edges, false, &is_left);
  Strip(edges, true, &is_left);
  return is_left;
}

}  // namespace

size_t MacroGraph::AddMacro(const Token& name) {
  macros_.push_back(name);
  rounds_.push_back(1);
  return macros_.size() - 1;
}

void MacroGraph::AddCall(const Call& call) {
  if (is_complete()) calls_.push_back(call);
}

void MacroGraph::AddLoop(size_t macro, double rounds) {
  rounds_[macro] = std::max(rounds_[macro], rounds);
}

std::vector<Token> MacroGraph::FindCycles(bool with_conditional) const {
  std::vector<Edge> edges = EdgesOf(macros_, calls_);
  if (!with_conditional) {
    edges.erase(std::remove_if(edges.begin(), edges.end(),
                               [&](const Edge& edge) { return calls_[edge.call].is_conditional; }),
                edges.end());
  }
  const std::vector<bool> in_cycles = InCycles(edges, macros_.size());
  std::vector<Token> cycles;
  for (size_t i = 0; i < macros_.size(); ++i) {
    if (in_cycles[i]) cycles.push_back(macros_[i]);
  }
  return cycles;
}

std::vector<MacroGraph::Busy> MacroGraph::FindBusyCalls(double most) const {
  std::vector<Edge> edges = EdgesOf(macros_, calls_);
  const std::vector<bool> in_cycles = InCycles(edges, macros_.size());
  // The depth of a recursion is unknown; without recursive calls there are no
  // cycles.
  std::vector<std::vector<Edge>> of_callee(macros_.size());
  const auto is_cyclic = [&](const Edge& edge) {
    return in_cycles[edge.from] && in_cycles[edge.to];
  };
  edges.erase(std::remove_if(edges.begin(), edges.end(), is_cyclic), edges.end());
  for (const Edge& edge : edges) of_callee[edge.to].push_back(edge);
  std::vector<double> rounds = rounds_;
  std::vector<Busy> busy;
  std::vector<bool> is_left(macros_.size(), true);
  for (const size_t callee : Strip(edges, false, &is_left)) {
    const double of_one = rounds[callee];
    for (const Edge& edge : of_callee[callee]) {
      double& of_caller = rounds[edge.from];
      const bool was_busy = of_caller > most || of_one > most;
      of_caller += calls_[edge.call].rounds * of_one;
      if (of_caller <= most || was_busy) continue;
      busy.push_back({calls_[edge.call].where, of_caller});
    }
  }
  return busy;
}

}  // namespace gguf::jinja
