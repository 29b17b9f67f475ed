// Faults: the first fault of each kind in a template.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_FAULTS_H_
#define GGUF_CONFORMANCE_JINJA_FAULTS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::jinja {

enum class FaultKind {
  kSyntax,          // text: the token; why: the error.
  kNesting,         // why: what is nested, or its length.
  kLoop,            // why: what iterates; number: of iterations.
  kSize,            // number: of bytes, elements or digits.
  kAttribute,       // text: its name.
  kAttributeName,   // text: an expression; why: what it does.
  kOtherTemplate,   // text: the statement.
  kEndlessMacro,    // text: its name.
  kRecursiveMacro,  // text: its name.
  kHeldMacro,       // text: the last token of what is called.
  kEndlessLoop,     // A loop() that may not end.
};

struct Fault {
  FaultKind kind;
  size_t count = 0;  // All faults of this kind; the rest is about the first.
  size_t begin = 0;  // Its bytes in the template.
  size_t end = 0;
  std::string text;
  const char* why = "";
  double number = 0;
};

class Faults {
 public:
  // Keeps the first fault of a kind, and counts the others.
  void Add(Fault fault) {
    for (Fault& first : faults_) {
      if (first.kind != fault.kind) continue;
      ++first.count;
      return;
    }
    fault.count = 1;
    faults_.push_back(std::move(fault));
  }

  // Returns null if there is none.
  const Fault* Find(FaultKind kind) const {
    for (const Fault& first : faults_) {
      if (first.kind == kind) return &first;
    }
    return nullptr;
  }

 private:
  std::vector<Fault> faults_;  // One per kind.
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_FAULTS_H_
