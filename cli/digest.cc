// ggufcheck digest: SHA-256 of each tensor and of the metadata, as a manifest.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/digest.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"
#include "conformance/digest/digest_manifest.h"
#include "conformance/gate/files.h"
#include "conformance/input/open.h"
#include "conformance/model/placement.h"
#include "parser/core/quote.h"
#include "parser/parse.h"

namespace gguf {
namespace {

struct DigestFlags {
  std::vector<std::string> paths;
  CheckOptions options = ProgramOptions();
};

// Returns why the file's tensors cannot be digested; empty when they can.
std::string WhyNone(const File& file) {
  if (file.progress != Progress::kTensors) return file.stop->Why();
  if (!file.alignment_known) return "general.alignment is invalid";
  if (PlaceTensors(file).data_end) return "";
  return "the data of a tensor is misplaced or of unknown size; see ggufcheck check";
}

// Returns InvalidArgument for a broken file.
absl::StatusOr<FileDigest> DigestPath(const FoundFile& found, const DigestFlags& flags) {
  if (!found.status.ok()) return absl::NotFoundError(found.status.message());
  const auto input = Input::Open(found.path, flags.options.limits.stream_bytes);
  if (!input.ok()) return absl::NotFoundError(input.status().message());
  Diagnostics diagnostics(1);
  const File file = Parse(input->bytes(), flags.options.limits, &diagnostics);
  const std::string why = WhyNone(file);
  if (!why.empty()) {
    const bool not_done = file.stop && file.stop->kind == Stop::kNotDone;
    return not_done ? absl::ResourceExhaustedError(why) : absl::InvalidArgumentError(why);
  }
  ProgressLine progress;
  DigestOptions options;
  options.jobs = flags.options.jobs;
  options.progress = [&](uint64_t done, uint64_t total) { progress.Show(done, total); };
  std::optional<FileDigest> digest = DigestFile(file, DataRanges(file), options);
  const std::string changed = input->WhyChanged();
  if (!changed.empty()) return absl::AbortedError(changed);
  return *std::move(digest);
}

int RunDigest(const DigestFlags& flags) {
  int code = kOk;
  std::vector<DigestEntry> digests;
  for (const FoundFile& found : FindFiles(flags.paths).files) {
    absl::StatusOr<FileDigest> digest = DigestPath(found, flags);
    if (digest.ok()) {
      digests.push_back({found.path, *std::move(digest)});
      continue;
    }
    PrintError(
        absl::StrCat(Escape(found.path, found.path.size()), ": ", digest.status().message()));
    code = std::max<int>(code, absl::IsInvalidArgument(digest.status()) ? kFindings : kCouldNotRun);
  }
  // A partial manifest would look like a complete one.
  if (code != kOk) return code;
  return Print(WriteDigests(digests)) ? kOk : kCouldNotRun;
}

}  // namespace

void AddDigestCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<DigestFlags>();
  CLI::App* command = program->add_subcommand(
      "digest", "Print the SHA-256 of each tensor's data and of the metadata.");
  AddValue(command, "PATH", &flags->paths, "",
           "Files, directories to search for models, or - for standard input")
      ->required();
  AddFlags(command, {"jobs"}, &flags->options);
  AddLimitFlags(command, &flags->options);
  command->footer(
      "The manifest is JSON.  \"metadata\" covers all bytes outside tensor data.\nNothing is "
      "printed unless all files could be read.\n"
      "\nExamples:\n"
      "  ggufcheck digest model.gguf > model.digest.json\n"
      "  ggufcheck check --digest model.digest.json model.gguf");
  command->callback([flags, exit_code] { *exit_code = RunDigest(*flags); });
}

}  // namespace gguf
