// Faults: what is wrong with a template, the first of each kind.
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
  kSyntax,          // text: the token; why: what is wrong with it.
  kNesting,         // why: what is nested, or how long.
  kLoop,            // why: what has them; number: of rounds.
  kSize,            // number: of bytes, elements or digits.
  kAttribute,       // text: its name.
  kOtherTemplate,   // text: the statement.
  kEndlessMacro,    // text: its name.
  kRecursiveMacro,  // text: its name.
};

struct Fault {
  FaultKind kind;
  size_t count = 0;  // Of this kind, all in all; the rest is of the first.
  size_t begin = 0;  // Its bytes in the template.
  size_t end = 0;
  std::string text;
  const char* why = "";
  double number = 0;
};

class Faults {
 public:
  // Keeps the first of a kind, and counts the others.
  void Add(Fault fault) {
    for (Fault& first : faults_) {
      if (first.kind != fault.kind) continue;
      ++first.count;
      return;
    }
    fault.count = 1;
    faults_.push_back(std::move(fault));
  }

  // Null if there is none.
  const Fault* Find(FaultKind kind) const {
    for (const Fault& first : faults_) {
      if (first.kind == kind) return &first;
    }
    return nullptr;
  }

 private:
  std::vector<Fault> faults_;  // One of a kind.
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_FAULTS_H_
