// Finds cycles of assignments.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/growth.h"

#include <cmath>

#include "absl/container/flat_hash_set.h"

namespace gguf::jinja {

double Growth::Set(const Variable& variable, const Copies& copies,
                   double rounds, const Token& tag) {
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
  absl::flat_hash_map<Variable, std::vector<const Variable*>> users;
  for (const Step& step : steps_) {
    for (const auto& [source, count] : step.copies.all()) {
      users[source].push_back(&step.variable);
    }
  }
  std::vector<Token> cycles;
  for (const Step& step : steps_) {
    if (step.copies.Sum() < 2 || step.copies.Of(step.variable) >= 2) continue;
    // Everything that consists of copies of the variable.
    absl::flat_hash_set<Variable> reached = {step.variable};
    std::vector<Variable> next = {step.variable};
    while (!next.empty()) {
      const auto found = users.find(next.back());
      next.pop_back();
      if (found == users.end()) continue;
      for (const Variable* user : found->second) {
        if (reached.insert(*user).second) next.push_back(*user);
      }
    }
    double of_itself = 0;
    for (const auto& [source, count] : step.copies.all()) {
      if (reached.contains(source)) of_itself += count;
    }
    if (of_itself >= 2) cycles.push_back(step.tag);
  }
  return cycles;
}

}  // namespace gguf::jinja
