// ggufcheck init and config: the configuration, written and explained.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/config/config.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/config/config.h"
#include "conformance/gate/check_inputs.h"
#include "conformance/output/output_file.h"
#include "parser/core/quote.h"

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
  CLI::App* init =
      program->add_subcommand("init", "Write a commented ggufcheck.toml into this directory.");
  init->footer("Example:\n  ggufcheck init");
  init->callback([exit_code] { *exit_code = RunInit(); });

  CLI::App* config = program->add_subcommand("config", "Explain the configuration.");
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

}  // namespace gguf
