// The first build of llama.cpp that knows everything that a file uses.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NEEDED_BUILD_H_
#define GGUF_CONFORMANCE_RULES_NEEDED_BUILD_H_

#include <optional>

#include "conformance/model/model.h"
#include "conformance/rules/file_report.h"

namespace gguf {

// Returns the greatest first build over the file's version, architecture,
// tensor types, pre-tokenizer and projector types.  Nothing if one of them is
// in no table or llama.cpp does not load files of this kind.
std::optional<NeededBuild> FindNeededBuild(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NEEDED_BUILD_H_
