// MutateLegacy: changes files of legacy (pre-GGUF) formats at random, knowing
// their structure.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_LEGACY_MUTATOR_H_
#define GGUF_FUZZ_LEGACY_MUTATOR_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Returns a mutant of a file: one to three of its fields, tokens or tensors
// differ, and the rest still has the layout of the format.  The same file and
// seed give the same mutant.  Returns the file itself if it is not of a legacy
// format, or its header cannot be read.
std::string MutateLegacy(absl::string_view file, uint32_t seed);

}  // namespace gguf

#endif  // GGUF_FUZZ_LEGACY_MUTATOR_H_
