// Finds a reader by its name in readers.toml, or builds one from --cmd.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/reader_flags.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/find_cases.h"
#include "conformance/readers/process/readers_toml.h"
#include "conformance/readers/run/selection.h"
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
  absl::StatusOr<std::vector<std::string>> words =
      readers::SplitCommand(command);
  if (!words.ok()) return words.status();
  Reader reader;
  reader.command = *std::move(words);
  reader.name = std::filesystem::path(reader.command[0]).filename().string();
  return reader;
}

absl::Status SetExitCodes(const std::string& text, std::vector<int>* codes) {
  if (text.empty()) return absl::OkStatus();
  absl::StatusOr<std::vector<int>> parsed = readers::ParseExitCodes(text);
  if (parsed.ok()) *codes = *std::move(parsed);
  return parsed.status();
}

// Applies the remaining flags, which override readers.toml.
absl::Status Override(const ReaderFlags& flags, Reader* reader) {
  if (!flags.sanitizer.empty()) reader->sanitizer = flags.sanitizer;
  for (const std::string& variable : flags.environment) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(variable, absl::MaxSplits('=', 1));
    if (parts.first.empty() || parts.first == variable) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--env: invalid value ", Quote(variable), ": expected NAME=VALUE"));
    }
    reader->environment[parts.first] = parts.second;
  }
  const absl::Status set =
      SetExitCodes(flags.accept_exit, &reader->accept_exit);
  if (!set.ok()) return set;
  return SetExitCodes(flags.reject_exit, &reader->reject_exit);
}

}  // namespace

void AddReaderFlags(CLI::App* command, ReaderFlags* flags) {
  auto* const reader = command
                           ->add_option("--reader", flags->name,
                                        "A reader listed in readers.toml")
                           ->type_name("NAME");
  command
      ->add_option("--cmd", flags->command,
                   "The command of a reader that implements "
                   "docs/reader-protocol.md, or, with {path}, of any program "
                   "that reads a file")
      ->type_name("COMMAND")
      ->excludes(reader);
  command
      ->add_option("--readers", flags->readers_file,
                   "Another readers.toml (default: the nearest "
                   "conformance/readers/readers.toml)")
      ->type_name("FILE");
  command
      ->add_option("--timeout", flags->timeout,
                   "Time limit per file, with a unit: 2s, 500ms (default: 10s)")
      ->type_name("TIME");
  command
      ->add_option("--sanitizer", flags->sanitizer,
                   "The sanitizer that the reader was built with; its address "
                   "space is then not limited")
      ->check(CLI::IsMember(readers::SanitizerKinds()))
      ->type_name("KIND");
  command
      ->add_option("--env", flags->environment,
                   "Set an environment variable for the reader, which "
                   "otherwise sees only PATH, HOME and TMPDIR (repeatable)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--accept-exit", flags->accept_exit,
                   "With {path}: exit codes for an accepted file (default: 0)")
      ->type_name("N,...");
  command
      ->add_option("--reject-exit", flags->reject_exit,
                   "With {path}: exit codes for a rejected file (default: 1)")
      ->type_name("N,...");
}

absl::StatusOr<Reader> ReaderOf(const ReaderFlags& flags) {
  if (flags.name.empty() && flags.command.empty()) {
    return absl::InvalidArgumentError(
        "no reader given; use --reader NAME or --cmd 'COMMAND'");
  }
  absl::StatusOr<Reader> reader = flags.command.empty()
                                      ? NamedReader(flags)
                                      : ReaderOfCommand(flags.command);
  if (!reader.ok()) return reader;
  const absl::Status overridden = Override(flags, &*reader);
  if (!overridden.ok()) return overridden;
  return reader;
}

absl::StatusOr<readers::WatchLimits> LimitsOf(const ReaderFlags& flags,
                                              const Reader& reader) {
  readers::WatchLimits limits;
  const auto timeout = readers::ParseTimeout(flags.timeout);
  if (!timeout.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--timeout: ", timeout.status().message()));
  }
  limits.time = *timeout;
  limits.memory = reader.memory;
  return limits;
}

}  // namespace gguf
