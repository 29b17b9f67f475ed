// Matches names: with shell patterns, with RE2, and up to a NUL byte.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TEXT_MATCH_H_
#define GGUF_CONFORMANCE_MODEL_TEXT_MATCH_H_

#include <fnmatch.h>

#include <string>

#include "absl/strings/string_view.h"
#include "re2/re2.h"

namespace gguf {

// BeforeNul: a text as a reader in C sees it.

// Returns the text up to its first NUL.
inline absl::string_view BeforeNul(absl::string_view text) {
  return text.substr(0, text.find('\0'));
}

// MatchesGlob: matches names against shell patterns.

// Returns whether the pattern matches the whole text.  It may have *, which
// also matches a slash, ?, [a-z] and \, as in fnmatch(3).  A NUL byte matches
// nothing.
inline bool MatchesGlob(absl::string_view text, const std::string& glob) {
  const std::string whole(text);
  return whole.find('\0') == whole.npos && glob.find('\0') == glob.npos &&
         fnmatch(glob.c_str(), whole.c_str(), 0) == 0;
}

// Matches, MatchesPart: RE2 over Abseil's string_view, which RE2 of Debian 12 does not
// accept.

// Returns whether the expression matches the whole text.
inline bool Matches(const RE2& expression, absl::string_view text) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression);
}
// Returns whether it matches a part of the text.
inline bool MatchesPart(const RE2& expression, absl::string_view text) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), expression);
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TEXT_MATCH_H_
