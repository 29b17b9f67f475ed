// The names of general.architecture that llama.cpp knows.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_ARCHITECTURES_H_
#define GGUF_CONFORMANCE_RULES_TABLES_ARCHITECTURES_H_

#include "absl/strings/string_view.h"

namespace gguf {

bool IsKnownArchitecture(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_ARCHITECTURES_H_
