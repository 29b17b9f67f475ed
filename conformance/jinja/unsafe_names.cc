// The lists of unsafe names.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/unsafe_names.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Attributes of Python's functions, frames and generators: those that
// is_internal_attribute() of jinja2.sandbox rejects, and those reachable from
// them.
constexpr string_view kInternals[] = {
    "func_closure", "func_code", "func_defaults", "func_globals", "mro",
    "gi_frame",     "gi_code",   "cr_frame",      "cr_code",      "ag_frame",
    "ag_code",      "tb_frame",  "tb_next",       "f_back",       "f_builtins",
    "f_code",       "f_globals", "f_locals",      "im_class",     "im_func",
    "im_self",      "co_code",   "co_consts"};

// Python's modules and functions that run other code.
constexpr string_view kPrograms[] = {
    "popen",     "Popen",         "check_output", "subprocess",
    "execfile",  "import_module", "importlib",    "import_string",
    "getoutput", "eval",          "exec"};

// The same; as keys of messages they are ordinary words.
constexpr string_view kModules[] = {"os", "sys", "builtins", "linecache"};

constexpr string_view kFunctions[] = {
    "cycler",      "dict",      "get_flashed_messages", "joiner", "lipsum",
    "range",       "namespace", "raise_exception",      "super",  "url_for",
    "strftime_now"};

constexpr string_view kAttributeFilters[] = {
    "attr", "groupby",    "map",        "max", "min",
    "sort", "selectattr", "rejectattr", "sum", "unique"};

constexpr string_view kObjects[] = {"config", "request", "self"};

}  // namespace

bool IsSpecialName(string_view name) {
  return name.size() > 4 && absl::StartsWith(name, "__") &&
         absl::EndsWith(name, "__");
}

bool IsPieceOfSpecialName(string_view text) {
  return absl::StartsWith(text, "_") || absl::EndsWith(text, "_") ||
         absl::StrContains(text, "__");
}

bool TakesAttribute(string_view filter) {
  return absl::c_linear_search(kAttributeFilters, filter);
}

bool IsUnsafeAttribute(string_view name) {
  return absl::StartsWith(name, "_") ||
         absl::c_linear_search(kInternals, name) ||
         absl::c_linear_search(kPrograms, name) ||
         absl::c_linear_search(kModules, name);
}

bool IsUnsafeSubscript(string_view name) {
  return IsSpecialName(name) || absl::c_linear_search(kInternals, name) ||
         absl::c_linear_search(kPrograms, name);
}

bool IsFunctionOfEnvironment(string_view name) {
  return absl::c_linear_search(kFunctions, name);
}

bool IsObjectOfFramework(string_view name) {
  return absl::c_linear_search(kObjects, name);
}

}  // namespace gguf::jinja
