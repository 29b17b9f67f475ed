// ggufcheck init, config, profiles, rules and explain: what a check does, and how it is set.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/base/bytes.h"
#include "conformance/base/json.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/base/text_style.h"
#include "conformance/check/check_inputs.h"
#include "conformance/check/config.h"
#include "conformance/check/option_table.h"
#include "conformance/check/rule_selection.h"
#include "conformance/report/rules_json.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/search.h"
#include "conformance/rules/statements.h"
#include "conformance/tables/rule_examples.h"
#include "conformance/tables/vulnerabilities.h"

namespace gguf {
namespace {

int RunInit() {
  const auto existing = LoadConfig(kConfigName);
  if (existing.ok() || !absl::IsNotFound(existing.status())) {
    PrintError(absl::StrCat(kConfigName, " exists in this directory; edit it, or remove it first"));
    return kCouldNotRun;
  }
  auto file = OutputFile::Create(kConfigName, "the configuration", {});
  if (!file.ok()) return FailWith(file.status());
  (*file)->out() << kConfigTemplate;
  if (!Finish(file->get())) return kCouldNotRun;
  return Print(absl::StrCat("wrote ", kConfigName, "\n")) ? kOk : kCouldNotRun;
}

int RunShow(const std::string& path) {
  const std::string found = path.empty() ? FindConfig() : path;
  const auto config = LoadConfig(found);
  if (!config.ok()) {
    PrintError(Visible(config.status().message()));
    return kUsage;
  }
  const std::string source = Visible(found);
  return Print(absl::StrCat(found.empty() ? "# There is no configuration.\n"
                                          : absl::StrCat("# The configuration is ", source, ".\n"),
                            ShowConfig(config->config, source)))
             ? kOk
             : kCouldNotRun;
}

}  // namespace

void AddConfigCommands(CLI::App* program, int* exit_code) {
  CLI::App* init = program->add_subcommand("init", "Write a commented ggufcheck.toml here.");
  init->footer("Example:\n  ggufcheck init");
  init->callback([exit_code] { *exit_code = RunInit(); });

  CLI::App* config =
      program->add_subcommand("config", "Print the settings in force, and where they are from.");
  config->require_subcommand(1);
  config->footer("Example:\n  ggufcheck config show");
  auto path = std::make_shared<std::string>();
  CLI::App* show = config->add_subcommand(
      "show", "Print the settings that are in force, and where they are from.");
  AddValue(show, "--config", path.get(), "FILE",
           "The configuration (default: the one that check reads)");
  show->footer("Example:\n  ggufcheck config show");
  show->callback([path, exit_code] { *exit_code = RunShow(*path); });
}

// ggufcheck profiles: lists the profiles, the known readers and the limits.

namespace {

std::string DescribeProfile(const Profile& profile, const std::string& used) {
  int count[4] = {};
  for (const Rule* rule : Catalogue()) {
    ++count[static_cast<int>(profile.SeverityOf(*rule))];
  }
  return absl::StrFormat(
      "  %-10s %s%s %d errors, %d warnings, %d notes.", profile.name(), profile.question(),
      profile.name() == used ? " (default)" : "", count[static_cast<int>(Severity::kError)],
      count[static_cast<int>(Severity::kWarning)], count[static_cast<int>(Severity::kNote)]);
}

std::string DescribeReader(const Reader& reader) {
  return absl::StrFormat("  %-17s %s (%s, %s.)", reader.name, reader.how,
                         reader.known == ReaderKnown::kRun ? "run" : "source read", reader.version);
}

// Formats the built-in profiles and those of the configuration, which may also
// change severities of the built-in ones.
std::string Profiles(const ConfigFile& file, size_t width) {
  std::vector<std::string> names;
  for (const Profile& profile : Profile::BuiltIn()) {
    names.push_back(profile.name());
  }
  for (const auto& own : file.config.profiles) names.push_back(own.name);
  std::string out = "Profiles (--profile)";
  if (!file.path.empty()) absl::StrAppend(&out, ", with ", Visible(file.path));
  out += ":\n";
  for (const std::string& name : names) {
    const auto profile = FindProfile(file.config, name);
    Assert(profile.ok(), "a listed profile is unknown");
    absl::StrAppend(&out, Wrap(DescribeProfile(*profile, file.config.profile), width, 13), "\n");
  }
  return out;
}

int RunProfiles() {
  const auto config = LoadConfig(FindConfig());
  if (!config.ok()) {
    PrintError(Visible(config.status().message()));
    return kUsage;
  }
  for (const std::string& line : config->config.warnings) {
    PrintError(Visible(line));
  }
  const size_t width = TerminalWidth();
  std::string out = Profiles(*config, width);
  out += "\nReaders (--readers), and what counts as accepting a file:\n";
  for (const Reader& reader : kReaders) {
    absl::StrAppend(&out, Wrap(DescribeReader(reader), width, 20), "\n");
  }
  out +=
      "\nLimits; a file that exceeds one is incomplete, never a pass, except for findings, of "
      "which fewer are listed:\n";
  const Limits limits;
  const auto line = [&](absl::string_view name, absl::string_view value, absl::string_view help) {
    absl::StrAppend(
        &out,
        Wrap(absl::StrFormat("  --%-22s %-12s %s", LimitOption(name), value, help), width, 40),
        "\n");
  };
  for (const LimitName& limit : kLimitNames) {
    line(limit.name, absl::StrCat(limits.*limit.member), limit.help);
  }
  line(kSecondsName, absl::StrCat(limits.seconds), kSecondsHelp);
  return Print(out) ? kOk : kCouldNotRun;
}

}  // namespace

void AddProfilesCommand(CLI::App* program, int* exit_code) {
  CLI::App* command = program->add_subcommand(
      "profiles", "List the profiles, the known readers and the default limits.");
  command->footer("Example:\n  ggufcheck profiles");
  command->callback([exit_code] { *exit_code = RunProfiles(); });
}

// ggufcheck rules and explain: the catalogue for people.

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

// Returns a message of the rule; null if no case violates it alone.
const RuleExample* ExampleOf(absl::string_view rule) {
  const auto row = absl::c_find_if(kRuleExamples, [&](const auto& r) { return rule == r.rule; });
  return row == kRuleExamples.end() ? nullptr : &*row;
}

// Prints the symptoms and the rules that have some words.
int PrintFound(const SearchResult& found, size_t width) {
  constexpr size_t kMostRules = 12;
  std::string out;
  for (const Symptom* symptom : found.symptoms) {
    absl::StrAppend(&out, symptom->symptom, "\n  ", symptom->command, "\n",
                    Wrap(absl::StrCat("  ", symptom->advice), width, 2), "\n\n");
  }
  const size_t count = std::min(kMostRules, found.rules.size());
  out += "Rules; ggufcheck explain RULE says more:\n";
  for (size_t i = 0; i < count; ++i) {
    const Rule& rule = *found.rules[i];
    absl::StrAppend(&out, Wrap(absl::StrCat("  ", rule.id, ": ", rule.summary), width, 6), "\n");
  }
  if (count < found.rules.size()) {
    absl::StrAppend(&out, "  and ", found.rules.size() - count, " more\n");
  }
  return Print(out) ? kOk : kCouldNotRun;
}

int RunExplain(const std::vector<std::string>& words, const std::string& format) {
  const Rule* rule = words.size() == 1 ? FindRule(words[0]) : nullptr;
  if (rule == nullptr) {
    const SearchResult found = Search(words);
    if (found.rules.empty()) {
      const std::string text = absl::StrJoin(words, " ");
      PrintError(words.size() == 1 ? std::string(NoSuchRule(text).message())
                                   : absl::StrCat("there is nothing about ", Quote(text),
                                                  "; use fewer words, or see ggufcheck rules"));
      return kUsage;
    }
    return format == "json" ? PrintJson(found.rules) : PrintFound(found, TerminalWidth());
  }
  if (format == "json") return PrintJson({rule});
  const size_t width = TerminalWidth();
  std::string out = absl::StrCat(rule->id, "\n\n");
  const auto paragraph = [&](absl::string_view label, absl::string_view text) {
    absl::StrAppend(&out, Wrap(absl::StrFormat("  %-8s %s", label, text), width, 11), "\n");
  };
  paragraph("rule", rule->summary);
  paragraph("why", rule->why);
  if (const RuleExample* example = ExampleOf(rule->id)) paragraph("example", example->message);
  int step = 0;
  for (absl::string_view sentence : absl::StrSplit(rule->repair, ". ")) {
    absl::ConsumeSuffix(&sentence, ".");
    ++step;
    paragraph(step == 1 ? "repair" : "", absl::StrCat(step, ". ", sentence, "."));
  }
  paragraph("", absl::StrCat(step + 1, ". Check the file again: ggufcheck check FILE"));
  paragraph("fix", FixText(*rule));
  paragraph("source", rule->citation);
  const std::string lines = LinesOf(rule->id);
  if (!lines.empty()) {
    paragraph("lines", absl::StrCat(lines, " (docs/statements.tsv)"));
  }
  std::vector<std::string> records;
  for (const VulnerabilityRow& row : kVulnerabilities) {
    if (row.rule == absl::string_view(rule->id)) records.push_back(row.names);
  }
  if (!records.empty()) {
    paragraph("readers", absl::StrCat("that lacked this check: ", absl::StrJoin(records, ", ")));
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
    paragraph(
        "status",
        "off in every profile; turned on where a file is compared (with a manifest, a digest or an "
        "origin), by [policy] of a configuration, or by --select");
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
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      program->add_subcommand("explain", "Explain a rule, or find what to do about a symptom.");
  AddValue(command, "WORD", words.get(), "",
           "The id of a rule, as reports show it, or words for what you see or look for")
      ->required();
  auto format = std::make_shared<std::string>("text");
  AddChoice(command, "--format", format.get(), {"text", "json"}, "The format of the explanation");
  command->footer(
      "Examples:\n"
      "  ggufcheck explain tensor-offset-aligned\n"
      "  ggufcheck explain never stops\n"
      "  ggufcheck explain rope base");
  command->callback([words, format, exit_code] { *exit_code = RunExplain(*words, *format); });
}

}  // namespace gguf
