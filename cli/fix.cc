// ggufcheck fix: writes a file without what a check finds, as far as that can be proven.
//
// SPDX-License-Identifier: Apache-2.0

#include <sys/stat.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/base/json.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/check/base_input.h"
#include "conformance/check/files.h"
#include "conformance/fix/fix_json.h"
#include "conformance/fix/plan.h"
#include "conformance/fix/write.h"
#include "conformance/input/open.h"
#include "conformance/rules/catalogue.h"

namespace gguf {
namespace {

struct FixFlags {
  std::string path, output, template_path, format = "text", profile = Profile::kDefault;
  bool in_place = false, diff = false;
  FixOptions fix;
};

// The files of a run: those of a set of shards, or one.
struct FixRun {
  std::vector<std::string> paths, outputs;
  std::deque<Input> inputs;
  std::vector<Source> sources;
  std::vector<PlannedFile> plan;
  bool written = false;

  bool has_changes() const {
    return absl::c_any_of(plan, [](const PlannedFile& f) { return f.result != nullptr; });
  }
  bool has_errors() const {
    return absl::c_any_of(plan, [](const PlannedFile& f) { return f.after.counts.error > 0; });
  }
};

absl::Status Named(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(Quote(path, path.size()), ": ", status.message()));
}

absl::Status OpenFiles(const FixFlags& flags, FixRun* run) {
  struct stat status;
  if (IsUrl(flags.path) || flags.path == "-" ||
      (stat(flags.path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))) {
    return Named(flags.path, absl::FailedPreconditionError("only files on disk can be fixed"));
  }
  const std::vector<FileGroup> groups = GroupShards(FindFiles({flags.path}).files);
  for (const FoundFile& file : groups[0].files) {
    if (!file.status.ok()) return Named(file.path, file.status);
    auto input = Input::Open(file.path, flags.fix.check.limits.stream_bytes);
    if (!input.ok()) return Named(file.path, input.status());
    run->paths.push_back(file.path);
    run->inputs.push_back(*std::move(input));
    run->sources.push_back(run->inputs.back().source());
  }
  return absl::OkStatus();
}

// Chooses where the files go; a set goes to a folder.
absl::Status ChooseOutputs(const FixFlags& flags, FixRun* run) {
  InputFiles inputs;
  for (const std::string& path : run->paths) inputs.Add(path, "the input");
  for (const std::string& path : run->paths) {
    std::string output = flags.in_place           ? path
                         : run->paths.size() == 1 ? flags.output
                                                  : absl::StrCat(flags.output, "/", BaseName(path));
    const absl::Status refused = flags.in_place ? CheckMayReplace(path) : inputs.Refuse(output);
    if (!refused.ok()) return Named(output, refused);
    run->outputs.push_back(std::move(output));
  }
  struct stat status;
  if (run->paths.size() > 1 && !flags.in_place &&
      (stat(flags.output.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))) {
    return absl::InvalidArgumentError(
        "--output of a model in shards is a folder, which must exist");
  }
  return absl::OkStatus();
}

absl::Status Write(const FixFlags& flags, FixRun* run) {
  std::vector<FixedOutput> files;
  std::vector<size_t> places;
  std::deque<Spliced> copies;
  for (size_t i = 0; i < run->paths.size(); ++i) {
    const Spliced* result = run->plan[i].result.get();
    if (result == nullptr) {
      if (flags.in_place) continue;
      copies.emplace_back(run->sources[i]);
      copies.back().AppendFrom(nullptr, 0, run->sources[i].size);
      result = &copies.back();
    }
    files.push_back({run->paths[i], run->outputs[i], result});
    places.push_back(i);
  }
  ProgressLine progress;
  WriteOptions options;
  options.progress = [&](uint64_t done, uint64_t total) { progress.Show(done, total); };
  options.interrupted = Interrupted;
  options.why_changed = [&](size_t i) { return run->inputs[places[i]].WhyChanged(); };
  options.check = [&](const std::string& path, size_t i) -> absl::Status {
    const auto input = Input::Open(path, flags.fix.check.limits.stream_bytes);
    if (!input.ok()) return input.status();
    if (run->paths.size() > 1) return absl::OkStatus();  // The plan has checked the set.
    Source source = input->source();
    source.name = run->sources[i].name;
    const auto report = Validate(source, flags.fix.profile, flags.fix.check);
    const auto worse = NewFindings(run->plan[places[i]].before, report);
    return worse.empty() ? absl::OkStatus()
                         : absl::InternalError("the result has a new finding: " + worse[0]);
  };
  return WriteFixed(files, options);
}

std::string TextOf(const FixRun& run) {
  std::string out;
  for (size_t i = 0; i < run.paths.size(); ++i) {
    const PlannedFile& file = run.plan[i];
    absl::StrAppend(&out, Escape(run.paths[i], run.paths[i].size()), "\n");
    for (const Change& change : file.changes) {
      absl::StrAppend(&out, "  ", change.subject, ": ",
                      change.from.empty() ? "absent" : change.from, " -> ",
                      change.to.empty() ? "removed" : change.to, "  [",
                      change.rule == nullptr ? "as asked" : change.rule->id, "]\n");
    }
    if (file.changes.empty()) absl::StrAppend(&out, "  nothing is changed\n");
    for (const Finding& finding : file.after.findings) {
      const Diagnostic& found = finding.diagnostic;
      if (finding.severity == Severity::kNote) continue;
      absl::StrAppend(&out, "  left: ", SeverityName(finding.severity), " ", found.subject, " ",
                      found.message, "  [", found.rule->id,
                      "; fix: ", WordOf(FixOf(*found.rule).fix), "]\n");
    }
  }
  for (const std::string& path : run.outputs) {
    absl::StrAppend(&out, "written: ", Escape(path, path.size()), "\n");
  }
  return out;
}

absl::Status Prepare(FixFlags* flags) {
  FixOptions& fix = flags->fix;
  const int targets = !flags->output.empty() + flags->in_place + flags->diff;
  if (targets != 1) {
    return absl::InvalidArgumentError("fix needs one of --output NEW, --in-place and --diff");
  }
  fix.profile = *Profile::Find(flags->profile);
  fix.interrupted = Interrupted;
  if (!flags->template_path.empty()) {
    const auto file =
        Input::Open(flags->template_path, fix.check.limits.stream_bytes, Streams::kAny);
    if (!file.ok()) return Named(flags->template_path, file.status());
    fix.wishes.chat_template = std::string(AsText(file->bytes()));
    fix.wishes.has_template = true;
  }
  return absl::OkStatus();
}

absl::Status Run(FixFlags* flags, FixRun* run) {
  absl::Status status = Prepare(flags);
  InputFiles unused;
  std::unique_ptr<const Origin> source;
  if (status.ok() && !flags->fix.check.source.empty()) {
    auto origin = ReadFolder(flags->fix.check, &unused);
    if (!origin.ok()) return origin.status();
    source = *std::move(origin);
    flags->fix.source = source.get();
  }
  if (status.ok()) status = OpenFiles(*flags, run);
  if (status.ok() && !flags->diff) status = ChooseOutputs(*flags, run);
  if (!status.ok()) return status;
  auto plan = MakePlan(run->sources, flags->fix);
  if (!plan.ok()) {
    return absl::IsInvalidArgument(plan.status()) ? plan.status()
                                                  : Named(flags->path, plan.status());
  }
  run->plan = *std::move(plan);
  for (const Input& input : run->inputs) {
    if (!input.WhyChanged().empty())
      return Named(flags->path, absl::AbortedError(input.WhyChanged()));
  }
  if (flags->diff || !run->has_changes()) return absl::OkStatus();
  status = Write(*flags, run);
  run->written = status.ok();
  return status;
}

int RunFix(FixFlags* flags) {
  CatchInterrupts();
  FixRun run;
  const absl::Status status = Run(flags, &run);
  if (!status.ok()) return FailWith(status);
  if (!run.written) run.outputs.clear();
  Print(flags->format == "json"
            ? JsonText(FixJson(flags->profile, run.plan, run.paths, run.outputs), 2) + "\n"
            : TextOf(run));
  return run.has_errors() ? kFindings : kOk;
}

}  // namespace

void AddFixCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<FixFlags>();
  FixOptions& fix = flags->fix;
  fix.check = ProgramOptions();
  CLI::App* command =
      program->add_subcommand("fix", "Write a file without the faults that can be repaired.");
  AddValue(command, "MODEL", &flags->path, "", "A file, or a shard: all shards are fixed together")
      ->required();
  AddValue(command, "--output", &flags->output, "NEW",
           "Write the result here: a file, or a folder for shards");
  command->add_flag("--in-place", flags->in_place, "Change the file itself");
  command->add_flag("--diff", flags->diff, "Print what would be changed, and write nothing");
  command->add_flag("--unsafe", fix.is_unsafe,
                    "Also apply fixes with which readers behave differently, if there is one "
                    "candidate");
  AddValue(command, "--source", &fix.check.source, "DIR",
           "Write the values of the files in this Hugging Face folder");
  AddValue(command, "--set", &fix.wishes.set, "KEY=VALUE",
           "Set a key, in the type that it has or should have; an array as [a,b]")
      ->take_all();
  AddValue(command, "--set-type", &fix.wishes.set_type, "TYPE",
           "The type of --set, such as u32 or arr[str]");
  AddValue(command, "--set-token", &fix.wishes.set_token, "NAME=TEXT",
           "Set a special token, such as eos, by its text")
      ->take_all();
  AddValue(command, "--template", &flags->template_path, "FILE", "Set the chat template");
  AddValue(command, "--remove", &fix.wishes.remove, "KEY", "Remove a key")->take_all();
  command->add_flag("--all", fix.all, "Apply fixes in addition to --set and the like");
  AddChoice(command, "--profile", &flags->profile,
            {"safety", "spec", "llama.cpp", "upload", "pedantic"}, "Fix the findings of a profile");
  AddChoice(command, "--format", &flags->format, {"text", "json"}, "The format of the output");
  AddLimitFlags(command, &fix.check);
  command->footer(
      "Tensors keep their bytes.  The result is checked: it has no finding that MODEL does not\n"
      "have, or nothing is written.  Exit codes:\n"
      "  0  written, or nothing to do, and the result has no error\n"
      "  1  errors are left, whether or not something was written\n"
      "  2  invalid command line\n"
      "  3  not read, refused or not finished; nothing was written\n"
      "\nExamples:\n"
      "  ggufcheck fix model.gguf --diff\n"
      "  ggufcheck fix model.gguf --output fixed.gguf --unsafe\n"
      "  ggufcheck fix model.gguf --in-place --set-token 'eos=</s>'\n"
      "  ggufcheck fix model.gguf --output fixed.gguf --source Qwen3-0.6B");
  command->callback([flags, exit_code] { *exit_code = RunFix(flags.get()); });
}

}  // namespace gguf
