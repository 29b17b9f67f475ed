// The rules whose violation stops the parser, because it cannot know where the
// next field begins.  Every other rule is a check over a finished File.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_STRUCTURE_RULES_H_
#define GGUF_PARSER_STRUCTURE_RULES_H_

#include "parser/rule.h"

namespace gguf {

extern const Rule kHeaderMagic;
extern const Rule kHeaderVersionKnown;
extern const Rule kHeaderCountsFit;
extern const Rule kFileComplete;
extern const Rule kValueTypeKnown;
extern const Rule kArrayElementTypeKnown;
extern const Rule kArrayLengthFits;
extern const Rule kArrayNestingBounded;

// Stops the parser only when that many dimensions cannot follow.
extern const Rule kTensorDimensionCount;

}  // namespace gguf

#endif  // GGUF_PARSER_STRUCTURE_RULES_H_
