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

// Returns the first string of a value, or of an array, that `is_wrong` selects by its text.
template <class Predicate>
FirstString FindString(const File& file, const KeyValue& kv, Predicate is_wrong) {
  FirstString found;
  ForEachString(file, kv, [&](absl::string_view text, Range where, uint64_t element) {
    if (is_wrong(text)) found.Add(text, where, element);
  });
  return found;
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_FIRST_STRING_H_
