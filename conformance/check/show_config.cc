// Writes a configuration as text.
//
// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/json.h"
#include "conformance/check/config.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using Strings = std::vector<std::string>;

// A JSON string is a TOML string, too.
std::string Text(absl::string_view text) { return JsonString(text); }

template <class Range>
std::string List(const Range& texts) {
  return absl::StrCat(
      "[",
      absl::StrJoin(texts, ", ",
                    [](std::string* out, const auto& text) { absl::StrAppend(out, Text(text)); }),
      "]");
}

Strings IdsOf(const std::vector<const Rule*>& rules) {
  Strings ids;
  for (const Rule* rule : rules) ids.emplace_back(rule->id);
  return ids;
}

class Writer {
 public:
  explicit Writer(absl::string_view source) : source_(source) {}

  void Table(absl::string_view name) { absl::StrAppend(&text_, "\n[", name, "]\n"); }
  void Line(absl::string_view key, absl::string_view value, bool is_default) {
    absl::StrAppend(&text_, key, " = ", value, "  # ", is_default ? "default" : source_, "\n");
  }
  std::string Take() { return std::move(text_); }

 private:
  const absl::string_view source_;
  std::string text_;
};

void WriteSeverities(absl::string_view table, const RuleSeverities& severities, Writer* out) {
  if (severities.empty()) return;
  out->Table(table);
  for (const auto& [rule, severity] : severities) {
    out->Line(rule->id, Text(SeverityName(severity)), false);
  }
}

void WriteLimits(const Limits& limits, Writer* out) {
  const Limits defaults;
  out->Table("limits");
  for (const LimitName& limit : kLimitNames) {
    const uint64_t value = limits.*limit.member;
    out->Line(limit.name, absl::StrCat(value), value == defaults.*limit.member);
  }
  out->Line(kSecondsName, absl::StrCat(limits.seconds), limits.seconds == defaults.seconds);
}

void WriteTypes(const OwnTypes& types, Writer* out) {
  if (types.by_id.empty()) return;
  out->Table("types");
  for (const auto& [id, type] : types.by_id) {
    const std::string size = type.size.empty() ? absl::StrCat("elements = ", type.blocks.elements,
                                                              ", bytes = ", type.blocks.bytes)
                                               : absl::StrCat("size = ", Text(type.size));
    out->Line(type.name, absl::StrCat("{ id = ", id, ", ", size, " }"), false);
  }
}

void WritePolicy(const Policy& policy, Writer* out) {
  if (RulesOf(policy).empty()) return;
  out->Table("policy");
  if (policy.file_name != nullptr) {
    out->Line("file-name", Text(policy.file_name->pattern()), false);
  }
  if (policy.file_size) {
    out->Line("file-size", absl::StrCat(*policy.file_size), false);
  }
  if (!policy.architectures.empty()) {
    out->Line("architectures", List(policy.architectures), false);
  }
  if (!policy.tensor_types.empty()) {
    out->Line("tensor-types", List(policy.tensor_types), false);
  }
  if (policy.keys.empty()) return;
  out->Table("policy.keys");
  for (const Policy::Key& key : policy.keys) {
    out->Line(Text(key.name), List(key.values), false);
  }
}

}  // namespace

std::string ShowConfig(const Config& config, absl::string_view source) {
  const Config defaults;
  Writer out(source);
  out.Line("profile", Text(config.profile), config.profile == defaults.profile);
  out.Line("fail-on", Text(SeverityName(config.fail_on)), config.fail_on == defaults.fail_on);
  out.Line("preview", config.preview ? "true" : "false", config.preview == defaults.preview);
  out.Line("select", List(config.select), config.select.empty());
  out.Line("ignore", List(config.ignore), config.ignore.empty());
  WriteSeverities("severities", config.severities, &out);
  for (const Config::OwnProfile& profile : config.profiles) {
    const std::string table = absl::StrCat("profiles.", Text(profile.name));
    out.Table(table);
    out.Line("extends", Text(profile.extends->name()), false);
    WriteSeverities(absl::StrCat(table, ".severities"), profile.severities, &out);
  }
  if (!config.file_profiles.empty()) out.Table("per-file-profiles");
  for (const Config::FileProfile& file : config.file_profiles) {
    out.Line(Text(file.glob), Text(file.profile), false);
  }
  if (!config.file_ignores.empty()) out.Table("per-file-ignores");
  for (const Config::FileIgnores& ignores : config.file_ignores) {
    out.Line(Text(ignores.glob), List(IdsOf(ignores.rules)), false);
  }
  WriteLimits(config.limits, &out);
  if (config.limits.own_types != nullptr) WriteTypes(*config.limits.own_types, &out);
  WritePolicy(config.policy, &out);
  return out.Take();
}

const char kConfigTemplate[] =
    R"(# The configuration of ggufcheck.  Everything here is optional; remove the # of
# what you need.  `ggufcheck config show` prints what is in force.

# The rules: safety, spec, llama.cpp, upload, pedantic, or a profile below.
# profile = "upload"

# The lowest severity that fails a file: error, warning or note.
# fail-on = "error"

# Also check rules that may still change.
# preview = false

# Check only these rules, or all but these: ids, or prefix*.
# select = ["tensor-*"]
# ignore = ["key-namespaced"]

# Severities other than those of the profile: error, warning, note or off.
# [severities]
# file-name-convention = "warning"

# A profile of your own.
# [profiles.hub]
# extends = "upload"
# [profiles.hub.severities]
# string-utf8 = "error"

# Other profiles for files whose path, or whose name, matches.
# [per-file-profiles]
# "vendor/*" = "safety"

# Rules that do not apply to files whose path, or whose name, matches.
# [per-file-ignores]
# "archive/*" = ["file-name-convention"]

# A file that exceeds a limit is incomplete.
# [limits]
# metadata-bytes = "256M"
# seconds = 60

# Tensor types that ggufcheck does not know: their ids, and the size of a block
# or of a tensor.
# [types]
# Q9_X = { id = 4711, elements = 32, bytes = 20 }
# TREE = { id = 4712, size = "elements / 32 * 20 + 64" }

# What your models must be, besides valid.
# [policy]
# file-name = '[A-Za-z0-9._-]+\.gguf'
# file-size = "50G"
# architectures = ["llama", "qwen3"]
# tensor-types = ["F32", "F16", "Q8_0", "Q4_K", "Q6_K"]

# Keys that must be present, and globs for their values.
# [policy.keys]
# "general.license" = ["apache-2.0", "mit"]
)";

}  // namespace gguf
