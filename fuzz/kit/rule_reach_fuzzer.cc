// Prints the number of executions until each rule of the container is first
// broken: a measure of mutators, for docs/fuzzing.md.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <set>
#include <string>

#include "conformance/base/bytes.h"
#include "fuzz/kit/rules_broken.h"

#ifndef RULE_REACH_PLAIN  // Defined for libFuzzer's own mutator.
#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"
extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
#else
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
#endif
  static auto& unbroken = *new std::set<std::string>(gguf::BreakableRules());
  static unsigned long executions = 0;
  ++executions;
  for (const std::string& rule : gguf::RulesBroken(gguf::Bytes(data, size))) {
    if (unbroken.erase(rule) == 0) continue;
    std::printf("%lu %s, %zu left\n", executions, rule.c_str(), unbroken.size());
    std::fflush(stdout);
  }
  return 0;
}
