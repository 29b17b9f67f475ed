// The rules that the parser itself enforces: most because it cannot know where
// the next field begins, some because it would not read on at a limit.  Every
// other rule is a check over a finished File.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_STRUCTURE_RULES_H_
#define GGUF_PARSER_CORE_STRUCTURE_RULES_H_

#include <cstdint>

#include "parser/core/rule.h"

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

// The most bytes of a string and elements of an array that ggml's gguf.cpp
// takes.  Checks look for what is longer; but the parser's own limits may come
// first, and then it says so before it stops.
constexpr uint64_t kLongestThatReadersTake = uint64_t{1} << 30;
extern const Rule kStringLengthBounded;
extern const Rule kArrayLengthBounded;

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_STRUCTURE_RULES_H_
