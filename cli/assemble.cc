// ggufcheck corpus assemble and disassemble: text to bytes and back.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/assemble.h"

#include <unistd.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/commands.h"
#include "cli/find_cases.h"
#include "cli/terminal.h"
#include "conformance/input/open.h"
#include "conformance/output/output_file.h"
#include "corpus/language/case.h"
#include "corpus/language/disassemble.h"
#include "corpus/language/image.h"
#include "corpus/language/image_file.h"
#include "parser/core/limits.h"
#include "parser/core/quote.h"

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

}  // namespace gguf
