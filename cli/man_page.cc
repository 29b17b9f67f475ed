// Prints the manual page, docs/ggufcheck.1, from the --help of all commands.
// `bazel run //cli:man_page` writes it into the tree.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/program.h"
#include "conformance/base/project.h"

namespace gguf {
namespace {

const auto kAll = [](const CLI::App*) { return true; };

// Escapes text for roff: no line begins with a control character, no minus is
// a hyphen.
std::string Roff(absl::string_view text) {
  std::string out = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  if (absl::StartsWith(out, ".") || absl::StartsWith(out, "'")) {
    out.insert(0, "\\&");
  }
  return out;
}

// Indented lines are printed verbatim; the others are filled as prose.
void AppendText(const std::string& text, std::string* page) {
  bool literal = false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool indented = absl::StartsWith(line, "  ");
    if (indented != literal) absl::StrAppend(page, indented ? ".nf" : ".fi", "\n");
    literal = indented;
    absl::StrAppend(page, line.empty() ? ".PP" : Roff(line), "\n");
  }
  if (literal) absl::StrAppend(page, ".fi\n");
}

void AppendOption(const CLI::Option& option, std::string* page) {
  const bool positional = option.get_positional();
  const std::string type = option.get_type_name();
  absl::StrAppend(page, ".TP\n\\fB", Roff(option.get_name(positional)), "\\fR");
  if (!positional && !type.empty()) {
    absl::StrAppend(page, " \\fI", Roff(type), "\\fR");
  }
  absl::StrAppend(page, "\n", Roff(option.get_description()), "\n");
}

// The commands are two levels deep at most.
void AppendCommand(const CLI::App& command, const std::string& parents, std::string* page) {
  const std::string name = absl::StrCat(parents, " ", command.get_name());
  absl::StrAppend(page, ".SS ", Roff(name), "\n");
  AppendText(command.get_description(), page);
  for (const CLI::Option* option : command.get_options()) {
    if (option != command.get_help_ptr()) AppendOption(*option, page);
  }
  absl::StrAppend(page, ".PP\n");
  AppendText(command.get_footer(), page);
  for (const CLI::App* sub : command.get_subcommands(kAll)) {
    AppendCommand(*sub, name, page);
  }
}

std::string ManualPage() {
  CLI::App program;
  int unused;
  BuildProgram(&program, &unused);
  std::string page = absl::StrCat(
      ".TH GGUFCHECK 1 \"\" \"ggufcheck ", kToolVersion, "\"\n",
      ".SH NAME\nggufcheck \\- check GGUF model files and their readers\n"
      ".SH SYNOPSIS\n\\fBggufcheck\\fR \\fICOMMAND\\fR [\\fIFLAGS\\fR] [\\fIARGUMENTS\\fR]\n"
      ".SH DESCRIPTION\n");
  AppendText(program.get_description(), &page);
  absl::StrAppend(&page, ".SH COMMANDS\n");
  for (const CLI::App* command : program.get_subcommands(kAll)) {
    AppendCommand(*command, "ggufcheck", &page);
  }
  absl::StrAppend(&page, ".SH EXIT STATUS\n",
                  ".TP\n0\nSuccess; there are no findings.\n"
                  ".TP\n1\nThe input has findings.\n"
                  ".TP\n2\nThe command line, configuration or baseline is invalid.\n"
                  ".TP\n3\nThe check did not complete.\n");
  return page;
}

}  // namespace
}  // namespace gguf

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::cout << gguf::ManualPage();
    return std::cout.flush() ? 0 : 1;
  }
  std::ofstream file(std::string(workspace) + "/docs/ggufcheck.1");
  file << gguf::ManualPage() << std::flush;
  return file ? 0 : 1;
}
