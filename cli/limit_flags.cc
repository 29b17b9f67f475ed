// Adds flags of common kinds, and parses numeric ones.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/limit_flags.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/config/config.h"
#include "parser/core/quote.h"

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

void AddList(CLI::App* command, const char* name,
             std::vector<std::string>* value, const char* type,
             const char* help) {
  AddValue(command, name, value, type, help)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // The next argument is a PATH.
}

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
