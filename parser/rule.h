// A rule: something the format, or a reader of it, requires of a file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_RULE_H_
#define GGUF_PARSER_RULE_H_

#include "absl/strings/string_view.h"

namespace gguf {

// Ordered: a higher one is worse.
enum class Severity { kOff, kNote, kWarning, kError };

// One severity for each built-in profile, written as a row of letters in the
// order of the members: E error, W warning, N note, - off.
struct Severities {
  Severity upload;
  Severity spec;
  Severity llama_cpp;
  Severity safety;
};

constexpr Severity SeverityFromLetter(char letter) {
  switch (letter) {
    case 'E':
      return Severity::kError;
    case 'W':
      return Severity::kWarning;
    case 'N':
      return Severity::kNote;
    default:
      return Severity::kOff;
  }
}

// upload, spec, llama.cpp, safety: "EW-N".
constexpr Severities ByProfile(const char (&row)[5]) {
  return {SeverityFromLetter(row[0]), SeverityFromLetter(row[1]),
          SeverityFromLetter(row[2]), SeverityFromLetter(row[3])};
}

// One row of a rule table.  All strings are ours and live for ever.
//
// The summary says "shall" when the specification demands it, or whoever speaks
// where the specification is silent, or the gate: when the severity is an error
// in `spec`, in `upload`, or, with `spec` off, in any profile; or when it is
// off in all of them, and only a configuration turns it on.  Otherwise it says
// "should".
struct Rule {
  const char* id;  // Kebab-case, the good state, public, never reused.
  Severities severities;
  const char* summary;   // One sentence; see below.
  const char* why;       // What goes wrong otherwise.
  const char* repair;    // What the file's writer can do.
  const char* citation;  // The norm's words, or who demands it.
};

}  // namespace gguf

#endif  // GGUF_PARSER_RULE_H_
