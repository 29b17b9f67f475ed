// ggufcheck corpus: text to bytes and back, lists, exports and lint.
//
// SPDX-License-Identifier: Apache-2.0

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "cli/commands.h"
#include "cli/reader_flags.h"
#include "cli/terminal.h"
#include "conformance/base/limits.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/base/text_style.h"
#include "conformance/input/open.h"
#include "corpus/export/collection.h"
#include "corpus/export/export.h"
#include "corpus/export/lint.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/disassemble.h"
#include "corpus/language/image.h"

namespace gguf {
namespace {

struct AssembleFlags {
  std::string path;
  std::string output = "-";
  std::string cases;
};

// Prints an error about a path.
int Fail(const std::string& path, absl::string_view why, int code) {
  PrintError(Visible(absl::StrCat(path, ": ", why)));
  return code;
}
int Fail(const std::string& path, const absl::Status& why, int code) {
  return Fail(path, why.message(), code);
}

absl::StatusOr<Input> Open(const AssembleFlags& flags) {
  return Input::Open(flags.path, Limits().stream_bytes, Streams::kAny);
}

// Writes the image; returns the exit code.
int Write(const corpus::Image& image, const AssembleFlags& flags) {
  if (flags.output == "-") {
    const auto out = OutputFile::StandardOutput();
    corpus::StreamImage(image, out->out());
    return Finish(out.get()) ? kOk : kCouldNotRun;
  }
  InputFiles inputs;
  inputs.Add(flags.path, "the input");
  const auto out = OutputFile::Create(flags.output, flags.output, inputs);
  if (!out.ok()) return FailWith(out.status());
  const absl::Status written = corpus::WriteImage(image, (*out)->fd());
  if (!written.ok()) return Fail(flags.output, written, kCouldNotRun);
  return Finish(out->get()) ? kOk : kCouldNotRun;
}

// Loads base cases; searches for their folder only when there is a base.
corpus::Loader BaseLoader(const AssembleFlags& flags) {
  return [flags](absl::string_view id) -> absl::StatusOr<std::string> {
    const auto cases = FindCasesFor(flags.path, flags.cases);
    if (!cases.ok()) return cases.status();
    return corpus::FolderLoader(*cases)(id);
  };
}

int RunAssemble(const AssembleFlags& flags) {
  if (flags.output == "-" && isatty(STDOUT_FILENO)) {
    return Fail("standard output", "is a terminal; use -o FILE for binary data", kUsage);
  }
  const auto input = Open(flags);
  if (!input.ok()) return Fail(flags.path, input.status(), kCouldNotRun);
  const auto text = corpus::ReadText(AsText(input->bytes()), BaseLoader(flags));
  const std::string why = input->WhyChanged();
  if (!why.empty()) return Fail(flags.path, why, kCouldNotRun);
  if (!text.ok()) return Fail(flags.path, text.status(), kFindings);
  const auto image = corpus::Assemble(text->document);
  if (!image.ok()) return Fail(flags.path, image.status(), kFindings);
  return Write(*image, flags);
}

int RunDisassemble(const AssembleFlags& flags) {
  const auto input = Open(flags);
  if (!input.ok()) return Fail(flags.path, input.status(), kCouldNotRun);
  corpus::Image text;
  text.Append(corpus::Print(corpus::Disassemble(AsText(input->bytes()))));
  const std::string why = input->WhyChanged();
  if (!why.empty()) return Fail(flags.path, why, kCouldNotRun);
  return Write(text, flags);
}

CLI::App* Add(CLI::App* parent, const char* name, const char* what,
              const std::shared_ptr<AssembleFlags>& flags) {
  CLI::App* const command = parent->add_subcommand(name, what);
  command->add_option("FILE", flags->path, "A file, or - for standard input")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", flags->output, "Where to write (default: standard output)")
      ->type_name("FILE");
  return command;
}

}  // namespace

void AddAssembleCommands(CLI::App* parent, int* exit_code) {
  const auto flags = std::make_shared<AssembleFlags>();
  CLI::App* const assemble =
      Add(parent, "assemble", "Assemble case-language text into a file.", flags);
  assemble
      ->add_option("--cases", flags->cases,
                   "The folder with the base cases (default: the cases folder that contains FILE, "
                   "or the nearest corpus/cases)")
      ->type_name("DIR");
  assemble->footer(
      "Example:\n"
      "  ggufcheck corpus assemble mine.gguft -o mine.gguf");
  assemble->callback([flags, exit_code] { *exit_code = RunAssemble(*flags); });

  CLI::App* const disassemble =
      Add(parent, "disassemble", "Print a file as text that assembles to the same bytes.", flags);
  disassemble->footer(
      "Needs about 70 bytes of memory per number in an array or a plain tensor, and 700 MB at "
      "most: after 10 million numbers, others are shown as bytes. Zeros in a sparse file need "
      "none.\n\n"
      "Example:\n"
      "  ggufcheck corpus disassemble broken.gguf | less");
  disassemble->callback([flags, exit_code] { *exit_code = RunDisassemble(*flags); });
}

// ggufcheck corpus list, export and lint.

namespace {

using corpus::Case;

struct CorpusFlags {
  std::string cases;
  std::string glob = "*";
  std::string flag, level, verdict;
  std::string folder;
  bool big = false;
  bool update = false;
};

// Corpus texts are trusted, but paths are not.
int Fail(const absl::Status& status, int code) {
  PrintError(Visible(status.message()));
  return code;
}

bool Matches(const Case& a_case, const CorpusFlags& flags) {
  return fnmatch(flags.glob.c_str(), a_case.id.c_str(), 0) == 0 &&
         (flags.level.empty() || a_case.level == flags.level) &&
         (flags.verdict.empty() || VerdictName(a_case.verdict) == flags.verdict) &&
         (flags.flag.empty() ||
          std::find(a_case.flags.begin(), a_case.flags.end(), flags.flag) != a_case.flags.end());
}

// Returns InvalidArgument when flags.tsv does not have the flag.
absl::Status CheckFlag(const std::string& cases, const std::string& name) {
  const auto flags = corpus::ReadFlags(corpus::Beside(cases, "flags.tsv"));
  if (!flags.ok()) return flags.status();
  std::string known;
  for (const corpus::Flag& flag : *flags) {
    if (flag.name == name) return absl::OkStatus();
    absl::StrAppend(&known, " ", flag.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown flag ", name, "; known flags:", known));
}

// Formats ids and titles in two columns, or one below the other on a narrow
// terminal.
std::string Table(const std::vector<Case>& cases) {
  constexpr size_t kNarrowest = 40;  // Columns of the title.
  size_t id_width = 0;
  for (const Case& a_case : cases) {
    id_width = std::max(id_width, a_case.id.size());
  }
  const size_t width = TerminalWidth();
  const bool columns = width == 0 || width >= id_width + 2 + kNarrowest;
  std::string table;
  for (const Case& a_case : cases) {
    const std::string title = Visible(a_case.title);
    if (columns) {
      const std::string row = absl::StrFormat("%-*s  %s", id_width, a_case.id, title);
      absl::StrAppend(&table, Wrap(row, width, id_width + 2, id_width), "\n");
    } else {
      absl::StrAppend(&table, a_case.id, "\n", Wrap(absl::StrCat("    ", title), width, 4), "\n");
    }
  }
  return table;
}

int RunList(const CorpusFlags& flags) {
  const auto folder = FindCases(flags.cases);
  if (!folder.ok()) return Fail(folder.status(), kCouldNotRun);
  if (!flags.flag.empty()) {
    const absl::Status known = CheckFlag(*folder, flags.flag);
    if (!known.ok()) return FailWith(known);
  }
  const auto files = corpus::FindCaseFiles(*folder);
  if (!files.ok()) return Fail(files.status(), kCouldNotRun);

  std::vector<Case> listed;
  int code = kOk;
  for (const std::string& path : files->not_regular) {
    code = Fail(absl::InvalidArgumentError(path + ": not a regular file"), kFindings);
  }
  for (const std::string& id : files->ids) {
    absl::StatusOr<Case> read = corpus::LoadCase(*folder, id);
    if (!read.ok()) {
      code = Fail(read.status(), kFindings);
    } else if (Matches(*read, flags)) {
      listed.push_back(*std::move(read));
    }
  }
  if (listed.empty() && code == kOk) {
    return Fail(absl::NotFoundError("no case matches"), kCouldNotRun);
  }
  return Print(Table(listed)) ? code : kCouldNotRun;
}

int RunExport(const CorpusFlags& flags) {
  if (flags.folder.empty()) {
    return Fail(absl::InvalidArgumentError("DIR is empty"), kUsage);
  }
  const auto cases = FindCases(flags.cases);
  if (!cases.ok()) return Fail(cases.status(), kCouldNotRun);
  const absl::Status may = corpus::CheckExportFolder(*cases, flags.folder);
  if (!may.ok()) return Fail(may, kUsage);
  const absl::Status done = corpus::Export(*cases, flags.folder, flags.big);
  if (!done.ok()) return Fail(done, kCouldNotRun);
  const std::string line =
      absl::StrCat("exported; see ", flags.folder, "/manifest.json for the list");
  return Print(Visible(line) + "\n") ? kOk : kCouldNotRun;
}

int RunLint(const CorpusFlags& flags) {
  const auto cases = FindCases(flags.cases);
  if (!cases.ok()) return Fail(cases.status(), kCouldNotRun);
  int code = kOk;
  if (flags.update) {
    const absl::Status updated = corpus::UpdateManifest(*cases);
    if (!updated.ok()) code = Fail(updated, kCouldNotRun);
  }
  const std::vector<std::string> complaints = corpus::Lint(*cases);
  std::string out;
  for (const std::string& complaint : complaints) {
    absl::StrAppend(&out, Visible(complaint), "\n");
  }
  if (complaints.empty()) out = "nothing found\n";
  if (!Print(out)) return kCouldNotRun;
  return code == kOk && !complaints.empty() ? kFindings : code;
}

CLI::App* Add(CLI::App* command, const char* name, const char* what,
              const std::shared_ptr<CorpusFlags>& flags) {
  CLI::App* const added = command->add_subcommand(name, what);
  added
      ->add_option("--cases", flags->cases,
                   "The folder with the cases (default: corpus/cases in the working directory or "
                   "its nearest parent)")
      ->type_name("DIR");
  return added;
}

void AddList(CLI::App* parent, const std::shared_ptr<CorpusFlags>& flags, int* exit_code) {
  CLI::App* const list = Add(parent, "list", "List cases.", flags);
  list->add_option("GLOB", flags->glob,
                   "List only matching ids; * matches anything, ? one character")
      ->type_name("");
  list->add_option("--flag", flags->flag, "List only cases with this flag")->type_name("FLAG");
  list->add_option("--level", flags->level, "must, should or may")
      ->check(CLI::IsMember({"must", "should", "may"}))
      ->type_name("LEVEL");
  list->add_option("--verdict", flags->verdict, "valid, invalid or either")
      ->check(CLI::IsMember({"valid", "invalid", "either"}))
      ->type_name("VERDICT");
  list->footer("Example:\n  ggufcheck corpus list 'tensors/*' --level must");
  list->callback([flags, exit_code] { *exit_code = RunList(*flags); });
}

void AddExport(CLI::App* parent, const std::shared_ptr<CorpusFlags>& flags, int* exit_code) {
  CLI::App* const command =
      Add(parent, "export", "Write all cases as files, with a manifest.", flags);
  command->add_option("DIR", flags->folder, "A new folder, or that of an earlier export")
      ->required()
      ->type_name("");
  command->add_flag(
      "--big", flags->big,
      "Also export files larger than 64 KiB; some are sparse and larger than the disk");
  command->footer("Example:\n  ggufcheck corpus export golden");
  command->callback([flags, exit_code] { *exit_code = RunExport(*flags); });
}

void AddLint(CLI::App* parent, const std::shared_ptr<CorpusFlags>& flags, int* exit_code) {
  CLI::App* const lint = Add(parent, "lint", "Find mistakes in the corpus itself.", flags);
  lint->add_flag("--update", flags->update, "Write corpus/manifest.json first");
  lint->footer("Example:\n  ggufcheck corpus lint --update");
  lint->callback([flags, exit_code] { *exit_code = RunLint(*flags); });
}

}  // namespace

void AddCorpusCommand(CLI::App* program, int* exit_code) {
  CLI::App* const command =
      program->add_subcommand("corpus", "The golden corpus: files with their expected results.");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  ggufcheck corpus export golden\n"
      "  ggufcheck corpus disassemble model.gguf | head\n"
      "\nSee ggufcheck corpus COMMAND --help for details.");
  const auto flags = std::make_shared<CorpusFlags>();
  AddList(command, flags, exit_code);
  AddExport(command, flags, exit_code);
  AddAssembleCommands(command, exit_code);
  AddLint(command, flags, exit_code);
}

}  // namespace gguf
