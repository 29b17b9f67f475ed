// Limits: the resources to spend on one file; and Deadline, when the work on it ends.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_LIMITS_H_
#define GGUF_CONFORMANCE_BASE_LIMITS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"

namespace gguf {

struct OwnTypes;  // parser/tensor_type.h

// Set by the command line or a fuzz target.  Every real model fits the
// defaults.  A file that exceeds a limit was not checked completely: the result
// is incomplete, never a pass.
struct Limits {
  uint64_t metadata_bytes = uint64_t{1} << 30;  // Header, keys, tensor infos.
  uint64_t keys = 1 << 20;
  uint64_t tensors = 1 << 20;
  uint64_t tokens = 8 << 20;                    // Of the vocabulary.
  uint64_t array_elements = uint64_t{1} << 30;  // Per key, all depths.
  uint64_t array_depth = 64;                    // 2: an array in an array.
  uint64_t findings_per_rule = 100;             // More are only counted.
  uint64_t stream_bytes = uint64_t{64} << 30;   // Read from a pipe.
  double seconds = 0;                           // Per file; 0: no limit.

  // No limit, but needed wherever files are parsed: the tensor types that the
  // user describes.  May be null.
  std::shared_ptr<const OwnTypes> own_types;
};

// Deadline: when the work on one file ends, even if it is not done.
class Deadline {
 public:
  // Starts now; 0 seconds means no limit.  It has also passed when
  // `interrupted`, if given, returns true.
  explicit Deadline(double seconds, std::function<bool()> interrupted = nullptr)
      : seconds_(seconds), interrupted_(std::move(interrupted)), begin_(Clock::now()) {}

  bool passed() const { return IsInterrupted() || IsLate(); }

  // The same, before entry `index` of many: reads the clock for few of them.
  bool passed_before(uint64_t index) const {
    constexpr uint64_t kEntries = 4096;
    return index % kEntries == 0 && passed();
  }

  // Describes why it has passed, for people.
  std::string why() const {
    if (IsInterrupted()) return "interrupted";
    return absl::StrFormat("the limit of %g seconds", seconds_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool IsInterrupted() const { return interrupted_ && interrupted_(); }
  bool IsLate() const {
    return seconds_ > 0 && std::chrono::duration<double>(Clock::now() - begin_).count() > seconds_;
  }

  double seconds_;
  std::function<bool()> interrupted_;
  Clock::time_point begin_;
};

// Thrown by PollDeadline().  Validate() catches it: what was being computed is
// discarded, and the result is incomplete.
struct DeadlinePassed {};

// Sets the deadline of this thread for PollDeadline().
class DeadlineScope {
 public:
  explicit DeadlineScope(const Deadline* deadline) : outer_(current_) { current_ = deadline; }
  ~DeadlineScope() { current_ = outer_; }
  DeadlineScope(const DeadlineScope&) = delete;
  DeadlineScope& operator=(const DeadlineScope&) = delete;

 private:
  friend void PollDeadline();

  static inline thread_local const Deadline* current_ = nullptr;
  static inline thread_local uint32_t calls_ = 0;

  const Deadline* const outer_;
};

// For loops that may take seconds over the largest files within the limits: to
// be called for each entry, key, tensor or token.  Throws DeadlinePassed if the
// thread's deadline has passed; it looks at the clock in one call of 1024.
inline void PollDeadline() {
  if (++DeadlineScope::calls_ % 1024 != 0) return;
  const Deadline* deadline = DeadlineScope::current_;
  if (deadline != nullptr && deadline->passed()) throw DeadlinePassed();
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_LIMITS_H_
