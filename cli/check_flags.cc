// The definitions of the flags and their help texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/check_flags.h"

#include <algorithm>
#include <cstdint>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/limit_flags.h"
#include "parser/core/quote.h"

namespace gguf {

namespace {

// Adds the flag of an option of checks.
void AddOption(CLI::App* command, const char* name, CheckFlags* flags) {
  const CheckOption& option = *FindCheckOption(name);
  const std::string flag = absl::StrCat("--", name);
  const auto set = [&option, flag, flags](const std::string& text) {
    const absl::Status status = SetOption(option, text, &flags->settings);
    if (status.ok()) return;
    throw CLI::ValidationError(flag, std::string(status.message()));
  };
  CLI::Option* added = nullptr;
  switch (option.kind) {
    case CheckOption::kValue:
      added = command->add_option_function<std::string>(flag, set, option.help)
                  ->type_name(option.type);
      break;
    case CheckOption::kList:
      added = command
                  ->add_option_function<std::vector<std::string>>(
                      flag,
                      [set](const std::vector<std::string>& texts) {
                        for (const std::string& text : texts) set(text);
                      },
                      option.help)
                  ->type_name(option.type)
                  ->expected(1)
                  ->take_all()
                  ->allow_extra_args(false);  // The next argument is a PATH.
      break;
    case CheckOption::kSwitch:
      added = command->add_flag_function(
          flag, [set](int64_t count) { set(count > 0 ? "true" : "false"); },
          option.help);
      break;
    case CheckOption::kOptionalValue:
      added = command->add_flag(flag, flags->readers, option.help);
      break;
  }
  if (!option.group.empty()) added->group(option.group);
}

void AddConfigFlags(CLI::App* command, CheckFlags* flags) {
  AddOption(command, "config", flags);
  command->add_flag("--no-config", flags->no_config, "Read no configuration")
      ->group("Configuration");
}

void AddBaselineFlags(CLI::App* command, BaselineRequest* flags) {
  const auto add = [&](const char* name, std::string* value, const char* type,
                       const char* help) {
    AddValue(command, name, value, type, help)->group("Baseline");
  };
  add("--baseline", &flags->read, "FILE",
      "Do not count the known findings listed in this file");
  add("--write-baseline", &flags->write, "FILE",
      "Write the current findings to a baseline, or update it");
  add("--baseline-reason", &flags->reason, "TEXT",
      "Why new findings are accepted; a baseline needs a reason on each line");
  command
      ->add_flag("--baseline-safety", flags->safety,
                 "Let the baseline accept errors of the profile safety, too")
      ->group("Baseline");
}

void AddUrlFlags(CLI::App* command, CheckFlags* flags) {
  constexpr char kGroup[] = "URLs";
  HttpAccess* const http = &flags->http;
  command
      ->add_flag("--allow-private-redirects", http->private_redirects,
                 "Follow a web server's redirects to private addresses")
      ->group(kGroup);
  AddList(command, "--header", &flags->http_headers, "NAME:VALUE",
          "Send this header to the servers of URLs, but not to those that they "
          "redirect to (repeatable)");
  command->get_option("--header")->group(kGroup);
  AddValue(command, "--cacert", &http->ca_file, "FILE",
           "Trust the certificates in FILE, not those of the system")
      ->group(kGroup);
}

void AddManyFilesFlags(CLI::App* command, CheckFlags* flags) {
  const auto add = [&](const char* name, auto* value, const char* type,
                       const char* help) {
    return AddValue(command, name, value, type, help)->group("Many files");
  };
  add("--files-from", &flags->list, "FILE",
      "Also check the paths listed in FILE, one per line; - is standard input");
  add("--files-from0", &flags->list0, "FILE",
      "The same, with NUL-separated paths as written by find -print0");
  add("--include", &flags->choice.include, "GLOB",
      "Also check the files in directories whose names match, besides those "
      "that are or look like models (repeatable)")
      ->allow_extra_args(false);
  command
      ->add_flag("--all-files", flags->choice.all,
                 "Check all files in directories")
      ->group("Many files");
  add("--shard", &flags->shard, "K/N", kShardHelp);
}

void AddJobsAndLimits(CLI::App* command, CheckFlags* flags) {
  AddOption(command, "jobs", flags);
  flags->settings.jobs = std::max(1u, std::thread::hardware_concurrency());
  for (const CheckOption& option : CheckOptions()) {
    const bool is_limit = option.group == "Limits";
    if (is_limit) AddOption(command, option.name.c_str(), flags);
  }
}

}  // namespace

void AddCompareFlags(CLI::App* command, CheckFlags* flags) {
  AddValue(command, "PATH", &flags->paths, "",
           "The base, unless --source is given; then the files to compare, or "
           "directories to search for models");
  AddValue(command, "--source", &flags->source, "DIR",
           "Compare with the files of this Hugging Face folder, not with a "
           "base");
  AddOption(command, "fail-on", flags);
  AddReportFlags(command, &flags->report);
  AddOption(command, "ignore", flags);
  AddJobsAndLimits(command, flags);
}

void AddCheckFlags(CLI::App* command, CheckFlags* flags) {
  AddValue(command, "PATH", &flags->paths, "",
           "Files, directories to search for models, URLs, or - for standard "
           "input; other shards in the same directory are included");
  AddOption(command, "profile", flags);
  AddOption(command, "fail-on", flags);
  AddReportFlags(command, &flags->report);
  command->add_flag("--exit-zero", flags->exit_zero,
                    "Exit with 0 even if there are findings");
  AddManyFilesFlags(command, flags);
  AddConfigFlags(command, flags);
  AddBaselineFlags(command, &flags->baseline);
  for (const char* name : {"preview", "select", "ignore", "base"}) {
    AddOption(command, name, flags);
  }
  AddValue(command, "--digest", &flags->digest, "FILE",
           "Compare the files with this manifest from ggufcheck digest");
  AddValue(command, "--sha256", &flags->sha256, "EXPECTED",
           "Compare the SHA-256 of the whole files with EXPECTED: 64 hex "
           "digits, a file written by sha256sum, a Git LFS pointer, or the "
           "word 'names', which takes it from the names of ollama's blobs");
  AddOption(command, "header-only", flags);
  AddOption(command, "size", flags);
  AddUrlFlags(command, flags);
  for (const char* name : {"weights", "stats", "readers"}) {
    AddOption(command, name, flags);
  }
  AddJobsAndLimits(command, flags);
}

}  // namespace gguf
