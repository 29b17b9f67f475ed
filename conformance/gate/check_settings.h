// CheckSettings: the options of a check by name.  They are flags of `ggufcheck
// check` and options of the C interface.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_CHECK_SETTINGS_H_
#define GGUF_CONFORMANCE_GATE_CHECK_SETTINGS_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/gate/check_request.h"
#include "conformance/input/open.h"
#include "parser/core/limits.h"
#include "parser/core/rule.h"

namespace gguf {

// The values of options that were set.  Those that were not set are the
// configuration's, or the defaults.
struct CheckSettings {
  std::string config;  // A path.
  std::string profile;
  Severity fail_on = Severity::kError;
  bool preview = false;
  std::vector<std::string> select, ignore;
  std::string base;      // A path; empty for none.
  HeaderOptions header;  // Without `http`.
  bool weights = false;
  bool stats = false;
  bool readers = false;
  int32_t llama_cpp = kNoBuild;  // The version that `readers` names.
  unsigned jobs = 1;
  Limits limits;

  std::set<std::string> given;  // The names of the options that were set.
  bool has(const std::string& name) const { return given.count(name) > 0; }
};

// Precedes the version in a value of `readers`.
inline constexpr char kReaderVersion[] = "llama.cpp@";

struct CheckOption {
  enum Kind {
    kValue,
    kList,           // May be set several times; each value is added.
    kSwitch,         // "true" or "false"; the flag has no value.
    kOptionalValue,  // "true" or a value; the flag may have one.
  };

  std::string name;  // "fail-on" of the flag --fail-on.
  Kind kind;
  std::string type;   // Of the value, in help texts.
  std::string group;  // Of help texts; empty for the first.
  std::string help;
  // Sets the value; InvalidArgument, which does not name the option, when the
  // text is no value of it.
  std::function<absl::Status(const std::string& text, CheckSettings*)> set;
};

// All options.
const std::vector<CheckOption>& CheckOptions();

// Returns the option of a name; null if there is none.
const CheckOption* FindCheckOption(absl::string_view name);

// Sets an option, and records that it was set.  Errors: those of
// CheckOption::set.
absl::Status SetOption(const CheckOption& option, const std::string& text,
                       CheckSettings* settings);

// Returns the limits of a check: those that were set, otherwise those of the
// configuration.
Limits ChosenLimits(const CheckSettings& settings, const CheckRequest& request);

// Makes the request of the settings.  `request` already has the configuration,
// and digests, baseline and shard, if any.
//
// Errors: InvalidArgument for a wrong setting, FailedPrecondition for a base
// that cannot be read.
absl::Status ApplySettings(const CheckSettings& settings,
                           CheckRequest* request);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_CHECK_SETTINGS_H_
