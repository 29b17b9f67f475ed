// ggufcheck profiles: lists the profiles, the known readers and the limits.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "conformance/config/config.h"
#include "conformance/engine/catalogue.h"
#include "conformance/engine/profile.h"
#include "conformance/gate/check_inputs.h"
#include "conformance/gate/option_table.h"
#include "conformance/predict/readers.h"
#include "conformance/report/text_style.h"
#include "parser/core/assert.h"
#include "parser/core/quote.h"

namespace gguf {
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
      "profiles",
      "List the profiles, including those of ggufcheck.toml, the readers and the default limits.");
  command->footer("Example:\n  ggufcheck profiles");
  command->callback([exit_code] { *exit_code = RunProfiles(); });
}

}  // namespace gguf
