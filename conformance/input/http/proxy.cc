// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/proxy.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gguf {
namespace {

// Returns the first of these variables that is set and not empty, and its name.
std::pair<const char*, absl::string_view> FirstSet(const Environment& environment,
                                                   std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = environment(name);
    if (value != nullptr && *value != '\0') return {name, value};
  }
  return {nullptr, ""};
}

// Returns whether an entry of no_proxy includes the host of a URL.
bool Includes(absl::string_view entry, const Url& url) {
  entry = absl::StripAsciiWhitespace(entry);
  if (entry == "*") return true;
  absl::ConsumeSuffix(&entry, absl::StrCat(":", url.port));
  absl::ConsumePrefix(&entry, ".");
  if (absl::ConsumePrefix(&entry, "[")) absl::ConsumeSuffix(&entry, "]");
  if (entry.empty()) return false;
  return absl::EqualsIgnoreCase(url.host, entry) ||
         absl::EndsWithIgnoreCase(url.host, absl::StrCat(".", entry));
}

}  // namespace

absl::StatusOr<std::optional<Url>> ProxyFor(const Url& url, const Environment& environment) {
  const auto [name, value] =
      url.secure ? FirstSet(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                 : FirstSet(environment, {"http_proxy", "all_proxy", "ALL_PROXY"});
  if (name == nullptr) return std::nullopt;
  const absl::string_view list = FirstSet(environment, {"no_proxy", "NO_PROXY"}).second;
  for (absl::string_view entry : absl::StrSplit(list, ',')) {
    if (Includes(entry, url)) return std::nullopt;
  }
  const auto proxy = ParseUrl(absl::StrContains(value, "://") ? std::string(value)
                                                              : absl::StrCat("http://", value));
  if (!proxy.ok() || proxy->secure) {
    return absl::InvalidArgumentError(
        absl::StrCat("the variable ", name, " is not a proxy of the form http://HOST:PORT"));
  }
  return *proxy;
}

}  // namespace gguf
