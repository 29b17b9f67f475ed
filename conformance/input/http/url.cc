// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/url.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "parser/core/hex.h"

namespace gguf {
namespace {

// Decodes %XX; keeps what is no such escape.
std::string Decoded(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte =
        text[i] == '%' && i + 2 < text.size() ? BytesFromHex(text.substr(i + 1, 2)) : std::nullopt;
    decoded.push_back(byte && byte->size() == 1 ? (*byte)[0] : text[i]);
    if (byte && byte->size() == 1) i += 2;
  }
  return decoded;
}

bool MustBeEscaped(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }

bool IsHostCharacter(char c) { return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_'; }

bool IsAddress6Character(char c) { return absl::ascii_isxdigit(c) || c == ':' || c == '.'; }

const char* DefaultPort(bool secure) { return secure ? "443" : "80"; }

// Parses "user@host:port".  Returns whether it is valid.
bool ParseAuthority(absl::string_view text, Url* url) {
  const size_t user_end = text.rfind('@');
  if (user_end != absl::string_view::npos) {
    url->user = Decoded(text.substr(0, user_end));
    text.remove_prefix(user_end + 1);
  }
  const bool is_address6 = absl::ConsumePrefix(&text, "[");
  const size_t host_end = text.find(is_address6 ? ']' : ':');
  const absl::string_view host = text.substr(0, host_end);
  if (host.empty() ||
      !std::all_of(host.begin(), host.end(), is_address6 ? IsAddress6Character : IsHostCharacter)) {
    return false;
  }
  url->host = absl::AsciiStrToLower(host);
  text.remove_prefix(host.size());
  if (is_address6 && !absl::ConsumePrefix(&text, "]")) return false;
  url->port = DefaultPort(url->secure);
  if (!absl::ConsumePrefix(&text, ":")) return text.empty();
  uint32_t port;
  if (text.empty()) return true;
  if (!absl::SimpleAtoi(text, &port) || port == 0 || port > 65535) return false;
  url->port = absl::StrCat(port);
  return true;
}

// Resolves the segments "." and ".." of a path that begins with a slash.
std::string WithoutDots(absl::string_view path) {
  std::vector<absl::string_view> kept;
  const std::vector<absl::string_view> segments = absl::StrSplit(absl::StripPrefix(path, "/"), '/');
  for (const absl::string_view segment : segments) {
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (segment != "." && segment != "..") kept.push_back(segment);
  }
  const bool is_folder = segments.back() == "." || segments.back() == "..";
  return absl::StrCat("/", absl::StrJoin(kept, "/"), is_folder && !kept.empty() ? "/" : "");
}

}  // namespace

std::string Url::HostAndPort() const {
  const bool is_address6 = absl::StrContains(host, ':');
  return absl::StrCat(is_address6 ? "[" : "", host, is_address6 ? "]:" : ":", port);
}

std::string Url::Authority() const {
  const std::string all = HostAndPort();
  const bool is_default = port == DefaultPort(secure);
  return is_default ? all.substr(0, all.rfind(':')) : all;
}

bool SameOrigin(const Url& a, const Url& b) {
  return a.secure == b.secure && a.host == b.host && a.port == b.port;
}

bool IsHttpUrl(absl::string_view text) {
  return absl::StartsWithIgnoreCase(text, "http://") ||
         absl::StartsWithIgnoreCase(text, "https://");
}

absl::StatusOr<Url> ParseUrl(absl::string_view text) {
  constexpr size_t kLongest = 16 << 10;
  const auto invalid = absl::InvalidArgumentError(
      "is not a valid URL; expected https://HOST/PATH or http://HOST/PATH");
  if (!IsHttpUrl(text) || text.size() > kLongest ||
      std::any_of(text.begin(), text.end(), MustBeEscaped)) {
    return invalid;
  }
  text = text.substr(0, text.find('#'));
  Url url;
  url.secure = absl::StartsWithIgnoreCase(text, "https:");
  text.remove_prefix(text.find("//") + 2);
  const size_t end = std::min(text.find_first_of("/?"), text.size());
  if (!ParseAuthority(text.substr(0, end), &url)) return invalid;
  const absl::string_view target = text.substr(end);
  url.target = absl::StrCat(absl::StartsWith(target, "/") ? "" : "/", target);
  return url;
}

absl::StatusOr<Url> ResolveUrl(const Url& base, absl::string_view location) {
  const std::string origin = absl::StrCat(base.secure ? "https" : "http", "://", base.Authority());
  const absl::string_view path = absl::string_view(base.target).substr(0, base.target.find('?'));
  if (absl::StartsWith(location, "//")) {
    return ParseUrl(absl::StrCat(base.secure ? "https:" : "http:", location));
  }
  if (absl::StartsWith(location, "/")) {
    return ParseUrl(absl::StrCat(origin, location));
  }
  // A scheme ends with a colon before the first slash.
  const size_t part_end = std::min(location.find_first_of("/?#"), location.size());
  if (absl::StrContains(location.substr(0, part_end), ':')) {
    return ParseUrl(location);
  }
  if (absl::StartsWith(location, "?")) {
    return ParseUrl(absl::StrCat(origin, path, location));
  }
  const size_t query = std::min(location.find_first_of("?#"), location.size());
  const absl::string_view folder = path.substr(0, path.rfind('/') + 1);
  return ParseUrl(absl::StrCat(origin, WithoutDots(absl::StrCat(folder, location.substr(0, query))),
                               location.substr(query)));
}

std::string ShownUrl(absl::string_view url) {
  // In what is no URL, nobody knows where the secrets are.
  if (!ParseUrl(url).ok()) {
    return absl::StrCat(url.substr(0, url.find("//") + 2), "...");
  }
  url = url.substr(0, url.find_first_of("?#"));
  const size_t host = url.find("//") + 2;
  const size_t path = std::min(url.find('/', host), url.size());
  const size_t user_end = url.substr(0, path).rfind('@');
  if (user_end == absl::string_view::npos) return std::string(url);
  return absl::StrCat(url.substr(0, host), url.substr(user_end + 1));
}

}  // namespace gguf
