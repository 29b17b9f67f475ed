// Adds flags, and makes errors of wrong values.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/flags.h"

#include <algorithm>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/text.h"
#include "conformance/report/writers.h"

namespace gguf {
namespace {

// Restricts the value of a flag, and lists the values in its help.
void Restrict(const std::vector<std::string>& values, const std::string& standard,
              CLI::Option* flag) {
  const std::string all = absl::StrJoin(values, ", ");
  flag->description(
      absl::StrCat(flag->get_description(), ": ", all,
                   standard.empty() ? "" : absl::StrCat(" (default ", standard, ")")));
  flag->check([values, all](const std::string& text) -> std::string {
    if (std::count(values.begin(), values.end(), text) > 0) return "";
    return absl::StrCat(
        "invalid value ", Quote(text), ": expected one of ", all,
        DidYouMean(text, std::vector<absl::string_view>(values.begin(), values.end())));
  });
}

}  // namespace

CheckOptions ProgramOptions() {
  CheckOptions options;
  options.is_program = true;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  return options;
}

void AddFlag(CLI::App* command, const CheckOption& option, CheckOptions* options) {
  const std::string flag = absl::StrCat(option.name == "verbose" ? "-v," : "", "--", option.name);
  const bool needs_value =
      option.kind != CheckOption::kSwitch && option.kind != CheckOption::kOptionalValue;
  CLI::Option* added = needs_value ? command->add_option(flag, option.help)
                                   : command->add_flag(flag, option.help);  // Alone, "true".
  added->check([&option, options](const std::string& text) {
    return std::string(SetOption(option, text, options).message());
  });
  if (option.kind == CheckOption::kList) {
    added->expected(1)->take_all();
    added->allow_extra_args(false);  // The next argument is a PATH.
  }
  if (!option.type.empty()) added->type_name(option.type);
  if (!option.group.empty()) added->group(option.group);
  // The table is without the names: the writers are not in the library.
  if (option.name == "format") {
    Restrict(ReportFormatNames(), options->format, added);
  }
}

void AddFlags(CLI::App* command, std::initializer_list<const char*> names, CheckOptions* options) {
  for (const char* name : names) AddFlag(command, OptionOf(name), options);
}

void AddLimitFlags(CLI::App* command, CheckOptions* options) {
  for (const CheckOption& option : AllCheckOptions()) {
    if (option.group == kLimitGroup) AddFlag(command, option, options);
  }
}

void AddChoice(CLI::App* command, const char* name, std::string* value,
               const std::vector<std::string>& values, const std::string& help) {
  Restrict(values, *value, AddValue(command, name, value, "NAME", help));
}

}  // namespace gguf
