// RulesBroken: which rules about the container a file breaks; the measure of
// how far a mutator comes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_KIT_RULES_BROKEN_H_
#define GGUF_FUZZ_KIT_RULES_BROKEN_H_

#include <set>
#include <string>

#include "parser/core/bytes.h"

namespace gguf {

// The ids of the rules of Scope::kContainer that the file breaks, those about
// weights included.
std::set<std::string> RulesBroken(Bytes file);

// The ids of the rules that a mutator of small files can be expected to break:
// all of Scope::kContainer but a few.
std::set<std::string> BreakableRules();

// Why a rule of Scope::kContainer is not among them; null for those that are.
const char* WhyUnbreakable(const std::string& rule);

}  // namespace gguf

#endif  // GGUF_FUZZ_KIT_RULES_BROKEN_H_
