// A profile maps rules to severities: the question that a check answers.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_PROFILE_H_
#define GGUF_CONFORMANCE_ENGINE_PROFILE_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "parser/core/rule.h"

namespace gguf {

class Profile {
 public:
  // The built-in profiles: safety, spec, llama.cpp, upload, pedantic.
  static absl::Span<const Profile> BuiltIn();
  // Null when there is none of this name.
  static const Profile* Find(absl::string_view name);

  // The profile when nobody names one.
  static constexpr char kDefault[] = "upload";

  const std::string& name() const { return name_; }
  const std::string& question() const { return question_; }

  Severity SeverityOf(const Rule& rule) const;

  // The same under another name, to be changed.
  Profile Named(absl::string_view name) const;

  // Gives a rule another severity than its row does.
  void Override(const Rule& rule, Severity severity);

 private:
  using Column = Severity Severities::*;

  Profile(absl::string_view name, Column column, absl::string_view question)
      : name_(name), question_(question), column_(column) {}

  std::string name_;
  std::string question_;
  Column column_;  // Null: the worst of all columns, and at least a warning.
  absl::flat_hash_map<const Rule*, Severity> overrides_;
};

// "error", "warning", "note" or "off".
const char* SeverityName(Severity severity);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_PROFILE_H_
