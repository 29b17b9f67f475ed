// Recognizes the names that programs give to unfinished downloads and to parts of files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_UNFINISHED_NAME_H_
#define GGUF_CONFORMANCE_RULES_NAMING_UNFINISHED_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Returns what a file of this name is, such as "an unfinished download", and what to do about it.
// Empty for any other name, also for that of a shard, which is complete.
std::string WhatIsUnfinished(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_UNFINISHED_NAME_H_
