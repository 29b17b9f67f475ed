// FirstString: the first string of an array that violates a rule, and the
// number of all that do.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_FIRST_STRING_H_
#define GGUF_CONFORMANCE_RULES_FIRST_STRING_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "parser/file.h"

namespace gguf {

struct FirstString {
  uint64_t count = 0;
  // These describe the first, once count is above 0.
  absl::string_view text;
  Range where;
  uint64_t element = 0;

  // Adds a string as a ValueVisitor is shown it.
  void Add(absl::string_view new_text, Range new_where, uint64_t new_element) {
    if (count++ > 0) return;
    text = new_text;
    where = new_where;
    element = new_element;
  }

  // Returns the value, or its first such element.
  Subject SubjectOf(const KeyValue& kv) const {
    const Subject value = kv.subject().Of("value");
    return kv.element_type == nullptr ? value : value.At(element);
  }
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_FIRST_STRING_H_
