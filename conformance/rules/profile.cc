// The built-in profiles: columns of the rules' severities.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/profile.h"

#include <algorithm>
#include <vector>

namespace gguf {

absl::Span<const Profile> Profile::BuiltIn() {
  static const auto& all = *new std::vector<Profile>{
      {"safety", &Severities::safety, "Can the file harm a careless reader?"},
      {"spec", &Severities::spec, "Does the file obey the written specification?"},
      {"llama.cpp", &Severities::llama_cpp, "Will today's llama.cpp load the file?"},
      {"upload", &Severities::upload, "Should a gate let the file in?"},
      {"pedantic", nullptr, "Is there anything at all to report?"},
  };
  return all;
}

const Profile* Profile::Find(absl::string_view name) {
  for (const Profile& profile : BuiltIn()) {
    if (profile.name() == name) return &profile;
  }
  return nullptr;
}

Severity Profile::SeverityOf(const Rule& rule) const {
  if (!overrides_.empty()) {  // Skips the look-up in the usual case.
    const auto overridden = overrides_.find(&rule);
    if (overridden != overrides_.end()) return overridden->second;
  }
  if (rule.stage == Stage::kPreview && !preview_) {
    return Severity::kOff;
  }
  const Severities& row = rule.severities;
  if (column_ != nullptr) return row.*column_;
  const Severity worst = std::max({row.upload, row.spec, row.llama_cpp, row.safety});
  // Off in all profiles: only a configuration enables it.
  if (worst == Severity::kOff) return worst;
  return std::max(worst, Severity::kWarning);
}

Profile Profile::Named(absl::string_view name) const {
  Profile copy = *this;
  copy.name_ = std::string(name);
  return copy;
}

void Profile::Override(const Rule& rule, Severity severity) { overrides_[&rule] = severity; }

const char* SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
    case Severity::kOff:
      return "off";
  }
  return "";
}

}  // namespace gguf
