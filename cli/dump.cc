// ggufcheck dump: the canonical JSON of metadata and tensor table.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/dump/dump.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/input/open.h"
#include "conformance/output/output_file.h"
#include "parser/core/quote.h"
#include "parser/parse.h"

namespace gguf {
namespace {

struct DumpFlags {
  std::string path;
  CheckOptions options = ProgramOptions();
};

int RunDump(const DumpFlags& flags) {
  const auto fail = [&](absl::string_view why) {
    PrintError(absl::StrCat(Escape(flags.path, flags.path.size()), ": ", why));
    return kCouldNotRun;
  };
  const auto input = Input::Open(flags.path, flags.options.limits.stream_bytes);
  if (!input.ok()) return fail(input.status().message());
  Diagnostics found(1);
  const File file = Parse(input->source(), flags.options.limits, &found);
  const auto out = OutputFile::StandardOutput();
  WriteDump(file, out->out());
  if (!Finish(out.get())) return kCouldNotRun;
  const std::string changed = input->WhyChanged();
  if (!changed.empty()) return fail(changed);
  if (!file.stop) return kOk;
  fail(file.stop->Why());
  return file.stop->kind == Stop::kDamage ? kFindings : kCouldNotRun;
}

}  // namespace

void AddDumpCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<DumpFlags>();
  CLI::App* command =
      program->add_subcommand("dump", "Print a file's metadata and tensor table as JSON.");
  command->add_option("PATH", flags->path, "A file, or - for standard input")->required();
  AddLimitFlags(command, &flags->options);
  command->footer(
      "For a broken file, prints what could be read, with \"incomplete\": true, and exits with 1.\n"
      "\nExamples:\n"
      "  ggufcheck dump model.gguf\n"
      "  ggufcheck dump model.gguf | jq '.tensors | length'");
  command->callback([flags, exit_code] { *exit_code = RunDump(*flags); });
}

}  // namespace gguf
