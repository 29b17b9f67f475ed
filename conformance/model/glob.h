// MatchesGlob: patterns of names, as a shell has them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_GLOB_H_
#define GGUF_CONFORMANCE_MODEL_GLOB_H_

#include <fnmatch.h>

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Whether the pattern fits all of the text: *, which stands for a slash too, ?,
// [a-z] and \, by fnmatch(3).  A NUL byte fits nothing.
inline bool MatchesGlob(absl::string_view text, const std::string& glob) {
  const std::string whole(text);
  return whole.find('\0') == whole.npos && glob.find('\0') == glob.npos &&
         fnmatch(glob.c_str(), whole.c_str(), 0) == 0;
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_GLOB_H_
