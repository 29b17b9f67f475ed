// Copies: how often a value contains the values of variables.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_COPIES_H_
#define GGUF_CONFORMANCE_JINJA_COPIES_H_

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

namespace gguf::jinja {

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

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_COPIES_H_
