// Growth: tracks variables that are set to several copies of themselves.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_GROWTH_H_
#define GGUF_CONFORMANCE_JINJA_GROWTH_H_

#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/expression.h"

namespace gguf::jinja {

class Growth {
 public:
  // More variables than this are not followed.
  static constexpr size_t kMostTargets = 1000;

  // Notes that the target is set to `copies` copies of itself, `rounds` times.
  // Returns the factor by which it grows, including all that was noted before.
  double Set(const Target& target, double copies, double rounds) {
    const std::pair key(target.name, target.attribute);
    if (copies < 2) {
      factors_.erase(key);
      return 1;
    }
    if (!is_complete()) return 1;
    double& factor = factors_.emplace(key, 1).first->second;
    return factor *= std::pow(copies, rounds);
  }

  bool is_complete() const { return factors_.size() < kMostTargets; }

 private:
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>, double>
      factors_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_GROWTH_H_
