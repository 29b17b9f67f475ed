// ggufcheck rules and explain: the catalogue for people.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/config/rule_selection.h"
#include "conformance/engine/catalogue.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/statements.h"
#include "conformance/json/json_text.h"
#include "conformance/report/rules_json.h"
#include "conformance/report/text_style.h"

namespace gguf {
namespace {

// Prints a document for programs.
int PrintJson(const std::vector<const Rule*>& rules) {
  return Print(absl::StrCat(JsonText(RulesJson(rules), 2), "\n")) ? kOk : kCouldNotRun;
}

int RunRules(const std::string& format) {
  if (format == "json") {
    std::vector<const Rule*> rules;
    for (const Rule* rule : Catalogue()) rules.push_back(rule);
    return PrintJson(rules);
  }
  size_t width = 0;
  for (const Rule* rule : Catalogue()) {
    width = std::max(width, absl::string_view(rule->id).size());
  }
  std::string out = absl::StrFormat("%-*s", width, "rule");
  for (const Profile& profile : Profile::BuiltIn()) {
    absl::StrAppendFormat(&out, "  %-9s", profile.name());
  }
  out += "\n";
  for (const Rule* rule : Catalogue()) {
    absl::StrAppendFormat(&out, "%-*s", width, rule->id);
    for (const Profile& profile : Profile::BuiltIn()) {
      const Severity severity = profile.SeverityOf(*rule);
      absl::StrAppendFormat(&out, "  %-9s",
                            severity == Severity::kOff ? "-" : SeverityName(severity));
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return Print(out) ? kOk : kCouldNotRun;
}

int RunExplain(const std::string& id, const std::string& format) {
  const Rule* rule = FindRule(id);
  if (rule == nullptr) {
    PrintError(NoSuchRule(id).message());
    return kUsage;
  }
  if (format == "json") return PrintJson({rule});
  const size_t width = TerminalWidth();
  std::string out = absl::StrCat(rule->id, "\n\n");
  const auto paragraph = [&](absl::string_view label, absl::string_view text) {
    absl::StrAppend(&out, Wrap(absl::StrFormat("  %-8s %s", label, text), width, 11), "\n");
  };
  paragraph("rule", rule->summary);
  paragraph("why", rule->why);
  paragraph("repair", rule->repair);
  paragraph("source", rule->citation);
  const std::string lines = LinesOf(rule->id);
  if (!lines.empty()) {
    paragraph("lines", absl::StrCat(lines, " (docs/statements.tsv)"));
  }
  paragraph("since", rule->since);
  if (rule->stage == Stage::kPreview) {
    paragraph("status", "preview: off without --preview");
  } else if (rule->stage == Stage::kDeprecated) {
    paragraph("status", absl::StrCat("deprecated: use ", rule->successor));
  }
  std::string severities;
  bool is_off = true;
  for (Profile profile : Profile::BuiltIn()) {
    profile.EnablePreview();
    const Severity severity = profile.SeverityOf(*rule);
    is_off &= severity == Severity::kOff;
    absl::StrAppendFormat(&severities, "  %-10s %s\n", profile.name(), SeverityName(severity));
  }
  if (is_off) {
    paragraph("status",
              "off in every profile; turned on by the flag or the command that needs it (--digest, "
              "--sha256, compare), by [policy] of a configuration, or by --select");
  } else {
    absl::StrAppend(&out, "\n", severities);
  }
  return Print(out) ? kOk : kCouldNotRun;
}

}  // namespace

void AddRulesCommand(CLI::App* program, int* exit_code) {
  CLI::App* command =
      program->add_subcommand("rules", "List all rules and their severity in each profile.");
  auto format = std::make_shared<std::string>("text");
  AddChoice(command, "--format", format.get(), {"text", "json"}, "The format of the list");
  command->footer("Example:\n  ggufcheck rules | grep tensor");
  command->callback([format, exit_code] { *exit_code = RunRules(*format); });
}

void AddExplainCommand(CLI::App* program, int* exit_code) {
  auto id = std::make_shared<std::string>();
  CLI::App* command = program->add_subcommand(
      "explain", "Explain a rule: its meaning, rationale, repair and source.");
  command->add_option("RULE", *id, "The id of a rule, as reports show it")->required();
  auto format = std::make_shared<std::string>("text");
  AddChoice(command, "--format", format.get(), {"text", "json"}, "The format of the explanation");
  command->footer("Example:\n  ggufcheck explain tensor-offset-aligned");
  command->callback([id, format, exit_code] { *exit_code = RunExplain(*id, *format); });
}

}  // namespace gguf
