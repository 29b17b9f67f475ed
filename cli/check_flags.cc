// What the command line can say, and the help about it.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/check_flags.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/limit_flags.h"
#include "conformance/report/formats.h"
#include "parser/core/quote.h"

namespace gguf {

const std::map<std::string, Severity>& FailOnNames() {
  static const auto& names =
      *new std::map<std::string, Severity>{{"error", Severity::kError},
                                           {"warning", Severity::kWarning},
                                           {"note", Severity::kNote}};
  return names;
}

namespace {

template <class Value>
std::vector<std::string> Names(const std::map<std::string, Value>& map) {
  std::vector<std::string> names;
  for (const auto& entry : map) names.push_back(entry.first);
  return names;
}

// One of some values.
void AddChoice(CLI::App* command, const char* name, std::string* value,
               const std::vector<std::string>& values,
               const std::string& help) {
  command
      ->add_option(name, *value,
                   absl::StrCat(help, ": ", absl::StrJoin(values, ", "),
                                " (default ", *value, ")"))
      ->check([values](const std::string& text) -> std::string {
        if (std::count(values.begin(), values.end(), text) > 0) return "";
        return absl::StrCat("is one of ", absl::StrJoin(values, ", "), ", not ",
                            Quote(text));
      })
      ->type_name("NAME");
}

// Given once or several times.
void AddList(CLI::App* command, const char* name,
             std::vector<std::string>* value, const char* type,
             const char* help) {
  command->add_option(name, *value, help)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)  // What follows is a PATH.
      ->type_name(type);
}

// Which ones there are, the configuration says.
void AddProfileFlag(CLI::App* command, CheckFlags* flags) {
  std::vector<std::string> names;
  for (const Profile& profile : Profile::BuiltIn()) {
    names.push_back(profile.name());
  }
  command
      ->add_option(
          "--profile", flags->profile,
          absl::StrCat("The question to answer: ", absl::StrJoin(names, ", "),
                       ", or one of the configuration (default ",
                       flags->profile, ")"))
      ->type_name("NAME");
}

void AddConfigFlags(CLI::App* command, CheckFlags* flags) {
  command
      ->add_option("--config", flags->config,
                   "Read this configuration (default: ggufcheck.toml of the "
                   "working folder or the nearest above)")
      ->type_name("FILE")
      ->group("Configuration");
  command->add_flag("--no-config", flags->no_config, "Read no configuration")
      ->group("Configuration");
}

void AddBaselineFlags(CLI::App* command, BaselineRequest* flags) {
  const auto add = [&](const char* name, std::string* value, const char* type,
                       const char* help) {
    command->add_option(name, *value, help)->type_name(type)->group("Baseline");
  };
  add("--baseline", &flags->read, "FILE",
      "Findings that are known and do not count");
  add("--write-baseline", &flags->write, "FILE",
      "Write the findings there are into a baseline, or renew it");
  add("--baseline-reason", &flags->reason, "TEXT",
      "Why the new ones are accepted; each line of a baseline needs a reason");
  command
      ->add_flag("--baseline-safety", flags->safety,
                 "Errors of the profile safety may be known, too")
      ->group("Baseline");
}

void AddHeaderFlags(CLI::App* command, HeaderOptions* flags) {
  constexpr char kGroup[] = "Files that are not all there";
  command
      ->add_flag("--header-only", flags->only,
                 "Judge header, keys and tensor table, and read no further; so "
                 "are URLs")
      ->group(kGroup);
  command
      ->add_option("--size", flags->size,
                   "How long the file is of which a stream is the beginning")
      ->type_name("BYTES")
      ->group(kGroup);
  command
      ->add_flag("--allow-private-redirects", flags->private_redirects,
                 "Follow a web server's redirects to private addresses")
      ->group(kGroup);
}

void AddManyFilesFlags(CLI::App* command, CheckFlags* flags) {
  const auto add = [&](const char* name, auto* value, const char* type,
                       const char* help) {
    command->add_option(name, *value, help)
        ->type_name(type)
        ->group("Many files");
  };
  add("--files-from", &flags->list, "FILE",
      "Check the paths in FILE, too, one a line; - is standard input");
  add("--files-from0", &flags->list0, "FILE",
      "The same with NULs between the paths, as find -print0 writes them");
  add("--shard-index", &flags->shard.index, "N",
      "Check only the Nth share of the models, from 0 on (default: by Bazel's, "
      "Slurm's or Kubernetes' variables, else all)");
  add("--shard-count", &flags->shard.count, "N",
      "How many runs share the models; ggufcheck merge-reports joins them");
}

}  // namespace

void AddReportFlags(CLI::App* command, std::string* format,
                    std::vector<std::string>* reports) {
  AddChoice(command, "--format", format, ReportFormatNames(),
            "Of the report on standard output");
  AddList(command, "--report", reports, "FORMAT=PATH",
          "Write another report to a file; may be given several times");
}

absl::Status CheckTogether(const CheckFlags& flags) {
  const BaselineRequest& baseline = flags.baseline;
  const char* wrong = nullptr;
  if (flags.no_config && !flags.config.empty()) {
    wrong = "--config and --no-config exclude each other";
  } else if (!baseline.read.empty() && !baseline.write.empty()) {
    wrong = "--baseline and --write-baseline exclude each other";
  } else if (!baseline.reason.empty() && baseline.write.empty()) {
    wrong = "--baseline-reason is for --write-baseline";
  }
  return wrong == nullptr ? absl::OkStatus()
                          : absl::InvalidArgumentError(wrong);
}

void AddCheckFlags(CLI::App* command, CheckFlags* flags) {
  command
      ->add_option("PATH", flags->paths,
                   "Files, directories to search for models, URLs, or - for "
                   "standard input; a shard brings the others of its folder")
      ->type_name("");
  AddProfileFlag(command, flags);
  AddChoice(command, "--fail-on", &flags->fail_on, Names(FailOnNames()),
            "The least severity that fails a file");
  AddReportFlags(command, &flags->format, &flags->reports);
  AddManyFilesFlags(command, flags);
  AddConfigFlags(command, flags);
  AddBaselineFlags(command, &flags->baseline);
  AddList(command, "--select", &flags->select, "RULES",
          "Check only these rules: ids or prefix*, separated by commas");
  AddList(command, "--ignore", &flags->ignore, "RULES",
          "Leave these rules out: ids or prefix*, separated by commas");
  command
      ->add_option("--base", flags->base,
                   "The model that the adapters or control vectors are for: "
                   "do they fit?")
      ->type_name("PATH");
  command
      ->add_option("--digest", flags->digest,
                   "A manifest of ggufcheck digest: are these the same files?")
      ->type_name("FILE");
  AddHeaderFlags(command, &flags->header);
  command->add_flag("--weights", flags->weights,
                    "Read the data of all tensors: are all weights finite?");
  command->add_flag("--stats", flags->stats,
                    "Statistics of each tensor; implies --weights");
  command->add_flag("--readers", flags->readers,
                    "Foretell which programs will take the file, and why not");
  AddJobsFlag(command, &flags->jobs);
  AddLimitFlags(command, &flags->limits);
}

}  // namespace gguf
