// Describes files, and groups findings and unchecked rules.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/file_view.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "conformance/base/text.h"
#include "conformance/model/file_name.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/reason.h"
#include "conformance/rules/catalogue.h"
#include "conformance/tables/vulnerabilities.h"

namespace gguf {
namespace {

bool Holds(const VulnerabilityRow& row, const Diagnostic& diagnostic) {
  if (diagnostic.rule->id != absl::string_view(row.rule)) return false;
  uint64_t above = 0;
  if (!absl::SimpleAtoi(row.above, &above)) return true;
  for (const auto& [name, text] : diagnostic.args) {
    uint64_t number = 0;
    if (name == row.of && absl::SimpleAtoi(text, &number)) {
      return number > above;
    }
  }
  return false;
}

// Returns the records of all findings, in the order of the table.
std::string NamesOf(absl::Span<const Diagnostic* const> findings) {
  std::string names;
  for (const VulnerabilityRow& row : kVulnerabilities) {
    if (absl::c_none_of(findings,
                        [&](const Diagnostic* diagnostic) { return Holds(row, *diagnostic); })) {
      continue;
    }
    absl::StrAppend(&names, names.empty() ? "" : ", ", row.names);
  }
  return names;
}

// Returns whether the file could be opened.
bool IsSeen(const FileReport& file) { return file.size || file.version || file.incomplete.empty(); }

// Returns whether rules were not checked because nobody asked for what they read.
bool Unasked(const FileReport& file, bool (*reads)(const Rule& rule)) {
  return absl::c_any_of(file.not_checked, [&](const FileReport::NotChecked& rule) {
    return rule.meaning == Reason::kNotRequested && reads(*rule.rule);
  });
}
bool ReadsPadding(const Rule& rule) { return rule.needs == Needs::kPadding; }
bool ReadsWeights(const Rule& rule) { return rule.needs == Needs::kWeights; }
bool ReadsBase(const Rule& rule) { return rule.against == Against::kBase; }

// Returns FileView::description.
std::string Describe(const FileReport& file) {
  if (!IsSeen(file)) return "";
  std::vector<std::string> parts;
  // whisper.cpp and rwkv.cpp define their own format names.
  std::string format = file.format.size() == 4 ? absl::AsciiStrToUpper(file.format) : file.format;
  if (format == "unknown") format = "unknown format";
  if (file.version) absl::StrAppend(&format, " v", *file.version);
  parts.push_back(format);
  if (file.endian) {
    parts.push_back(*file.endian == Endian::kLittle ? "little endian" : "big endian");
  }
  if (file.shard) {
    parts.push_back(absl::StrCat("shard ", file.shard->number, " of ", file.shard->count));
  } else if (file.kind && *file.kind != GgufKind::kLanguageModel) {
    parts.push_back(KindWords(*file.kind));
  }
  if (file.tensors) parts.push_back(Count(*file.tensors, "tensor"));
  if (file.keys) parts.push_back(Count(*file.keys, "key"));
  if (file.size) parts.push_back(Count(*file.size, "byte"));
  if (file.tensors.value_or(0) > 0) {
    if (Unasked(file, ReadsPadding)) parts.push_back("only its header read");
    if (Unasked(file, ReadsBase)) parts.push_back("without its base");
  }
  if (!file.profile.empty()) parts.push_back("profile " + file.profile);
  if (file.needs) parts.push_back("needs " + file.needs->Words());
  return absl::StrJoin(parts, ", ");
}

// Only files of the format that `ggufcheck fix` writes can be fixed.
FixKind FixIn(const FileReport& file, const Rule& rule) {
  return file.format == "gguf" ? FixOf(rule).fix : FixKind::kNone;
}

std::string Repair(const FileReport& file, const Rule& rule) {
  const FixKind fix = FixIn(file, rule);
  return absl::StrCat(rule.repair,
                      fix == FixKind::kSafe      ? " ggufcheck fix repairs this."
                      : fix == FixKind::kDerived ? " ggufcheck fix --unsafe may repair this."
                      : fix == FixKind::kSource  ? " ggufcheck fix --source may repair this."
                                                 : "");
}

// Returns how many findings can be fixed, and the command.
std::string FixCommand(const FileReport& file) {
  uint64_t safe = 0, derived = 0;
  for (const Finding& finding : file.findings) {
    const FixKind fix = FixIn(file, *finding.diagnostic.rule);
    safe += fix == FixKind::kSafe;
    derived += fix == FixKind::kDerived;
  }
  const bool is_on_disk = file.path != "-" && !absl::StrContains(file.path, "://");
  if (safe + derived == 0 || !is_on_disk) return "";
  const std::string command = absl::StrCat("ggufcheck fix ", Visible(file.path), " --output NEW");
  if (safe == 0) return absl::StrCat(Count(derived, "finding"), " perhaps: ", command, " --unsafe");
  return absl::StrCat(Count(safe, "finding"), ": ", command,
                      derived == 0 ? "" : absl::StrCat("; ", derived, " more with --unsafe"));
}

}  // namespace

std::string UncheckedRules::List(size_t most) const {
  const size_t shown = std::min(ids.size(), most);
  std::string list = absl::StrJoin(ids.begin(), ids.begin() + shown, ", ");
  if (ids.size() > shown) {
    absl::StrAppend(&list, " and ", ids.size() - shown, " more");
  }
  return list;
}

bool IsSafety(const FileReport& file, absl::string_view profile) {
  return (file.profile.empty() ? profile : file.profile) == "safety";
}

FileView::FileView(const FileReport& file, absl::string_view profile, Escaping escaping,
                   size_t longest_path)
    : path(escaping(Escape(file.path, longest_path))),
      known(KnownCount(file)),
      unchecked(UncheckedByReason(file)) {
  const auto unless_empty = [&](const std::string& text) {
    return text.empty() ? text : escaping(text);
  };
  set.result = FindResult(file.shard ? file.shard->result : "");
  if (set.result) {
    const auto name = ParseShardName(file.path);
    set.path = escaping(Escape(name ? name->prefix : file.path, longest_path));
    set.description = absl::StrCat("a model of ", Count(file.shard->count, "shard"));
  }
  description = unless_empty(Describe(file));
  weights_unread =
      file.tensors.value_or(0) > 0 && !Unasked(file, ReadsPadding) && Unasked(file, ReadsWeights);
  about = unless_empty(file.about);
  incomplete = unless_empty(file.incomplete);
  fix = unless_empty(FixCommand(file));
  for (UncheckedRules& some : unchecked) some.why = escaping(some.why);
  absl::flat_hash_map<const Rule*, size_t> places;    // In `rules`.
  std::vector<std::vector<const Diagnostic*>> found;  // Of each of them.
  const auto place_of = [&](const Rule* rule, Severity severity) {
    const auto [place, is_new] = places.emplace(rule, rules.size());
    if (is_new) {
      rules.push_back({rule, severity});
      rules.back().repair = Repair(file, *rule);
      found.emplace_back();
    }
    return place->second;
  };
  for (const Finding& finding : file.findings) {
    const Diagnostic& d = finding.diagnostic;
    found[place_of(d.rule, finding.severity)].push_back(&d);
  }
  for (const FileReport::More& more : file.more) {
    rules[place_of(more.rule, more.severity)].count = more.count;
  }
  for (const Cause& cause : file.causes) {
    if (cause.findings == 0) continue;
    causes.push_back({&cause, escaping(cause.message), escaping(cause.repair)});
    for (const Finding& finding : file.findings) {
      if (finding.cause != cause.id) continue;
      causes.back().severity = std::max(causes.back().severity, finding.severity);
    }
  }
  const auto find_cause = [&](absl::string_view id) -> const Cause* {
    const auto cause = absl::c_find_if(file.causes, [&](const Cause& c) { return c.id == id; });
    return cause == file.causes.end() ? nullptr : &*cause;
  };
  for (size_t i = 0; i < rules.size(); ++i) {
    rules[i].count += found[i].size();
    if (IsSafety(file, profile)) rules[i].readers = VulnerableReaders(found[i]);
  }
  findings.reserve(file.findings.size());  // RuleView::kept points there.
  for (const Severity severity : kWorstFirst) {
    for (const Finding& finding : file.findings) {
      if (finding.severity != severity) continue;
      const Diagnostic& d = finding.diagnostic;
      RuleView& rule = rules[place_of(d.rule, severity)];
      const bool has_place = d.where.begin > 0 || d.where.size() > 0;
      findings.push_back(
          {&rule, rule.kept.size(), has_place ? absl::StrFormat("0x%x", d.where.begin) : "",
           escaping(absl::StrCat(d.subject, " ", d.message)), find_cause(finding.cause)});
      const Cause* cause = findings.back().cause;
      if (rule.kept.empty()) rule.cause = cause;
      if (rule.cause != cause) rule.cause = nullptr;
      rule.kept.push_back(&findings.back());
    }
  }
}

std::vector<UncheckedRules> UncheckedByReason(const FileReport& file) {
  std::vector<UncheckedRules> all;
  absl::flat_hash_map<absl::string_view, size_t> places;
  for (const FileReport::NotChecked& rule : file.not_checked) {
    if (rule.meaning == Reason::kNotRequested || rule.meaning == Reason::kIncomplete) {
      continue;
    }
    const absl::string_view why = rule.why.view();
    const auto [place, is_new] = places.emplace(why, all.size());
    if (is_new) all.push_back({std::string(why), rule.meaning, {}});
    all[place->second].ids.push_back(rule.rule->id);
  }
  return all;
}

std::string VulnerabilitiesOf(const Diagnostic& diagnostic) { return NamesOf({&diagnostic}); }

std::string VulnerableReaders(const std::vector<const Diagnostic*>& findings) {
  const std::string names = NamesOf(findings);
  return names.empty() ? "" : absl::StrCat("Readers that lacked this check: ", names, ".");
}

}  // namespace gguf
