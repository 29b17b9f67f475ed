// The rows of the table, and how each sets its value.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/option_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/check/config.h"
#include "conformance/tables/build.h"

namespace gguf {
namespace {

using Set = std::function<absl::Status(const std::string&, CheckOptions*)>;

absl::Status Invalid(absl::string_view text, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("invalid value ", Quote(text), ": expected ", expected));
}

Set To(std::string CheckOptions::*member) {
  return [member](const std::string& text, CheckOptions* options) {
    options->*member = text;
    return absl::OkStatus();
  };
}

Set To(std::vector<std::string> CheckOptions::*member) {
  return [member](const std::string& text, CheckOptions* options) {
    (options->*member).push_back(text);
    return absl::OkStatus();
  };
}

Set To(bool CheckOptions::*member) {
  return [member](const std::string& text, CheckOptions* options) {
    if (text != "true" && text != "false") {
      return Invalid(text, "true or false");
    }
    options->*member = text == "true";
    return absl::OkStatus();
  };
}

Set To(uint64_t Limits::*member) {
  return [member](const std::string& text, CheckOptions* options) {
    const auto size = ParseSize(text);
    if (!size) {
      return Invalid(text, "a 64-bit integer, optionally with K, M or G");
    }
    options->limits.*member = *size;
    return absl::OkStatus();
  };
}

absl::Status SetColor(const std::string& text, CheckOptions* options) {
  if (text != "auto" && text != "always" && text != "never") {
    return Invalid(text, absl::StrCat("one of auto, always, never",
                                      DidYouMean(text, {"auto", "always", "never"})));
  }
  options->color = text;
  return absl::OkStatus();
}

absl::Status SetFileSize(const std::string& text, CheckOptions* options) {
  uint64_t size;
  if (!absl::SimpleAtoi(text, &size)) return Invalid(text, "a 64-bit integer");
  options->size = size;
  return absl::OkStatus();
}

absl::Status SetFailOn(const std::string& text, CheckOptions* options) {
  const auto severity = ParseSeverity(text);
  if (!severity || *severity == Severity::kOff) {
    return Invalid(text, absl::StrCat("one of error, note, warning",
                                      DidYouMean(text, {"error", "note", "warning"})));
  }
  options->fail_on = *severity;
  return absl::OkStatus();
}

absl::Status SetJobs(const std::string& text, CheckOptions* options) {
  constexpr unsigned kMostJobs = 256;
  unsigned jobs;
  if (!absl::SimpleAtoi(text, &jobs) || jobs == 0 || jobs > kMostJobs) {
    return Invalid(text, "a number from 1 to 256");
  }
  options->jobs = jobs;
  return absl::OkStatus();
}

absl::Status SetReaders(const std::string& text, CheckOptions* options) {
  options->readers = true;
  options->llama_cpp = kNoBuild;
  absl::string_view version = text;
  if (text == "true") return absl::OkStatus();
  const bool is_version = absl::ConsumePrefix(&version, kReaderVersion);
  const auto build = is_version ? FindVersion(version) : std::nullopt;
  if (!build) {
    return Invalid(text, absl::StrCat("a version of llama.cpp, such as llama.cpp@b9000, and none "
                                      "newer than the tables of this ggufcheck: llama.cpp@",
                                      BuildText(NewestBuild())));
  }
  options->llama_cpp = *build;
  return absl::OkStatus();
}

absl::Status SetSeconds(const std::string& text, CheckOptions* options) {
  double seconds;
  if (!absl::SimpleAtod(text, &seconds) || !(seconds >= 0) || seconds > kMostSeconds) {
    return Invalid(text, absl::StrCat("a number from 0 to ", kMostSeconds));
  }
  options->limits.seconds = seconds;
  return absl::OkStatus();
}

std::string ProfileHelp() {
  std::vector<std::string> names;
  for (const Profile& profile : Profile::BuiltIn()) {
    names.push_back(profile.name());
  }
  return absl::StrCat("The rule set to apply: ", absl::StrJoin(names, ", "),
                      ", or a profile of the configuration (default ", Profile::kDefault, ")");
}

std::vector<CheckOption> MakeOptions() {
  using O = CheckOptions;
  constexpr auto kValue = CheckOption::kValue;
  constexpr auto kList = CheckOption::kList;
  constexpr auto kSwitch = CheckOption::kSwitch;
  // Groups of help texts.
  constexpr char kMain[] = "", kMany[] = "Many files";
  constexpr char kConfig[] = "Configuration", kBaseline[] = "Baseline";
  constexpr char kPartial[] = "Partial files", kUrls[] = "URLs";
  // Why the library does not have an option.
  constexpr const char* kIsThere = nullptr;
  static constexpr char kOutput[] = "use the functions of a report";
  static constexpr char kOneFile[] = "one call checks one file";
  static constexpr char kNoNetwork[] = "the library does not use the network";
  static constexpr char kNoBaseline[] = "compare the findings yourself";
  static constexpr char kRunProgram[] = "run the program";
  const auto file = [](CheckOption option, std::string O::*path, const char* contents) {
    option.set = To(path);
    option.path = path;
    option.contents = contents;
    return option;
  };
  std::vector<CheckOption> all = {
      {"profile", kValue, "NAME", ProfileHelp(), To(&O::profile)},
      {"fail-on", kValue, "NAME",
       "The lowest severity that fails a file: error, note, warning (default error)", SetFailOn},
      // The names of the formats are those of the writers, which the library
      // does not have.
      {"format", kValue, "NAME", "The format of the report on standard output", To(&O::format),
       kMain, kOutput},
      {"report", kList, "FORMAT=PATH", "Write another report to a file; may be given several times",
       To(&O::report), kMain, kOutput},
      {"color", kValue, "NAME",
       "Colour the text; auto colours it if FORCE_COLOR is set, or on a terminal unless NO_COLOR "
       "is set: auto, always, never (default auto)",
       SetColor, kMain, kOutput},
      {"quiet", kSwitch, "", "Print only files that do not pass", To(&O::quiet), kMain, kOutput},
      {"verbose", kSwitch, "", "Also list the findings that a cause explains", To(&O::verbose),
       kMain, kOutput},
      {"exit-zero", kSwitch, "", "Exit with 0 even if there are findings", To(&O::exit_zero), kMain,
       kOutput},
      file({"files-from", kValue, "FILE",
            "Also check the paths listed in FILE, one per line; - is standard input", nullptr,
            kMany, kOneFile},
           &O::files_from, "list"),
      file({"files-from0", kValue, "FILE",
            "The same, with NUL-separated paths as written by find -print0", nullptr, kMany,
            kOneFile},
           &O::files_from0, "list"),
      {"include", kList, "GLOB",
       "Also check the files in directories whose names match, besides those that are or look like "
       "models (repeatable)",
       To(&O::include), kMany, kOneFile},
      {"all-files", kSwitch, "", "Check all files in directories", To(&O::all_files), kMany,
       kOneFile},
      {"shard", kValue, "K/N",
       "Do only part K of N, counted from 1; with auto, the part that Bazel, Slurm or Kubernetes "
       "assigns in the environment",
       To(&O::shard), kMany, kOneFile},
      {"config", kValue, "FILE",
       "Read this configuration (default: ggufcheck.toml in the working directory or its nearest "
       "parent)",
       To(&O::config), kConfig},
      {"no-config", kSwitch, "", "Read no configuration", To(&O::no_config), kConfig,
       "no configuration is read unless \"config\" names it"},
      {"baseline", kValue, "FILE", "Do not count the known findings listed in this file",
       To(&O::baseline), kBaseline, kNoBaseline},
      {"write-baseline", kValue, "FILE", "Write the current findings to a baseline, or update it",
       To(&O::write_baseline), kBaseline, kNoBaseline},
      {"baseline-reason", kValue, "TEXT",
       "Why new findings are accepted; a baseline needs a reason on each line",
       To(&O::baseline_reason), kBaseline, kNoBaseline},
      {"baseline-safety", kSwitch, "", "Let the baseline accept errors of the profile safety, too",
       To(&O::baseline_safety), kBaseline, kNoBaseline},
      {"preview", kSwitch, "", "Also check the rules in preview, which may still change",
       To(&O::preview)},
      {"select", kList, "RULES", "Check only these rules: ids or prefix*, separated by commas",
       To(&O::select)},
      {"ignore", kList, "RULES", "Skip these rules: ids or prefix*, separated by commas",
       To(&O::ignore)},
      file(
          {"base", kValue, "PATH",
           "Check that adapters, control vectors, importance matrices, projectors and draft models "
           "match this model",
           nullptr},
          &O::base, "model"),
      file({"digest", kValue, "FILE", "Compare the files with this manifest from ggufcheck digest",
            nullptr, kMain, kRunProgram, true},
           &O::digest, "manifest"),
      file({"sha256", kValue, "EXPECTED",
            "Compare the SHA-256 of the whole files with EXPECTED: 64 hex digits, a file written "
            "by sha256sum, a Git LFS pointer, or the word 'names', which takes it from the names "
            "of ollama's blobs",
            nullptr, kMain, kRunProgram, true},
           &O::sha256, "digests"),
      {"header-only", kSwitch, "",
       "Check header, keys and tensor table only, and read no further (always on for URLs)",
       To(&O::header_only), kPartial},
      {"size", kValue, "BYTES", "The full size of the file, if the input is only its beginning",
       SetFileSize, kPartial},
      {"allow-private-redirects", kSwitch, "",
       "Follow a web server's redirects to private addresses", To(&O::allow_private_redirects),
       kUrls, kNoNetwork},
      {"header", kList, "NAME:VALUE",
       "Send this header to the servers of URLs, but not to those that they redirect to "
       "(repeatable)",
       To(&O::header), kUrls, kNoNetwork},
      file({"cacert", kValue, "FILE", "Trust the certificates in FILE, not those of the system",
            nullptr, kUrls, kNoNetwork},
           &O::cacert, "certificates"),
      {"weights", kSwitch, "", "Check all tensor data: weights must be finite, indexes in range",
       To(&O::weights), kMain, kIsThere, true},
      {"stats", kSwitch, "", "Report statistics of each tensor; implies --weights", To(&O::stats),
       kMain, kIsThere, true},
      {"readers", CheckOption::kOptionalValue, "",
       "Predict which readers will accept the file, and why others will not; followed by "
       "llama.cpp@b9000 or llama.cpp@v0.5.0, for this build or release of llama.cpp",
       SetReaders},
      {"jobs", kValue, "N", "Threads, from 1 to 256 (default: one per core)", SetJobs},
  };
  for (const LimitName& limit : kLimitNames) {
    all.push_back(
        {LimitOption(limit.name), kValue, "N[KMG]", limit.help, To(limit.member), kLimitGroup});
  }
  all.push_back(
      {LimitOption(kSecondsName), kValue, "SECONDS", kSecondsHelp, SetSeconds, kLimitGroup});
  return all;
}

std::vector<CheckOption>::const_iterator Find(absl::string_view name) {
  const auto& all = AllCheckOptions();
  return std::find_if(all.begin(), all.end(),
                      [&](const CheckOption& option) { return option.name == name; });
}

}  // namespace

const std::vector<CheckOption>& AllCheckOptions() {
  static const auto& all = *new std::vector<CheckOption>(MakeOptions());
  return all;
}

const CheckOption& OptionOf(absl::string_view name) {
  const auto found = Find(name);
  Assert(found != AllCheckOptions().end(), "a name is not in the table of options");
  return *found;
}

const CheckOption& OptionOf(std::string CheckOptions::*path) {
  const auto& all = AllCheckOptions();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const CheckOption& option) { return option.path == path; });
  Assert(found != all.end(), "a path is not in the table of options");
  return *found;
}

std::string LimitOption(absl::string_view name) { return absl::StrCat("limit-", name); }

absl::Status SetOption(const CheckOption& option, const std::string& text, CheckOptions* options) {
  absl::Status status = option.set(text, options);
  if (status.ok()) options->given.insert(option.name);
  return status;
}

absl::Status SetLibraryOption(const std::string& name, const std::string& text,
                              CheckOptions* options) {
  const auto option = Find(name);
  if (option == AllCheckOptions().end()) {
    return absl::InvalidArgumentError(absl::StrCat("unknown option ", Quote(name)));
  }
  const std::string named = absl::StrCat("option ", options->Named(name));
  if (option->why_not_in_library != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(named, " is of the program only: ", option->why_not_in_library));
  }
  const absl::Status status = SetOption(*option, text, options);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(named, ": ", status.message()));
}

std::string DataOptions(const CheckOptions& options) {
  std::vector<std::string> names;
  for (const CheckOption& option : AllCheckOptions()) {
    const bool is_there = options.is_program || option.why_not_in_library == nullptr;
    if (option.reads_data && is_there) {
      names.push_back(options.Named(option.name));
    }
  }
  const std::string last = std::move(names.back());
  names.pop_back();
  return absl::StrCat(absl::StrJoin(names, ", "), " and ", last);
}

}  // namespace gguf
