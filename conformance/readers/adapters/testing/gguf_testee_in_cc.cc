// gguf_testee.h compiles as C++, too.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/adapters/gguf_testee.h"

int TesteeInCc() {
  return adapter_run("cc", "1", "-", [](const char*) { adapter_accept(); });
}
