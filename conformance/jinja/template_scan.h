// ScanTemplate: finds errors and dangers in a chat template.
//
// Scans the text in one pass and runs nothing.  It derives what a template does
// from its constants, and from variables that `set` makes constant.  It does
// not follow the attributes of a namespace (except that they are set to several
// copies of themselves), the parameters of macros, loop variables, and the
// names that `with` assigns.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_TEMPLATE_SCAN_H_
#define GGUF_CONFORMANCE_JINJA_TEMPLATE_SCAN_H_

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
  // Nested so deeply that the rest was not read.
  bool is_cut = false;
  // Set if constants do not determine an attribute's name: it is composed when
  // the template runs, or may change then and the template has pieces of
  // special names.
  bool has_unknown_attribute = false;
  // Has more variables or calls of macros than are followed.
  bool is_too_rich = false;
};

// Takes linear time.  Memory grows only with the number of macros.
TemplateScan ScanTemplate(absl::string_view text);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_TEMPLATE_SCAN_H_
