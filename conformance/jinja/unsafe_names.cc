// The lists of unsafe names.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/unsafe_names.h"

#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Attributes of Python's functions, frames and generators: those that
// is_internal_attribute() of jinja2.sandbox rejects, and those reachable from
// them.
constexpr string_view kInternals[] = {
    "func_closure", "func_code", "func_defaults", "func_globals", "mro",       "gi_frame",
    "gi_code",      "cr_frame",  "cr_code",       "ag_frame",     "ag_code",   "tb_frame",
    "tb_next",      "f_back",    "f_builtins",    "f_code",       "f_globals", "f_locals",
    "im_class",     "im_func",   "im_self",       "co_code",      "co_consts"};

// Python's modules and functions that run other code.
constexpr string_view kPrograms[] = {
    "popen",         "Popen",       "check_output",      "subprocess", "execfile",
    "import_module", "importlib",   "import_string",     "getoutput",  "eval",
    "exec",          "from_string", "compile_expression"};

// The same; as keys of messages they are ordinary words.
constexpr string_view kModules[] = {"os", "sys", "builtins", "linecache"};

constexpr string_view kFunctions[] = {
    "cycler",      "dict",      "get_flashed_messages", "joiner", "lipsum",
    "range",       "namespace", "raise_exception",      "super",  "url_for",
    "strftime_now"};

struct AttributeFilter {
  string_view name;
  size_t argument;
};
constexpr AttributeFilter kAttributeFilters[] = {
    {"attr", 0},       {"groupby", 0},    {"join", 1}, {"map", 0}, {"max", 1},   {"min", 1},
    {"selectattr", 0}, {"rejectattr", 0}, {"sort", 2}, {"sum", 0}, {"unique", 1}};

const AttributeFilter* FindFilter(string_view name) {
  const auto* found = absl::c_find_if(
      kAttributeFilters, [&](const AttributeFilter& filter) { return filter.name == name; });
  return found == std::end(kAttributeFilters) ? nullptr : found;
}

constexpr string_view kObjects[] = {"config", "request", "self"};

constexpr string_view kMethods[] = {
    "add", "append", "capitalize", "casefold", "center", "clear", "copy", "count", "decode",
    "encode", "endswith", "expandtabs", "extend", "find", "format", "format_map", "fromkeys", "get",
    "index", "insert", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier",
    "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "items", "join", "keys",
    "ljust", "lower", "lstrip", "maketrans", "partition", "pop", "popitem", "remove",
    "removeprefix", "removesuffix", "replace", "reverse", "rfind", "rindex", "rjust", "rpartition",
    "rsplit", "rstrip", "setdefault", "sort", "split", "splitlines", "startswith", "strip",
    "swapcase", "title", "translate", "update", "upper", "values", "zfill",
    // Of Markup, the texts that macros return.
    "striptags", "unescape"};

}  // namespace

bool IsSpecialName(string_view name) {
  return name.size() > 4 && absl::StartsWith(name, "__") && absl::EndsWith(name, "__");
}

bool TakesAttribute(string_view filter) { return FindFilter(filter) != nullptr; }

size_t AttributeArgument(string_view filter) {
  const AttributeFilter* found = FindFilter(filter);
  return found == nullptr ? 0 : found->argument;
}

bool IsUnsafeAttribute(string_view name) {
  return absl::StartsWith(name, "_") || absl::c_linear_search(kInternals, name) ||
         absl::c_linear_search(kPrograms, name) || absl::c_linear_search(kModules, name);
}

bool IsUnsafeOnObject(string_view name) { return IsUnsafeAttribute(name) || name == "environment"; }

bool HasUnsafeField(string_view format) {
  for (size_t at = format.find('{'); at != string_view::npos; at = format.find('{', at + 1)) {
    string_view field = format.substr(at + 1);
    field = field.substr(0, field.find_first_of("{}"));
    // In brackets, a colon does not begin the width.
    if (!absl::StrContains(field, '[')) {
      field = field.substr(0, field.find_first_of(":!"));
    }
    const std::vector<string_view> steps = absl::StrSplit(field, absl::ByAnyChar(".[]"));
    for (size_t i = 1; i < steps.size(); ++i) {
      if (!IsSpecialName(steps[i]) && IsUnsafeOnObject(steps[i])) return true;
    }
  }
  return false;
}

bool IsMethod(string_view name) { return absl::c_linear_search(kMethods, name); }

bool IsUnsafeSubscript(string_view name) {
  return IsSpecialName(name) || absl::c_linear_search(kInternals, name) ||
         absl::c_linear_search(kPrograms, name);
}

bool IsFunctionOfEnvironment(string_view name) { return absl::c_linear_search(kFunctions, name); }

bool IsObjectOfFramework(string_view name) { return absl::c_linear_search(kObjects, name); }

}  // namespace gguf::jinja
