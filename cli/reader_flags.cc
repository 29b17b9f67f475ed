// Finds a reader by its name in readers.toml, or builds one from --cmd; runs
// its setup and reads its greeting.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/reader_flags.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/find_cases.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/cases.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

using readers::Reader;

absl::StatusOr<Reader> NamedReader(const ReaderFlags& flags) {
  const auto path = FindReadersFile(flags.readers_file);
  if (!path.ok()) return path.status();
  return readers::ReadReader(*path, flags.name);
}

absl::StatusOr<Reader> ReaderOfCommand(const std::string& command) {
  absl::StatusOr<std::vector<std::string>> words = readers::SplitCommand(command);
  if (!words.ok()) return words.status();
  Reader reader;
  reader.command = *std::move(words);
  reader.name = std::filesystem::path(reader.command[0]).filename().string();
  return reader;
}

absl::Status SetExitCodes(const std::string& text, std::vector<int>* codes) {
  if (text.empty()) return absl::OkStatus();
  absl::StatusOr<std::vector<int>> parsed = readers::ParseExitCodes(text);
  if (!parsed.ok()) return parsed.status();
  *codes = *std::move(parsed);
  return absl::OkStatus();
}

// Applies the remaining flags, which override readers.toml.
absl::Status Override(const ReaderFlags& flags, Reader* reader) {
  if (!flags.sanitizer.empty()) reader->sanitizer = flags.sanitizer;
  for (const std::string& variable : flags.environment) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(variable, absl::MaxSplits('=', 1));
    if (parts.first.empty() || parts.first == variable) {
      return absl::InvalidArgumentError(
          absl::StrCat("--env: invalid value ", Quote(variable), ": expected NAME=VALUE"));
    }
    reader->environment[parts.first] = parts.second;
  }
  const absl::Status set = SetExitCodes(flags.accept_exit, &reader->accept_exit);
  if (!set.ok()) return set;
  return SetExitCodes(flags.reject_exit, &reader->reject_exit);
}

}  // namespace

void AddReaderFlags(CLI::App* command, ReaderFlags* flags) {
  CLI::Option* reader =
      AddValue(command, "--reader", &flags->name, "NAME", "A reader listed in readers.toml");
  AddValue(command, "--cmd", &flags->command, "COMMAND",
           "The command of a reader that implements docs/reader-protocol.md, or, with {path}, of "
           "any program that reads a file")
      ->excludes(reader);
  AddValue(command, "--readers", &flags->readers_file, "FILE",
           "Another readers.toml (default: the nearest conformance/readers/readers.toml)");
  AddValue(command, "--timeout", &flags->timeout, "TIME",
           "Time limit per file, with a unit: 2s, 500ms (default: 10s)");
  AddValue(command, "--sanitizer", &flags->sanitizer, "KIND",
           "The sanitizer that the reader was built with; its address space is then not limited")
      ->check(CLI::IsMember(readers::SanitizerKinds()));
  AddValue(command, "--env", &flags->environment, "NAME=VALUE",
           "Set an environment variable for the reader, which otherwise sees only PATH, HOME and "
           "TMPDIR (repeatable)")
      ->allow_extra_args(false);
  AddValue(command, "--accept-exit", &flags->accept_exit, "N,...",
           "With {path}: exit codes for an accepted file (default: 0)");
  AddValue(command, "--reject-exit", &flags->reject_exit, "N,...",
           "With {path}: exit codes for a rejected file (default: 1)");
}

absl::StatusOr<Reader> ReaderOf(const ReaderFlags& flags) {
  if (flags.name.empty() && flags.command.empty()) {
    return absl::InvalidArgumentError("no reader given; use --reader NAME or --cmd 'COMMAND'");
  }
  absl::StatusOr<Reader> reader =
      flags.command.empty() ? NamedReader(flags) : ReaderOfCommand(flags.command);
  if (!reader.ok()) return reader;
  const absl::Status overridden = Override(flags, &*reader);
  if (!overridden.ok()) return overridden;
  return reader;
}

absl::StatusOr<readers::WatchLimits> LimitsOf(const ReaderFlags& flags, const Reader& reader) {
  readers::WatchLimits limits;
  const auto timeout = readers::ParseTimeout(flags.timeout);
  if (!timeout.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--timeout: ", timeout.status().message()));
  }
  limits.time = *timeout;
  limits.memory = reader.memory;
  return limits;
}

absl::Status SetUp(const Reader& reader) {
  if (reader.setup.empty()) return absl::OkStatus();
  const std::string folder = reader.folder.empty() ? "." : reader.folder;
  const std::string line = absl::StrCat(readers::ShellLine({"cd", folder}), " && exec ",
                                        readers::ShellLine(reader.setup), " >&2");
  const int status = std::system(line.c_str());
  if (status == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("the reader's setup failed: ", readers::ShellLine(reader.setup)));
}

absl::StatusOr<readers::Greeting> GreetingOf(const Reader& reader) {
  if (reader.bare()) return readers::Greeting{reader.name, "unknown", {}};
  auto session = readers::Session::Start(reader);
  if (!session.ok()) return session.status();
  if (session.value()->has_network()) {
    PrintError(
        "the reader is not isolated from the network: the system does not permit this user to do "
        "that");
  }
  readers::Greeting greeting = session.value()->greeting();
  if (!reader.capabilities) return greeting;
  const std::string announced = CapsWord(greeting.caps);
  const std::string listed = CapsWord(readers::ParseCaps(*reader.capabilities).value());
  if (announced == listed) return greeting;
  return absl::UnavailableError(absl::StrCat("the reader announces ", announced,
                                             ", but readers.toml has capabilities = \"", listed,
                                             "\"; fix the wrong one"));
}

}  // namespace gguf
