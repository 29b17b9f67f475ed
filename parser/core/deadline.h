// Deadline: the time that one file may take.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_DEADLINE_H_
#define GGUF_PARSER_CORE_DEADLINE_H_

#include <chrono>
#include <string>

#include "absl/strings/str_format.h"

namespace gguf {

class Deadline {
 public:
  // Counts from now on; 0 seconds is no limit.
  explicit Deadline(double seconds) : seconds_(seconds), begin_(Clock::now()) {}

  bool passed() const {
    if (seconds_ <= 0) return false;
    return std::chrono::duration<double>(Clock::now() - begin_).count() >
           seconds_;
  }

  // What passed, for a person.
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
