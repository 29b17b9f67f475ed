// SharedText: a string that its copies share.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_SHARED_TEXT_H_
#define GGUF_CONFORMANCE_MODEL_SHARED_TEXT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace gguf {

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

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_SHARED_TEXT_H_
