// Analyze(): finds errors and dangers in a chat template.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_ANALYSIS_H_
#define GGUF_CONFORMANCE_JINJA_ANALYSIS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/tree.h"

namespace gguf::jinja {

// Faults: the first fault of each kind in a template.

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
  std::string why;
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

// What the tree of a template shows.
//
// Runs nothing.  Sizes of values and lengths of loops are derived from constants, and from
// variables that `set` makes constant.  Where values come from, such as names of attributes, is
// derived for all runs (flow.h).

struct Analysis {
  std::shared_ptr<const Tree> tree;  // Null if the template was skipped.
  Faults faults;
  // Texts of the form <|name|>, also with wide bars, and <start_of_turn> and <end_of_turn>, outside
  // comments; each once, the first thousand.
  std::vector<Token> special_tokens;
  bool has_all_special_tokens = true;
  // Nested so deeply that the rest was not read.
  bool is_cut = false;
  // Has more variables, assignments or calls of macros than are followed.
  bool is_too_rich = false;
  bool is_skipped = false;  // Not read, because of a limit on all templates.
};

// The maximum bytes of templates that are visited for one file, if a template that is visited
// several times counts as often.
constexpr size_t kMostTemplateBytes = 64 << 20;

// Takes linear time, for at most 16 visits.  Subtracts what it visits from `bytes_left`.  The text
// must outlive the result.
Analysis Analyze(absl::string_view text, size_t* bytes_left);

inline Analysis Analyze(absl::string_view text) {
  size_t bytes_left = kMostTemplateBytes;
  return Analyze(text, &bytes_left);
}

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_ANALYSIS_H_
