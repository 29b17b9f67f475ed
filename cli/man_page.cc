// Prints the manual page, ggufcheck.1: all that --help says of all commands.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/program.h"
#include "conformance/report/report.h"

namespace gguf {
namespace {

// Text as roff: no line begins with a control character, no minus is a hyphen.
std::string Roff(absl::string_view text) {
  std::string out = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  if (absl::StartsWith(out, ".") || absl::StartsWith(out, "'")) {
    out.insert(0, "\\&");
  }
  return out;
}

// Lines that are indented are shown as they are; the others are prose.
void PrintText(const std::string& text) {
  bool literal = false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool indented = absl::StartsWith(line, "  ");
    if (indented != literal) std::puts(indented ? ".nf" : ".fi");
    literal = indented;
    std::puts(line.empty() ? ".PP" : Roff(line).c_str());
  }
  if (literal) std::puts(".fi");
}

void PrintOption(const CLI::Option& option) {
  const bool positional = option.get_positional();
  const std::string type = option.get_type_name();
  std::printf(".TP\n.B %s", Roff(option.get_name(positional)).c_str());
  if (!positional && !type.empty()) std::printf(" \\fI%s\\fR", Roff(type).c_str());
  std::printf("\n%s\n", Roff(option.get_description()).c_str());
}

void PrintCommand(const CLI::App& command, const std::string& parents) {
  const std::string name = absl::StrCat(parents, " ", command.get_name());
  const auto commands = command.get_subcommands([](const CLI::App*) { return true; });
  std::printf(".SS %s\n", Roff(name).c_str());
  PrintText(command.get_description());
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() != "-h,--help") PrintOption(*option);
  }
  if (!command.get_footer().empty()) {
    std::puts(".PP");
    PrintText(command.get_footer());
  }
  for (const CLI::App* sub : commands) PrintCommand(*sub, name);
}

void PrintPage(const CLI::App& program) {
  std::printf(".TH GGUFCHECK 1 \"\" \"ggufcheck %s\"\n", kToolVersion);
  std::puts(".SH NAME\nggufcheck \\- check GGUF model files and their readers");
  std::puts(".SH SYNOPSIS\n.B ggufcheck\n.I COMMAND\n[\\fIFLAGS\\fR] [\\fIARGUMENTS\\fR]");
  std::puts(".SH DESCRIPTION");
  PrintText(program.get_description());
  std::puts(".SH COMMANDS");
  for (const CLI::App* command :
       program.get_subcommands([](const CLI::App*) { return true; })) {
    PrintCommand(*command, "ggufcheck");
  }
}

}  // namespace
}  // namespace gguf

int main() {
  CLI::App program;
  int unused = 0;
  gguf::BuildProgram(&program, &unused);
  gguf::PrintPage(program);
}
