// Numbers with a unit, refused when they are none.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/limit_flags.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "parser/checked_math.h"

namespace gguf {
namespace {

// Turns "64K" into "65536".  Returns what is wrong, or nothing.
std::string ExpandUnit(std::string& text) {
  const std::string bad = absl::StrCat(
      "is no number of 64 bits, with K, M or G behind it or not: ", text);
  if (text.empty() || text[0] == '+' || text[0] == '-') return bad;
  uint64_t unit = 1;
  switch (text.back()) {
    case 'G':
      unit <<= 10;
      [[fallthrough]];
    case 'M':
      unit <<= 10;
      [[fallthrough]];
    case 'K':
      unit <<= 10;
      break;
    default:
      break;
  }
  uint64_t number;
  if (!absl::SimpleAtoi(text.substr(0, text.size() - (unit > 1)), &number)) {
    return bad;
  }
  const auto expanded = CheckedMultiply(number, unit);
  if (!expanded) return bad;
  text = absl::StrCat(*expanded);
  return "";
}

}  // namespace

void AddLimitFlags(CLI::App* command, Limits* limits) {
  for (const LimitFlag& flag : kLimitFlags) {
    command
        ->add_option(std::string("--") + flag.name, limits->*flag.member,
                     flag.help)
        ->transform(CLI::Validator(ExpandUnit, ""))
        ->type_name("N[KMG]")
        ->group("Limits");
  }
  command
      ->add_option(std::string("--") + kSecondsFlag, limits->seconds,
                   kSecondsHelp)
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->group("Limits");
}

}  // namespace gguf
