// Deadline: the time limit for one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_DEADLINE_H_
#define GGUF_PARSER_CORE_DEADLINE_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"

namespace gguf {

class Deadline {
 public:
  // Starts now; 0 seconds means no limit.
  explicit Deadline(double seconds) : seconds_(seconds), begin_(Clock::now()) {}

  bool passed() const {
    if (seconds_ <= 0) return false;
    return std::chrono::duration<double>(Clock::now() - begin_).count() >
           seconds_;
  }

  // The same, before entry `index` of many: reads the clock for few of them.
  bool passed_before(uint64_t index) const {
    constexpr uint64_t kEntries = 4096;
    return index % kEntries == 0 && passed();
  }

  // Describes the limit, for people.
  std::string limit() const {
    return absl::StrFormat("the limit of %g seconds", seconds_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_;
  Clock::time_point begin_;
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_DEADLINE_H_
