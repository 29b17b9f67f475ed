// Finds cycles of assignments and of macros, and counts how often macros are called.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/cycles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "conformance/base/name_hash.h"

namespace gguf::jinja {
namespace {

// A directed graph of variables, and its strongly connected components
// (Kosaraju's algorithm), in linear time.
class Graph {
 public:
  void Connect(const Variable& from, const Variable& to) {
    const size_t a = IndexOf(from), b = IndexOf(to);
    next_[a].push_back(b);
    previous_[b].push_back(a);
  }

  void FindComponents() {
    std::vector<size_t> order;  // Each after all that it leads to.
    std::vector<bool> seen(next_.size());
    for (size_t i = 0; i < next_.size(); ++i) Visit(i, next_, &seen, &order);
    seen.assign(next_.size(), false);
    components_.resize(next_.size());
    for (size_t i = order.size(); i-- > 0;) {
      std::vector<size_t> members;
      Visit(order[i], previous_, &seen, &members);
      for (const size_t member : members) components_[member] = i;
    }
  }

  // Returns whether each leads to the other.
  bool AreConnected(const Variable& a, const Variable& b) const {
    return components_[indices_.at(a)] == components_[indices_.at(b)];
  }

 private:
  using Edges = std::vector<std::vector<size_t>>;

  size_t IndexOf(const Variable& variable) {
    const size_t index = indices_.emplace(variable, indices_.size()).first->second;
    next_.resize(indices_.size());
    previous_.resize(indices_.size());
    return index;
  }

  // Appends the new nodes that can be reached, in postorder.
  static void Visit(size_t root, const Edges& edges, std::vector<bool>* seen,
                    std::vector<size_t>* order) {
    if ((*seen)[root]) return;
    (*seen)[root] = true;
    // Nodes, and how many of their edges were followed.
    std::vector<std::pair<size_t, size_t>> path = {{root, 0}};
    while (!path.empty()) {
      const size_t node = path.back().first;
      if (path.back().second == edges[node].size()) {
        order->push_back(node);
        path.pop_back();
        continue;
      }
      const size_t next = edges[node][path.back().second++];
      if ((*seen)[next]) continue;
      (*seen)[next] = true;
      path.emplace_back(next, 0);
    }
  }

  absl::flat_hash_map<Variable, size_t> indices_;
  Edges next_, previous_;
  std::vector<size_t> components_;
};

}  // namespace

double Growth::Set(const Variable& variable, const Copies& copies, double rounds,
                   const Token& tag) {
  const bool is_repeated = std::pow(2, rounds) > kLargestValue;
  if (is_repeated && !copies.all().empty() && is_complete()) {
    steps_.push_back({variable, copies, tag});
  }
  const double of_itself = copies.Of(variable);
  if (of_itself < 2) {
    factors_.erase(variable);
    return 1;
  }
  if (!is_complete()) return 1;
  double& factor = factors_.emplace(variable, 1).first->second;
  return factor *= std::pow(of_itself, rounds);
}

std::vector<Token> Growth::FindCycles() const {
  // An edge leads from a variable to one that contains copies of it.
  Graph graph;
  for (const Step& step : steps_) {
    for (const auto& [source, count] : step.copies.all()) {
      graph.Connect(source, step.variable);
    }
  }
  graph.FindComponents();
  std::vector<Token> cycles;
  for (const Step& step : steps_) {
    if (step.copies.Sum() < 2 || step.copies.Of(step.variable) >= 2) continue;
    double of_itself = 0;
    for (const auto& [source, count] : step.copies.all()) {
      if (graph.AreConnected(source, step.variable)) of_itself += count;
    }
    if (of_itself >= 2) cycles.push_back(step.tag);
  }
  return cycles;
}

// Finds cycles of macros, and counts how often macros are called.

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
