// Growth: finds variables that are repeatedly set to several copies of
// themselves, so that they grow exponentially.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_GROWTH_H_
#define GGUF_CONFORMANCE_JINJA_GROWTH_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "conformance/jinja/copies.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

// The maximum bytes of a text, elements of a list or digits of a number that a
// template may create from constants.
constexpr double kLargestValue = 1 << 20;

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

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_GROWTH_H_
