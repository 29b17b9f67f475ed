// MatchesGlob: matches names against shell patterns.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_GLOB_H_
#define GGUF_CONFORMANCE_MODEL_GLOB_H_

#include <fnmatch.h>

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Returns whether the pattern matches the whole text.  It may have *, which
// also matches a slash, ?, [a-z] and \, as in fnmatch(3).  A NUL byte matches
// nothing.
inline bool MatchesGlob(absl::string_view text, const std::string& glob) {
  const std::string whole(text);
  return whole.find('\0') == whole.npos && glob.find('\0') == glob.npos &&
         fnmatch(glob.c_str(), whole.c_str(), 0) == 0;
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_GLOB_H_
