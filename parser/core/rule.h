// Rule: a requirement of the format, or of a reader, on a file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_RULE_H_
#define GGUF_PARSER_CORE_RULE_H_

#include "absl/strings/string_view.h"

namespace gguf {

// In increasing order of severity.
enum class Severity { kOff, kNote, kWarning, kError };

inline constexpr Severity kNote = Severity::kNote;
inline constexpr Severity kWarning = Severity::kWarning;
inline constexpr Severity kError = Severity::kError;

// A severity for each built-in profile; off where not specified:
//
//   Severities().Upload(kWarning).Spec(kError)
struct Severities {
  Severity upload = Severity::kOff;
  Severity spec = Severity::kOff;
  Severity llama_cpp = Severity::kOff;
  Severity safety = Severity::kOff;

  constexpr Severities Upload(Severity severity) const {
    return {severity, spec, llama_cpp, safety};
  }
  constexpr Severities Spec(Severity severity) const {
    return {upload, severity, llama_cpp, safety};
  }
  constexpr Severities LlamaCpp(Severity severity) const {
    return {upload, spec, severity, safety};
  }
  constexpr Severities Safety(Severity severity) const {
    return {upload, spec, llama_cpp, severity};
  }
};

// Off unless a configuration or a flag turns the rule on.
inline constexpr Severities kOnlyOnRequest;

// The same severity in all four profiles.
constexpr Severities Everywhere(Severity severity) {
  return {severity, severity, severity, severity};
}

// The version of ggufcheck that added a rule, and the rule's stage.
struct LifeCycle {
  enum Status {
    kPreview,  // Off without --preview; may change or go.
    kStable,
    kDeprecated,  // `successor` does its work.
  };

  const char* since;
  Status status = kStable;
  const char* successor = "";  // A rule id.
};

constexpr LifeCycle Since(const char* version) { return {version}; }
constexpr LifeCycle PreviewSince(const char* version) {
  return {version, LifeCycle::kPreview};
}

// One row of a rule table.  All strings are literals.
//
// The summary says "shall" if the rule is an error in `spec`, in `upload`, or,
// when it is off in `spec`, in any profile; or if it is kOnlyOnRequest.  These
// are requirements of the specification, of a reader where the specification is
// silent, or of the gate.  Otherwise the summary says "should".
struct Rule {
  const char* id;  // Kebab-case, names the valid state, public, never reused.
  Severities severities;
  const char* summary;   // One sentence; see above.
  const char* why;       // What goes wrong otherwise.
  const char* repair;    // What the file's writer can do.
  const char* citation;  // The specification's words, or who requires it.
  LifeCycle life_cycle = Since("0.1.0");  // Written by every later rule.
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_RULE_H_
