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
  command
      ->add_option("--jobs", *jobs,
                   "Threads, from 1 to 256 (default: one per core)")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
}

void AddLimitFlags(CLI::App* command, Limits* limits) {
  for (const LimitName& limit : kLimitNames) {
    command
        ->add_option(LimitFlag(limit.name), limits->*limit.member, limit.help)
        ->transform(CLI::Validator(ExpandUnit, ""))
        ->type_name("N[KMG]")
        ->group("Limits");
  }
  command->add_option(LimitFlag(kSecondsName), limits->seconds, kSecondsHelp)
      ->check(CLI::Range(0.0, kMostSeconds))
      ->type_name("SECONDS")
      ->group("Limits");
}

void SetOtherLimits(const CLI::App& command, const Limits& others,
                    Limits* limits) {
  for (const LimitName& limit : kLimitNames) {
    if (command.count(LimitFlag(limit.name)) > 0) continue;
    limits->*limit.member = others.*limit.member;
  }
  if (command.count(LimitFlag(kSecondsName)) == 0) {
    limits->seconds = others.seconds;
  }
}

}  // namespace gguf
