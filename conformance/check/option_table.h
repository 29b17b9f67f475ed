// The table of the options of a check: flags of `ggufcheck check`, and options
// of the C interface.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_OPTION_TABLE_H_
#define GGUF_CONFORMANCE_CHECK_OPTION_TABLE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/check_options.h"

namespace gguf {

// Precedes the version in a value of `readers`.
inline constexpr char kReaderVersion[] = "llama.cpp@";

// The group of the limits in help texts.
inline constexpr char kLimitGroup[] = "Limits";

struct CheckOption {
  enum Kind {
    kValue,
    kList,           // May be set several times; each value is added.
    kSwitch,         // "true" or "false"; the flag has no value.
    kOptionalValue,  // "true" or a value; the flag may have one.
  };

  std::string name;  // "fail-on" of the flag --fail-on.
  Kind kind;
  std::string type;  // Of the value, in help texts.
  std::string help;
  // Sets the value; InvalidArgument, which does not name the option, when the
  // text is no value of it.
  std::function<absl::Status(const std::string& text, CheckOptions*)> set;
  std::string group = "";  // Of help texts; empty for the first.
  // Why the library does not have it; null if it does.
  const char* why_not_in_library = nullptr;
  bool reads_data = false;  // As ReadsData().

  // If the value is a path: where it is, and what the file has: "manifest".
  std::string CheckOptions::*path = nullptr;
  const char* contents = nullptr;
};

// All options, in the order of help texts.
const std::vector<CheckOption>& AllCheckOptions();

// Return the option with this name, or whose value is this path; it must be in the table.
const CheckOption& OptionOf(absl::string_view name);
const CheckOption& OptionOf(std::string CheckOptions::*path);

// Returns the name of the option for a limit of config.h.
std::string LimitOption(absl::string_view name);

// Sets an option, and records that it was set.  Errors: those of
// CheckOption::set.
absl::Status SetOption(const CheckOption& option, const std::string& text, CheckOptions* options);

// Sets an option of the library.  InvalidArgument, with the name, also for a
// name that the library does not have.
absl::Status SetLibraryOption(const std::string& name, const std::string& text,
                              CheckOptions* options);

// Returns the options that read tensor data, as messages name them: "a, b and
// c"; for a library, those that it has.
std::string DataOptions(const CheckOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_OPTION_TABLE_H_
