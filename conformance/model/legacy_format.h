// AboutLegacy: what there is to say about a file of a format before GGUF.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_LEGACY_FORMAT_H_
#define GGUF_CONFORMANCE_MODEL_LEGACY_FORMAT_H_

#include <string>

#include "parser/core/file.h"

namespace gguf {

// For people: what the file is taken for and why, who still loads it, what to
// do.  All words are ours.  The file has `legacy`.
std::string AboutLegacy(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_LEGACY_FORMAT_H_
