// Reason: why a rule was not checked, and what follows from that.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_REASON_H_
#define GGUF_CONFORMANCE_RULES_REASON_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Views its text.  Empty when there is no reason: the rule is checked.
struct Reason {
  enum Meaning : uint8_t {
    kUnjudged,      // The file may break the rule.
    kNotRequested,  // Nobody asked; it changes no verdict.
    kNotAbout,      // The rule is not about files of this kind.
    kStopped,       // The parser stopped before it; that is a finding.
    kIncomplete,    // The check of the file did not come to its end.
    kInFirst,       // It was checked, in the first shard: reports do not list
                    // it.
  };

  constexpr Reason() = default;
  constexpr Reason(absl::string_view the_text, Meaning the_meaning = kUnjudged)
      : text(the_text), meaning(the_meaning) {}
  constexpr Reason(const char* the_text) : text(the_text) {}
  Reason(const std::string& the_text) : text(the_text) {}

  bool empty() const { return text.empty(); }

  absl::string_view text;
  Meaning meaning = kUnjudged;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_REASON_H_
