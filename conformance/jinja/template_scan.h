// ScanTemplate: finds errors and dangers in a chat template.
//
// Runs nothing.  It derives the sizes of values and the lengths of loops from
// constants, and from variables that `set` makes constant.  Where values come
// from, such as names of attributes, it derives for all runs (flow.h).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_TEMPLATE_SCAN_H_
#define GGUF_CONFORMANCE_JINJA_TEMPLATE_SCAN_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/faults.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

struct TemplateScan {
  Faults faults;
  // Texts of the form <|name|>, also with wide bars, outside comments; each
  // once, the first thousand.
  std::vector<Token> special_tokens;
  bool has_all_special_tokens = true;
  // Nested so deeply that the rest was not read.
  bool is_cut = false;
  // Has more variables, assignments or calls of macros than are followed.
  bool is_too_rich = false;
  bool is_skipped = false;  // Not read, because of a limit on all templates.
};

// The maximum bytes of templates that are read for one file, if a template that
// is read several times counts as often.
constexpr size_t kMostTemplateBytes = 64 << 20;

// Takes linear time, for at most 16 scans.  Memory grows only with the number
// of names, calls, special tokens, and lists and macros.  Subtracts what it
// reads from `bytes_left`.
TemplateScan ScanTemplate(absl::string_view text, size_t* bytes_left);

inline TemplateScan ScanTemplate(absl::string_view text) {
  size_t bytes_left = kMostTemplateBytes;
  return ScanTemplate(text, &bytes_left);
}

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_TEMPLATE_SCAN_H_
