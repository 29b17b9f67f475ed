// The rules that the parser itself enforces: most because a violation hides
// where the next field begins, some because they are limits of the parser.
// Every other rule is a check over a finished File.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_STRUCTURE_RULES_H_
#define GGUF_PARSER_STRUCTURE_RULES_H_

#include <cstdint>

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

// Stops the parser only if the rest of the file cannot hold that many
// dimensions.
extern const Rule kTensorDimensionCount;

// The longest string and array that ggml's gguf.cpp accepts.  Checks look for
// longer ones; if a limit of the parser comes first, the parser reports the
// rule before it stops.
constexpr uint64_t kLongestReadable = uint64_t{1} << 30;
extern const Rule kStringLengthBounded;
extern const Rule kArrayLengthBounded;

}  // namespace gguf

#endif  // GGUF_PARSER_STRUCTURE_RULES_H_
