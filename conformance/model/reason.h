// Reason: why a rule was not checked, and the consequence.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_REASON_H_
#define GGUF_CONFORMANCE_MODEL_REASON_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace gguf {

// SharedText: a string that its copies share.

// Immutable; a copy allocates nothing.  One reason can keep hundreds of rules
// of a file from being checked.
class SharedText {
 public:
  SharedText() = default;
  // Refers to `constant`, which must live as long as the program: a literal, or
  // a text of a table.
  SharedText(const char* constant) : view_(constant) {}
  SharedText(std::string text)
      : owner_(std::make_shared<const std::string>(std::move(text))), view_(*owner_) {}

  absl::string_view view() const { return view_; }
  bool empty() const { return view_.empty(); }

 private:
  std::shared_ptr<const std::string> owner_;  // Null for a constant.
  absl::string_view view_;
};

// An empty reason means that the rule is checked.
struct Reason {
  enum Meaning : uint8_t {
    kUnjudged,      // The file may break the rule.
    kNotRequested,  // Not requested; does not affect the verdict.
    kNotAbout,      // The rule does not apply to files of this kind.
    kStopped,       // The parser stopped earlier, which is a finding.
    kIncomplete,    // The check of the file did not complete.
    kSilent,        // The file has nothing that the rule is about, or the
                    // report of another shard has it: reports do not list it.
  };

  Reason() = default;
  Reason(const char* constant, Meaning the_meaning = kUnjudged)
      : text(constant), meaning(the_meaning) {}
  Reason(absl::string_view the_text, Meaning the_meaning = kUnjudged)
      : text(std::string(the_text)), meaning(the_meaning) {}
  Reason(SharedText the_text, Meaning the_meaning = kUnjudged)
      : text(std::move(the_text)), meaning(the_meaning) {}
  Reason(std::string the_text, Meaning the_meaning = kUnjudged)
      : text(std::move(the_text)), meaning(the_meaning) {}

  static Reason NotRequested() { return {"not requested", kNotRequested}; }
  static Reason Silent() { return {"silent", kSilent}; }

  bool empty() const { return text.empty(); }

  SharedText text;
  Meaning meaning = kUnjudged;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_REASON_H_
