// SPDX licence expressions: "Apache-2.0 OR (GPL-2.0-only WITH ...)".
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_METADATA_SPDX_EXPRESSION_H_
#define GGUF_CONFORMANCE_RULES_METADATA_SPDX_EXPRESSION_H_

#include "absl/strings/string_view.h"

namespace gguf {

struct SpdxFault {
  const char* why = nullptr;  // Null: the text is an expression.
  absl::string_view word;     // The word at fault; empty at the end.
};

// Returns what is wrong with the expression.  Identifiers and operators are
// compared without regard to case; LicenseRef-... and
// DocumentRef-...:LicenseRef-... are accepted as they are.  Takes linear time,
// whatever the parentheses.
//
// Source: the SPDX specification, annex "SPDX license expressions".
SpdxFault CheckSpdxExpression(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_METADATA_SPDX_EXPRESSION_H_
