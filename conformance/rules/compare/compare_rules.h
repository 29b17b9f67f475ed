// CompareRules: the rules that `ggufcheck compare` turns on.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPARE_COMPARE_RULES_H_
#define GGUF_CONFORMANCE_RULES_COMPARE_COMPARE_RULES_H_

#include <vector>

#include "parser/core/rule.h"

namespace gguf {

std::vector<const Rule*> CompareRules();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPARE_COMPARE_RULES_H_
