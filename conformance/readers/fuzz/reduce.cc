// Reduces files by trial.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/reduce.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/string_view.h"
#include "fuzz/kit/gguf_mutator.h"

namespace gguf::readers {
namespace {

// The operators that can simplify a file, those that remove most first, and how
// often each is tried with another seed before it counts as exhausted.
struct Simplifier {
  absl::string_view name;
  uint32_t tries;
};
constexpr Simplifier kSimplifiers[] = {
    {"truncate", 6},     {"tensor-drop", 4},   {"key-drop", 8},      {"array-resize", 4},
    {"text-resize", 6},  {"array-flatten", 2}, {"counts-repair", 1}, {"layout-repair", 1},
    {"header-renew", 1}, {"rank-set", 4},      {"value-replace", 4},
};

// Returns the number of an operator, or the count of all.
size_t OperatorNamed(absl::string_view name) {
  size_t op = 0;
  while (op < gguf_operator_count() && name != gguf_operator_name(op)) ++op;
  return op;
}

class Reducer {
 public:
  Reducer(std::string file, size_t most_tries, absl::FunctionRef<size_t(const std::string&)> faults,
          absl::FunctionRef<bool(const std::string&)> same, absl::FunctionRef<bool()> stop)
      : file_(std::move(file)), tries_left_(most_tries), faults_(faults), same_(same), stop_(stop) {
    cost_ = CostOf(file_);
  }

  std::string Run() {
    size_t before;
    do {
      before = cost_;
      Simplify();
      RemoveBytes();
    } while (cost_ < before && !Done());
    return std::move(file_);
  }

 private:
  // A fault is worth a few bytes: a file with one fault shows what matters.
  size_t CostOf(const std::string& file) const { return file.size() + 16 * faults_(file); }

  bool Done() const { return tries_left_ == 0 || stop_(); }

  // Takes the candidate if it is better and does the same.
  bool Try(std::string candidate) {
    if (candidate.empty() || Done()) return false;
    const size_t cost = CostOf(candidate);
    if (cost >= cost_ || !tried_.insert(candidate).second) return false;
    --tries_left_;
    if (!same_(candidate)) return false;
    file_ = std::move(candidate);
    cost_ = cost;
    return true;
  }

  void Simplify() {
    for (const Simplifier& simplifier : kSimplifiers) {
      const size_t op = OperatorNamed(simplifier.name);
      uint32_t failed = 0;
      for (uint32_t seed = 0; failed < simplifier.tries && !Done(); ++seed) {
        std::string candidate = file_;
        const size_t size = gguf_apply_operator(op, reinterpret_cast<uint8_t*>(&candidate[0]),
                                                file_.size(), file_.size(), seed);
        candidate.resize(size);
        failed = Try(std::move(candidate)) ? 0 : failed + 1;
      }
    }
  }

  // Removes the end, then pieces from anywhere, large ones first.
  void RemoveBytes() {
    for (size_t size = file_.size() / 2; size > 0; size /= 2) {
      while (size < file_.size() && Try(file_.substr(0, file_.size() - size))) {
      }
    }
    constexpr size_t kLeast = 4;
    for (size_t size = file_.size() / 2; size >= kLeast; size /= 2) {
      for (size_t at = 0; at + size <= file_.size() && !Done();) {
        if (!Try(file_.substr(0, at) + file_.substr(at + size))) at += size;
      }
    }
  }

  std::string file_;
  size_t cost_ = 0;
  size_t tries_left_;
  absl::FunctionRef<size_t(const std::string&)> faults_;
  absl::FunctionRef<bool(const std::string&)> same_;
  absl::FunctionRef<bool()> stop_;
  std::set<std::string> tried_;
};

}  // namespace

std::string Reduce(std::string file, size_t most_tries,
                   absl::FunctionRef<size_t(const std::string&)> faults,
                   absl::FunctionRef<bool(const std::string&)> same,
                   absl::FunctionRef<bool()> stop) {
  return Reducer(std::move(file), most_tries, faults, same, stop).Run();
}

}  // namespace gguf::readers
