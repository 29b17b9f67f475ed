// Profile: maps rules to severities, and names the question that a check
// answers.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_PROFILE_H_
#define GGUF_CONFORMANCE_RULES_PROFILE_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "parser/rule.h"

namespace gguf {

class Profile {
 public:
  // The built-in profiles: safety, spec, llama.cpp, upload, pedantic.
  static absl::Span<const Profile> BuiltIn();
  // Returns null if no profile has this name.
  static const Profile* Find(absl::string_view name);

  // The profile that is used by default.
  static constexpr char kDefault[] = "upload";

  const std::string& name() const { return name_; }
  const std::string& question() const { return question_; }

  Severity SeverityOf(const Rule& rule) const;

  // Returns a copy with another name, to be modified.
  Profile Named(absl::string_view name) const;

  // Turns the rules in preview on, which are off otherwise.
  void EnablePreview() { preview_ = true; }

  // Replaces the severity of a rule.
  void Override(const Rule& rule, Severity severity);

 private:
  using Column = Severity Severities::*;

  Profile(absl::string_view name, Column column, absl::string_view question)
      : name_(name), question_(question), column_(column) {}

  std::string name_;
  std::string question_;
  bool preview_ = false;
  Column column_;  // Null: the worst of all columns, and at least a warning.
  absl::flat_hash_map<const Rule*, Severity> overrides_;
};

// "error", "warning", "note" or "off".
const char* SeverityName(Severity severity);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_PROFILE_H_
