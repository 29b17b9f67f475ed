// The formats of texts in the metadata: URL, DOI, UUID, language, size label,
// SPDX licence expression.
//
// All run in time linear in the text's length.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_METADATA_TEXT_FORMATS_H_
#define GGUF_CONFORMANCE_RULES_METADATA_TEXT_FORMATS_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace gguf {

// Matches a scheme, "://", a host and whatever follows, without blanks (RFC
// 3986).
bool IsUrl(absl::string_view text);

// Matches 10.REGISTRANT/SUFFIX, also after "doi:" or the address of a resolver.
bool IsDoi(absl::string_view text);

// Matches 8-4-4-4-12 hexadecimal digits, also after "urn:uuid:" (RFC 9562).
bool IsUuid(absl::string_view text);

// Matches a code of two letters, or of three if the language has none of two.
bool IsLanguage(absl::string_view text);

// Returns the two-letter code for a three-letter or upper-case code; empty when
// there is none.
absl::string_view TwoLetterLanguage(absl::string_view text);

// "8x7B": eight experts of seven billion parameters.
struct SizeLabel {
  uint64_t experts = 1;
  double parameters = 0;  // For one expert.
};

// Parses a label such as 8x7B, 3.8B or 30B-A3B; nothing for any other text.
// The scale is K, M, B, T or Q, in either case.
std::optional<SizeLabel> ParseSizeLabel(absl::string_view text);

struct SpdxFault {
  const char* why = nullptr;  // Null: the text is an expression.
  absl::string_view word;     // The word at fault; empty at the end.
};

// Returns what is wrong with a licence expression, such as "Apache-2.0 OR
// (GPL-2.0-only WITH ...)".  Identifiers and operators are compared without
// regard to case; LicenseRef-... and DocumentRef-...:LicenseRef-... are
// accepted as they are.  Takes linear time, whatever the parentheses.
//
// Source: the SPDX specification, annex "SPDX license expressions".
SpdxFault CheckSpdxExpression(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_METADATA_TEXT_FORMATS_H_
