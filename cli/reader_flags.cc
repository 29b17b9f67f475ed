// Finds a reader by its name in readers.toml, or builds one from --cmd; runs
// its setup and reads its greeting.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/reader_flags.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/cases.h"
#include "corpus/language/image.h"

namespace gguf {

namespace fs = std::filesystem;

namespace {

// Returns the relative path of the nearest `name` in the current folder or its
// parents; empty when there is none.
std::string FindAbove(const std::string& name) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  std::string up;
  for (fs::path at = here; !error; at = at.parent_path()) {
    if (fs::exists(up + name, error)) return up + name;
    error.clear();  // The file is merely missing.
    if (at == at.parent_path()) break;
    up += "../";
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> FindCases(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) {
    // Also the folder around, such as that of the corpus archive.
    const std::string within = (fs::path(folder) / "cases").string();
    if (fs::is_directory(within, error)) return within;
    if (fs::is_directory(folder, error)) return folder;
    return absl::NotFoundError(absl::StrCat("--cases: no such folder: ", folder));
  }
  const std::string cases = FindAbove("corpus/cases");
  if (!cases.empty()) return cases;
  // The archive of the corpus.
  if (fs::exists("manifest.json", error) && fs::is_directory("cases", error)) {
    return "cases";
  }
  return absl::NotFoundError(
      "no corpus/cases in the working directory or its parents; use --cases DIR, or change to a "
      "checkout of ggufcheck or to its corpus archive");
}

absl::StatusOr<std::string> FindReadersFile(const std::string& path) {
  if (!path.empty()) return path;
  const std::string file = FindAbove("conformance/readers/readers.toml");
  if (!file.empty()) return file;
  return absl::NotFoundError(
      "no conformance/readers/readers.toml here or in a parent; use --readers FILE, or --cmd "
      "'COMMAND' instead of --reader");
}

absl::StatusOr<std::string> FindCasesFor(const std::string& text_path, const std::string& folder) {
  std::error_code error;
  const fs::path above =
      fs::absolute(text_path, error).lexically_normal().parent_path().parent_path();
  if (folder.empty() && !error && above.filename() == "cases") {
    return above.string();
  }
  return FindCases(folder);
}

absl::StatusOr<KnownFailuresFile> KnownFailuresFile::Read(const std::string& path, bool fix) {
  KnownFailuresFile file;
  file.path_ = path;
  if (path.empty()) {
    if (!fix) return file;
    return absl::InvalidArgumentError("--fix needs --known-failures FILE");
  }
  absl::StatusOr<std::string> text = corpus::ReadFile(path);
  if (text.ok()) {
    file.text_ = *std::move(text);
  } else if (!fix || !absl::IsNotFound(text.status())) {
    return absl::UnavailableError(text.status().message());
  }
  auto list = readers::KnownFailures::Parse(file.text_);
  if (!list.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", list.status().message()));
  }
  file.list_ = *std::move(list);
  return file;
}

std::vector<std::string> KnownFailuresFile::Differences(
    const std::vector<readers::CaseRecord>& records, const std::set<std::string>& ids) const {
  std::vector<std::string> differences;
  if (path_.empty()) return differences;
  for (const std::string& id : list_.Gone(ids)) {
    differences.push_back(
        absl::StrCat(path_, ": case ", id, " no longer exists; remove the line, or use --fix"));
  }
  constexpr size_t kShown = 10;
  std::vector<std::string> unlisted;
  for (const readers::CaseRecord& record : records) {
    if (record.result == readers::CaseResult::kXpass) {
      differences.push_back(
          absl::StrCat(path_, ": ", record.id,
                       " is listed as a known failure, but passes; remove the line, or use --fix"));
    } else if (readers::IsUnexpected(record.result)) {
      unlisted.push_back(absl::StrCat(path_, ": new failure of ", record.id, ", ",
                                      InfoOf(record.result).name,
                                      "; fix the reader, or use --fix"));
    }
  }
  const size_t shown = std::min(unlisted.size(), kShown);
  differences.insert(differences.end(), unlisted.begin(), unlisted.begin() + shown);
  if (shown < unlisted.size()) {
    differences.push_back(absl::StrCat(path_, ": ", unlisted.size() - shown, " more new failures"));
  }
  return differences;
}

absl::Status KnownFailuresFile::Fix(const std::vector<readers::CaseRecord>& records,
                                    const std::set<std::string>& ids) const {
  return ReplaceFile(path_, readers::KnownFailures::Fix(text_, records, ids), InputFiles());
}

// Finds a reader by its name in readers.toml, or builds one from --cmd; runs
// its setup and reads its greeting.

namespace {

using readers::Reader;

absl::StatusOr<Reader> NamedReader(const ReaderFlags& flags) {
  const auto path = FindReadersFile(flags.readers_file);
  if (!path.ok()) return path.status();
  return readers::ReadReader(*path, flags.name);
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

absl::StatusOr<Reader> ReaderOfCommand(const std::string& command) {
  absl::StatusOr<std::vector<std::string>> words = readers::SplitCommand(command);
  if (!words.ok()) return words.status();
  Reader reader;
  reader.command = *std::move(words);
  reader.name = std::filesystem::path(reader.command[0]).filename().string();
  return reader;
}

void AddReaderFlags(CLI::App* command, ReaderFlags* flags) {
  CLI::Option* reader =
      AddValue(command, "--reader", &flags->name, "NAME", "A reader listed in readers.toml");
  AddValue(command, "--cmd", &flags->command, "COMMAND",
           "The command of a reader that implements docs/reader-protocol.md, or, with {path}, of "
           "any program that reads a file")
      ->excludes(reader);
  AddValue(command, "--readers", &flags->readers_file, "FILE",
           "Another readers.toml (default: the nearest conformance/readers/readers.toml)");
  AddValue(
      command, "--timeout", &flags->timeout, "TIME",
      absl::StrCat("Time limit per file, with a unit: 2s, 500ms (default: ", flags->timeout, ")"));
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
