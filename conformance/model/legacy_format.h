// AboutLegacy: describes a file of a legacy (pre-GGUF) format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_LEGACY_FORMAT_H_
#define GGUF_CONFORMANCE_MODEL_LEGACY_FORMAT_H_

#include <string>

#include "parser/core/file.h"

namespace gguf {

// Describes, for people, the identified format and why, which readers still
// load it, and what to do.  Contains no text from the file.  `file.legacy` must
// be set.
std::string AboutLegacy(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_LEGACY_FORMAT_H_
