// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/environment.h"

#include <cstdlib>
#include <map>

#include "absl/strings/str_cat.h"
#include "conformance/readers/protocol/outcome.h"

namespace gguf::readers {
namespace {

// Appended to the reader's own options, so that they take precedence.  Leaks
// are not failures; a failed allocation returns null, as without a sanitizer.
struct SanitizerOptions {
  const char* variable;
  const char* options;
};
constexpr SanitizerOptions kSanitizerOptions[] = {
    {"ASAN_OPTIONS",
     "detect_leaks=0:allocator_may_return_null=1:halt_on_error=1:"
     "abort_on_error=0"},
    {"MSAN_OPTIONS",
     "allocator_may_return_null=1:halt_on_error=1:abort_on_error=0"},
    {"TSAN_OPTIONS",
     "allocator_may_return_null=1:halt_on_error=1:abort_on_error=0"},
    {"UBSAN_OPTIONS",
     "halt_on_error=1:abort_on_error=0:print_stacktrace=1:print_summary=1"},
};

}  // namespace

std::vector<std::string> EnvironmentOf(const Reader& reader) {
  std::map<std::string, std::string> variables = {{"LANG", "C.UTF-8"}};
  for (const char* name : {"PATH", "HOME", "TMPDIR"}) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  for (const auto& [name, value] : reader.environment) {
    variables[name] = value;
  }
  for (const SanitizerOptions& row : kSanitizerOptions) {
    std::string& value = variables[row.variable];
    absl::StrAppend(&value, value.empty() ? "" : ":", row.options,
                    ":exitcode=", kSanitizerExit);
  }
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) {
    environment.push_back(absl::StrCat(name, "=", value));
  }
  return environment;
}

}  // namespace gguf::readers
