// The rules that the parser of legacy (pre-GGUF) formats enforces: after a
// violation, the start of the next field is unknown.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_LEGACY_RULES_H_
#define GGUF_PARSER_LEGACY_RULES_H_

#include "parser/rule.h"

namespace gguf {

extern const Rule kLegacyVersionKnown;
extern const Rule kLegacyCountsFit;
extern const Rule kLegacyRecordsWhole;
extern const Rule kLegacyTensorTypeKnown;
extern const Rule kLegacyTensorSizeKnown;

// Stops the parser above four dimensions only; a check covers the rest.
extern const Rule kLegacyDimensionCount;

}  // namespace gguf

#endif  // GGUF_PARSER_LEGACY_RULES_H_
