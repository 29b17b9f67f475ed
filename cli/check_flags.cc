// The definitions of the flags and their help texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/check_flags.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/limit_flags.h"
#include "conformance/report/writers.h"
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

// Adds a flag whose value is one of `values`.
void AddChoice(CLI::App* command, const char* name, std::string* value,
               const std::vector<std::string>& values,
               const std::string& help) {
  const std::string all = absl::StrJoin(values, ", ");
  AddValue(command, name, value, "NAME",
           absl::StrCat(help, ": ", all, " (default ", *value, ")"))
      ->check([values, all](const std::string& text) -> std::string {
        if (std::count(values.begin(), values.end(), text) > 0) return "";
        return absl::StrCat("invalid value ", Quote(text), ": expected one of ",
                            all);
      });
}

// Adds a flag that may be given several times.
void AddList(CLI::App* command, const char* name,
             std::vector<std::string>* value, const char* type,
             const char* help) {
  AddValue(command, name, value, type, help)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // The next argument is a PATH.
}

// The configuration may define more profiles, so any name is accepted here.
void AddProfileFlag(CLI::App* command, CheckFlags* flags) {
  std::vector<std::string> names;
  for (const Profile& profile : Profile::BuiltIn()) {
    names.push_back(profile.name());
  }
  AddValue(command, "--profile", &flags->profile, "NAME",
           absl::StrCat("The rule set to apply: ", absl::StrJoin(names, ", "),
                        ", or a profile of the configuration (default ",
                        flags->profile, ")"));
}

void AddConfigFlags(CLI::App* command, CheckFlags* flags) {
  AddValue(command, "--config", &flags->config, "FILE",
           "Read this configuration (default: ggufcheck.toml in the working "
           "directory or its nearest parent)")
      ->group("Configuration");
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

void AddHeaderFlags(CLI::App* command, HeaderOptions* flags) {
  constexpr char kGroup[] = "Partial files";
  command
      ->add_flag("--header-only", flags->only,
                 "Check header, keys and tensor table only, and read no "
                 "further (always on for URLs)")
      ->group(kGroup);
  AddValue(command, "--size", &flags->size, "BYTES",
           "The full size of the file, if the input is only its beginning")
      ->group(kGroup);
}

void AddUrlFlags(CLI::App* command, CheckFlags* flags) {
  constexpr char kGroup[] = "URLs";
  HttpAccess* const http = &flags->header.http;
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

}  // namespace

void AddReportFlags(CLI::App* command, std::string* format,
                    std::vector<std::string>* reports) {
  AddChoice(command, "--format", format, ReportFormatNames(),
            "The format of the report on standard output");
  AddList(command, "--report", reports, "FORMAT=PATH",
          "Write another report to a file; may be given several times");
}

void AddCheckFlags(CLI::App* command, CheckFlags* flags) {
  AddValue(command, "PATH", &flags->paths, "",
           "Files, directories to search for models, URLs, or - for standard "
           "input; other shards in the same directory are included");
  AddProfileFlag(command, flags);
  AddChoice(command, "--fail-on", &flags->fail_on, Names(FailOnNames()),
            "The lowest severity that fails a file");
  AddReportFlags(command, &flags->format, &flags->reports);
  AddManyFilesFlags(command, flags);
  AddConfigFlags(command, flags);
  AddBaselineFlags(command, &flags->baseline);
  AddList(command, "--select", &flags->select, "RULES",
          "Check only these rules: ids or prefix*, separated by commas");
  AddList(command, "--ignore", &flags->ignore, "RULES",
          "Skip these rules: ids or prefix*, separated by commas");
  AddValue(command, "--base", &flags->base, "PATH",
           "Check that adapters, control vectors, projectors and draft models "
           "match this model");
  AddValue(command, "--digest", &flags->digest, "FILE",
           "Compare the files with this manifest from ggufcheck digest");
  AddValue(command, "--sha256", &flags->sha256, "EXPECTED",
           "Compare the SHA-256 of the whole files with EXPECTED: 64 hex "
           "digits, a file of sha256sum, a Git LFS pointer, or the word names "
           "for blobs of ollama, whose names state it");
  AddHeaderFlags(command, &flags->header);
  AddUrlFlags(command, flags);
  command->add_flag(
      "--weights", flags->weights,
      "Check all tensor data: weights must be finite, indexes in range");
  command->add_flag("--stats", flags->stats,
                    "Report statistics of each tensor; implies --weights");
  command->add_flag(
      "--readers", flags->readers,
      "Predict which readers will accept the file, and why others will not; "
      "followed by llama.cpp@b9000 or llama.cpp@v0.5.0, for this build or "
      "release of llama.cpp");
  AddJobsFlag(command, &flags->jobs);
  AddLimitFlags(command, &flags->limits);
}

}  // namespace gguf
