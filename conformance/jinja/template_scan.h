// ScanTemplate: what is wrong or dangerous in a chat template.
//
// One pass over the text.  Nothing is run: what a template does is judged from
// its constants, and from variables that `set` makes constant.  Not followed
// are the attributes of a namespace (but that they are set to several copies of
// themselves is seen), the parameters of macros, loop variables, and the names
// that `with` gives.
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
  // Texts of the shape <|name|>, also with wide bars, outside of comments; each
  // once, the first thousand.
  std::vector<Token> special_tokens;
  // Nested so deep that the rest was not read.
  bool is_cut = false;
  // What constants do not tell: an attribute's name that is put together when
  // the template runs, or may be another then, where the template has pieces of
  // special names.
  bool has_unknown_attribute = false;
  // More variables or calls of macros than are followed.
  bool is_too_rich = false;
};

// Takes linear time; memory grows with the macros, and otherwise not.
TemplateScan ScanTemplate(absl::string_view text);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_TEMPLATE_SCAN_H_
