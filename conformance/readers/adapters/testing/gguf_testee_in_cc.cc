// Checks that gguf_testee.h compiles as C++.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/adapters/gguf_testee.h"

int AdapterInCc() {
  return adapter_run("cc", "1", "-", [](const char*) { adapter_accept(); });
}
