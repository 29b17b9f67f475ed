// Parses numeric flags.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/limit_flags.h"

#include "absl/strings/str_cat.h"
#include "conformance/config/limit_names.h"
#include "conformance/config/size.h"

namespace gguf {
namespace {

// Turns "64K" into "65536".  Returns an error message, or an empty string.
std::string ExpandUnit(std::string& text) {
  const auto size = ParseSize(text);
  if (!size) {
    return absl::StrCat(
        "invalid value \"", text,
        "\": expected a 64-bit integer, optionally with K, M or G");
  }
  text = absl::StrCat(*size);
  return "";
}

}  // namespace

std::string LimitFlag(const char* name) {
  return absl::StrCat("--limit-", name);
}

void AddJobsFlag(CLI::App* command, unsigned* jobs) {
  AddValue(command, "--jobs", jobs, "N",
           "Threads, from 1 to 256 (default: one per core)")
      ->check(CLI::Range(1, 256).description(""));
}

void AddLimitFlags(CLI::App* command, Limits* limits) {
  for (const LimitName& limit : kLimitNames) {
    AddValue(command, LimitFlag(limit.name), &(limits->*limit.member), "N[KMG]",
             limit.help)
        ->transform(CLI::Validator(ExpandUnit, ""))
        ->group("Limits");
  }
  AddValue(command, LimitFlag(kSecondsName), &limits->seconds, "SECONDS",
           kSecondsHelp)
      ->check(CLI::Range(0.0, kMostSeconds))
      ->group("Limits");
}

}  // namespace gguf
