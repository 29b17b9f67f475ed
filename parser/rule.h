// Rule: a requirement of the format, or of a reader, on a file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_RULE_H_
#define GGUF_PARSER_RULE_H_

namespace gguf {

class Finder;         // conformance/rules/check.h
class Model;          // conformance/model/model.h
struct CheckContext;  // conformance/rules/check.h
struct Reason;        // conformance/model/reason.h

// In increasing order of severity.
enum class Severity { kOff, kNote, kWarning, kError };

inline constexpr Severity kNote = Severity::kNote;
inline constexpr Severity kWarning = Severity::kWarning;
inline constexpr Severity kError = Severity::kError;

// A severity for each built-in profile; off where not specified.
struct Severities {
  Severity upload = Severity::kOff;
  Severity spec = Severity::kOff;
  Severity llama_cpp = Severity::kOff;
  Severity safety = Severity::kOff;
};

// The same severity in all four profiles.
constexpr Severities Everywhere(Severity severity) {
  return {severity, severity, severity, severity};
}

// The subject of a rule: the container that every file has (header, metadata
// syntax, tensor table, data), or the model in it.
enum class Scope { kContainer, kModel };

// The part of the file that a check reads.  If the parser stopped earlier, the
// check runs over what was read, and the report states that the rest was not
// checked.
enum class Needs {
  kName,     // The file's name.
  kMagic,    // The first four bytes.
  kHeader,   // The header.
  kKeys,     // The metadata.
  kTensors,  // The tensor table.
  kLayout,   // The place of the data: the whole table and the alignment.
  kPadding,  // The bytes between tensors' data: not with header_only.
  kWeights,  // The data itself, when asked for.
};

// The formats that a rule applies to.
enum class Files {
  kGguf,    // Also files that no parser recognizes.
  kLegacy,  // File::legacy is set.
  kAll,
};

// What a file is compared with, besides the format.  A flag or a configuration
// provides it.
enum class Against {
  kNothing,
  kBase,     // The model of --base.
  kOrigin,   // What the file is said to be made from.
  kPolicy,   // The user's policy.
  kDigests,  // The manifest of digests.
  kSha256,   // The stated SHA-256 of the whole file.
};

// The stage of a rule.
enum class Stage {
  kPreview,  // Off without --preview; may change or go.
  kStable,
  kDeprecated,  // `successor` does its work.
};

// Returns why a check cannot run; empty when it can.  Reason::Silent() when the
// file has nothing that the rule is about.
struct Requirement {
  constexpr Requirement() = default;
  constexpr Requirement(Reason (*requirement)(const Model& model)) : of_model(requirement) {}
  constexpr Requirement(Reason (*requirement)(const CheckContext& context))
      : of_context(requirement) {}

  Reason (*of_model)(const Model& model) = nullptr;
  Reason (*of_context)(const CheckContext& context) = nullptr;
};

// One row of a table of rules.  All strings are literals.
//
// The summary says "shall" if the rule is an error in `spec`, in `upload`, or,
// when it is off in `spec`, in any profile; or if it is off in all profiles.
// These are requirements of the specification, of a reader where the
// specification is silent, or of the gate.  Otherwise the summary says
// "should".
struct Rule {
  using Check = void (*)(const CheckContext& context, Finder& find);

  const char* id;         // Kebab-case, names the valid state, public, never reused.
  Severities severities;  // Off in all: a configuration or a flag turns it on.
  const char* summary;    // One sentence; see above.
  const char* why;        // What goes wrong otherwise.
  const char* repair;     // What the file's writer can do.
  const char* citation;   // The specification's words, or who requires it.

  // The version of ggufcheck that added the rule; every later rule states it.
  const char* since = "0.1.0";
  Stage stage = Stage::kStable;
  const char* successor = "";  // A rule id.

  // The ids of rules whose findings say the same and more: a report has none of
  // this rule about the bytes that one of theirs is about.
  const char* implied_by[3] = {};

  // Why no mutation of a small file breaks the rule, if so: the fuzzing kit's
  // mutator has to break all others about the container.
  const char* unbreakable = nullptr;

  // The check runs on files of the formats that meet all requirements.
  Scope scope = Scope::kModel;
  Needs needs = Needs::kKeys;
  Files files = Files::kGguf;
  Against against = Against::kNothing;
  Requirement requirements[3] = {};

  // Looks for violations of the rule; null for the parser's rules (CheckOf() in
  // conformance/rules/catalogue.h has the checks of those that it enforces in
  // part).
  Check check = nullptr;
};

}  // namespace gguf

#endif  // GGUF_PARSER_RULE_H_
