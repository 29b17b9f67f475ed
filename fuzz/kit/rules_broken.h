// RulesBroken: the container rules that a file breaks; measures the reach of a
// mutator.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_KIT_RULES_BROKEN_H_
#define GGUF_FUZZ_KIT_RULES_BROKEN_H_

#include <set>
#include <string>

#include "conformance/base/bytes.h"

namespace gguf {

// Returns the ids of the rules of Scope::kContainer that the file breaks,
// including those about weights.
std::set<std::string> RulesBroken(Bytes file);

// Returns the ids of the rules that a mutator of small files should break: all
// of Scope::kContainer except those that are Rule::unbreakable.
std::set<std::string> BreakableRules();

}  // namespace gguf

#endif  // GGUF_FUZZ_KIT_RULES_BROKEN_H_
