// The first build of llama.cpp that knows everything that a file uses.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_NEEDED_BUILD_H_
#define GGUF_CONFORMANCE_ENGINE_NEEDED_BUILD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "conformance/model/model.h"

namespace gguf {

struct NeededBuild {
  int32_t build = 0;    // See build.h.
  std::string because;  // "architecture qwen35"; no text from the file.

  // Returns "llama.cpp >= b7990 for architecture qwen35".
  std::string Words() const;
};

// Returns the greatest first build over the file's version, architecture,
// tensor types, pre-tokenizer and projector types.  Nothing if one of them is
// in no table or llama.cpp does not load files of this kind.
std::optional<NeededBuild> FindNeededBuild(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_NEEDED_BUILD_H_
