// Cycles in a template: of assignments, which make variables grow, and of macros.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_CYCLES_H_
#define GGUF_CONFORMANCE_JINJA_CYCLES_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

// Copies: how often a value contains the values of variables.

// A variable x of the template, or x.a: its name and that of the attribute.
using Variable = std::pair<absl::string_view, absl::string_view>;

// Counts the copies of the first variables in a value.
class Copies {
 public:
  using Entries = absl::InlinedVector<std::pair<Variable, double>, 1>;

  Copies() = default;
  explicit Copies(const Variable& one) : entries_({{one, 1}}) {}

  const Entries& all() const { return entries_; }
  double Of(const Variable& variable) const {
    for (const auto& [each, count] : entries_) {
      if (each == variable) return count;
    }
    return 0;
  }
  double Sum() const {
    double sum = 0;
    for (const auto& [each, count] : entries_) sum += count;
    return sum;
  }

  // Of a value that contains both.
  void Add(const Copies& more) {
    for (const auto& [variable, count] : more.entries_) {
      if (double* mine = Find(variable)) *mine += count;
    }
  }
  // Of a value that is one of both.
  void Choose(const Copies& other) {
    for (const auto& [variable, count] : other.entries_) {
      if (double* mine = Find(variable)) *mine = std::max(*mine, count);
    }
  }
  // Of a value that contains all `times`.
  void Multiply(double times) {
    for (auto& [variable, count] : entries_) count *= times;
  }

 private:
  static constexpr size_t kMost = 8;

  // Returns the count of the variable; null if there are too many.
  double* Find(const Variable& variable) {
    for (auto& [each, count] : entries_) {
      if (each == variable) return &count;
    }
    if (entries_.size() == kMost) return nullptr;
    entries_.emplace_back(variable, 0);
    return &entries_.back().second;
  }

  Entries entries_;
};

// Growth: finds variables that are repeatedly set to several copies of
// themselves, so that they grow exponentially.

// The maximum bytes of a text, elements of a list or digits of a number that a
// template may create from constants.
constexpr size_t kLargestValue = 1 << 20;

class Growth {
 public:
  // Notes that a tag sets the variable, `rounds` times, to a value with these
  // copies.  Returns the factor by which the variable grows if the value has
  // several copies of itself, including all that was noted before.
  double Set(const Variable& variable, const Copies& copies, double rounds, const Token& tag);

  // Returns the tags that repeatedly set a variable to several copies of
  // itself, through other variables.
  std::vector<Token> FindCycles() const;

  bool is_complete() const { return factors_.size() < kMost && steps_.size() < kMost; }

 private:
  // More variables and assignments than this are not followed.
  static constexpr size_t kMost = 1000;

  struct Step {
    Variable variable;
    Copies copies;
    Token tag;
  };

  absl::flat_hash_map<Variable, double> factors_;
  std::vector<Step> steps_;  // Those that are repeated.
};

// MacroGraph: the calls between the macros of a template.
class MacroGraph {
 public:
  // More calls than this are not followed.
  static constexpr size_t kMostCalls = 100000;

  // Adds a macro by the name in its definition.  Returns its number, from 1.
  size_t AddMacro(const Token& name);
  // The caller outside all macros: the template itself.
  static constexpr size_t kTemplate = 0;

  struct Call {
    size_t caller;
    absl::string_view callee;
    bool is_conditional;  // Made only under a condition.
    double rounds;        // The minimum number of times that it is made.
    Token where;
  };
  void AddCall(const Call& call);

  // Adds a loop in a macro, with the iterations of the loops around it
  // included.
  void AddLoop(size_t macro, double rounds);

  bool is_complete() const { return calls_.size() < kMostCalls; }

  // Returns the macros that call themselves, directly or indirectly, or lie
  // between two that do, in the order of the template.  Considers unconditional
  // calls, or all.  Takes linear time.
  std::vector<Token> FindCycles(bool with_conditional) const;

  // Returns the calls with which a caller exceeds `most` iterations, of loops
  // and of macros, while its callee does not.  Takes linear time.
  struct Busy {
    Token where;
    double rounds;  // Iterations of the caller up to the call.
  };
  std::vector<Busy> FindBusyCalls(double most) const;

 private:
  std::vector<Token> macros_ = {Token()};  // The first is kTemplate.
  std::vector<double> rounds_ = {1};       // By macro: iterations of its longest loop.
  std::vector<Call> calls_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_CYCLES_H_
