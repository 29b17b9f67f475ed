// The toy reader as a fuzz target.  TOY_BUG=N selects the bug.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"
#include "toy_reader.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc, (void)argv;
  const char* const bug = std::getenv("TOY_BUG");
  toy_bug = bug == nullptr ? 0 : std::atoi(bug);
  return 0;
}

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) { return toy_read(data, size); }
