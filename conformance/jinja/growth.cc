// Finds cycles of assignments.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/growth.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

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

}  // namespace gguf::jinja
