// Parses URLs, reads the proxies of the environment, and compares addresses with private ranges.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/url.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"

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

// A character of the name of a header (RFC 9110, section 5.6.2).
bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(c) || absl::StrContains("!#$%&'*+-.^_`|~", c);
}

constexpr size_t kLongestHeader = 8 << 10;

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

absl::StatusOr<HttpHeader> ParseHeader(absl::string_view line) {
  const size_t colon = line.find(':');
  const absl::string_view name = line.substr(0, colon);
  if (colon == absl::string_view::npos || name.empty() || line.size() > kLongestHeader ||
      !std::all_of(name.begin(), name.end(), IsNameCharacter) ||
      std::any_of(line.begin(), line.end(), absl::ascii_iscntrl)) {
    return absl::InvalidArgumentError("is not a header; expected NAME:VALUE");
  }
  const absl::string_view value = absl::StripAsciiWhitespace(line.substr(colon + 1));
  return HttpHeader(name, value);
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

namespace {

// A block of addresses that share the first `bits` bits with `prefix`.
struct Block4 {
  uint32_t prefix;
  int bits;
};
constexpr Block4 kPrivate4[] = {
    {0x00000000, 8},   // 0.0.0.0/8, this network
    {0x0a000000, 8},   // 10.0.0.0/8
    {0x64400000, 10},  // 100.64.0.0/10, shared by carriers
    {0x7f000000, 8},   // 127.0.0.0/8, loopback
    {0xa9fe0000, 16},  // 169.254.0.0/16, link-local; the cloud's metadata
    {0xac100000, 12},  // 172.16.0.0/12
    {0xc0000000, 24},  // 192.0.0.0/24, protocols
    {0xc0a80000, 16},  // 192.168.0.0/16
    {0xc6120000, 15},  // 198.18.0.0/15, benchmarks
    {0xe0000000, 3},   // 224.0.0.0/3, multicast and reserved
};

bool IsPrivate4(uint32_t address) {
  for (const Block4& block : kPrivate4) {
    if ((address ^ block.prefix) >> (32 - block.bits) == 0) return true;
  }
  return false;
}

bool IsPrivate6(const in6_addr& address) {
  const uint8_t* bytes = address.s6_addr;
  uint32_t last;
  std::memcpy(&last, bytes + 12, 4);
  last = ntohl(last);
  if (IN6_IS_ADDR_V4MAPPED(&address)) return IsPrivate4(last);
  // 64:ff9b::/96, translated IPv4.
  constexpr uint8_t kTranslated[12] = {0, 0x64, 0xff, 0x9b};
  if (std::memcmp(bytes, kTranslated, 12) == 0) return IsPrivate4(last);
  // Only 2000::/3 is allocated; within it, 2002::/16 contains IPv4 addresses.
  if (bytes[0] >> 5 != 1) return true;
  if (bytes[0] == 0x20 && bytes[1] == 0x02) {
    std::memcpy(&last, bytes + 2, 4);
    return IsPrivate4(ntohl(last));
  }
  return false;
}

}  // namespace

bool IsPrivateAddress(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return IsPrivate4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    return IsPrivate6(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  }
  return true;
}

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
