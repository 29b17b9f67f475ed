// Tests IsPrivateAddress() at the edges of the blocks.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// Returns "scheme user host port target", or "invalid".
std::string Parts(const absl::StatusOr<Url>& url) {
  if (!url.ok()) return "invalid";
  return (url->secure ? "https " : "http ") + url->user + " " + url->host + " " + url->port + " " +
         url->target;
}

TEST(UrlTest, ParsesEveryPart) {
  const struct {
    const char* text;
    const char* parts;
  } kUrls[] = {
      {"http://a.org", "http  a.org 80 /"},
      {"HTTPS://A.org:8443/b/c?d=e&f#g", "https  a.org 8443 /b/c?d=e&f"},
      {"http://a.org?x", "http  a.org 80 /?x"},
      {"http://a.org:/x", "http  a.org 80 /x"},
      {"https://u%3aser:p%40ss@a.org/", "https u:ser:p@ss a.org 443 /"},
      {"https://u%:p%4@a.org/", "https u%:p%4 a.org 443 /"},
      {"https://u41:p42x@a.org/", "https u41:p42x a.org 443 /"},
      {"http://[2001:DB8::1]:81/x", "http  2001:db8::1 81 /x"},
  };
  for (const auto& [text, parts] : kUrls) {
    EXPECT_EQ(Parts(ParseUrl(text)), parts) << text;
  }
}

TEST(UrlTest, RejectsWhatIsNoUrl) {
  for (const char* text : {"", "a.gguf", "ftp://a.org/", "file:///etc/passwd", "http://",
                           "http:///x", "http://a.org:0/", "http://a.org:65536/", "http://a.org:x/",
                           "http://a b/", "http://a.org/a b", "http://a.org/\r\nX: y",
                           "http://[::1/", "http://[g]/", "http://a]/", "http://[::1]x/"}) {
    EXPECT_EQ(Parts(ParseUrl(text)), "invalid") << text;
  }
}

TEST(UrlTest, ResolvesRedirects) {
  const Url base = *ParseUrl("https://u:p@a.org:8443/b/c?d=e");
  const struct {
    const char* location;
    const char* parts;
  } kRedirects[] = {
      {"http://b.org/x", "http  b.org 80 /x"},
      {"//b.org/x", "https  b.org 443 /x"},
      {"/x?y", "https  a.org 8443 /x?y"},
      {"x/y:z", "https  a.org 8443 /b/x/y:z"},
      {"../x/./y?../z", "https  a.org 8443 /x/y?../z"},
      {"../../x/..", "https  a.org 8443 /"},
      {".", "https  a.org 8443 /b/"},
      {"?f=g", "https  a.org 8443 /b/c?f=g"},
      {"file:///etc/passwd", "invalid"},
      {"javascript:x", "invalid"},
  };
  for (const auto& [location, parts] : kRedirects) {
    EXPECT_EQ(Parts(ResolveUrl(base, location)), parts) << location;
  }
}

TEST(UrlTest, AuthorityOmitsTheDefaultPort) {
  EXPECT_EQ(ParseUrl("https://a.org:443/")->Authority(), "a.org");
  EXPECT_EQ(ParseUrl("http://a.org:443/")->Authority(), "a.org:443");
  EXPECT_EQ(ParseUrl("http://[::1]/")->Authority(), "[::1]");
}

TEST(UrlTest, TellsOriginsApart) {
  const Url url = *ParseUrl("https://a.org/x");
  EXPECT_TRUE(SameOrigin(url, *ParseUrl("https://A.ORG:443/y")));
  for (const char* other : {"http://a.org:443/x", "https://b.org/x", "https://a.org:444/x"}) {
    EXPECT_FALSE(SameOrigin(url, *ParseUrl(other))) << other;
  }
}

TEST(UrlTest, ShowsNoSecrets) {
  EXPECT_EQ(ShownUrl("https://u:p@a.org/b@c.gguf?token=1#f"), "https://a.org/b@c.gguf");
  EXPECT_EQ(ShownUrl("http://a.org?u@b"), "http://a.org");
  EXPECT_EQ(ShownUrl("http://u:p/q@a.org/x"), "http://...");
  EXPECT_EQ(ShownUrl("https://u:p?q@a.org/x"), "https://...");
}

bool IsPrivate(const char* text) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
    return IsPrivateAddress(reinterpret_cast<const sockaddr&>(v4));
  }
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text, &v6.sin6_addr), 1) << text;
  return IsPrivateAddress(reinterpret_cast<const sockaddr&>(v6));
}

TEST(PrivateAddressTest, PrivateOnes) {
  for (const char* text : {"0.0.0.0",
                           "10.0.0.0",
                           "10.255.255.255",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "169.254.169.254",
                           "172.16.0.0",
                           "172.31.255.255",
                           "192.168.0.1",
                           "198.19.255.255",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "fc00::1",
                           "fd12::1",
                           "fe80::1",
                           "ff02::1",
                           "::ffff:127.0.0.1",
                           "64:ff9b::7f00:1",
                           "2002:7f00:1::"}) {
    EXPECT_TRUE(IsPrivate(text)) << text;
  }
}

TEST(PrivateAddressTest, PublicOnes) {
  for (const char* text :
       {"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255",
        "192.169.0.0", "223.255.255.255", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808",
        "2002:808:808::", "2001:a00:1::"}) {
    EXPECT_FALSE(IsPrivate(text)) << text;
  }
}

TEST(PrivateAddressTest, OtherFamiliesAreNotPublic) {
  const sockaddr local = {AF_UNIX, {}};
  EXPECT_TRUE(IsPrivateAddress(local));
}

using testing::HasSubstr;

// Returns the proxy's "host:port", "none", or the error.
std::string Proxy(const char* url, std::map<std::string, std::string> variables) {
  const auto proxy = ProxyFor(*ParseUrl(url), [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  if (!proxy.ok()) return std::string(proxy.status().message());
  return *proxy ? (*proxy)->host + ":" + (*proxy)->port : "none";
}

TEST(ProxyTest, FollowsTheVariablesOfTheScheme) {
  EXPECT_EQ(Proxy("http://a.org/", {}), "none");
  EXPECT_EQ(Proxy("http://a.org/", {{"http_proxy", "http://p:3128"}}), "p:3128");
  EXPECT_EQ(Proxy("http://a.org/", {{"http_proxy", "p:3128"}}), "p:3128");
  EXPECT_EQ(Proxy("https://a.org/", {{"http_proxy", "http://p:3128"}}), "none");
  EXPECT_EQ(Proxy("https://a.org/", {{"HTTPS_PROXY", "http://p:1/"}}), "p:1");
  EXPECT_EQ(Proxy("https://a.org/", {{"ALL_PROXY", "http://p:1/"}}), "p:1");
  EXPECT_EQ(Proxy("http://a.org/", {{"http_proxy", ""}, {"all_proxy", "q:2"}}), "q:2");
}

TEST(ProxyTest, IgnoresTheVariableThatRequestsCanSet) {
  EXPECT_EQ(Proxy("http://a.org/", {{"HTTP_PROXY", "http://evil:1"}}), "none");
}

TEST(ProxyTest, LeavesOutListedHosts) {
  const auto with_list = [](const char* url, const char* list) {
    return Proxy(url, {{"all_proxy", "p:1"}, {"no_proxy", list}});
  };
  EXPECT_EQ(with_list("http://a.org/", "*"), "none");
  EXPECT_EQ(with_list("http://a.org/", "b.org, A.org"), "none");
  EXPECT_EQ(with_list("http://x.a.org/", "a.org"), "none");
  EXPECT_EQ(with_list("http://x.a.org/", ".a.org"), "none");
  EXPECT_EQ(with_list("http://a.org:81/", "a.org:81"), "none");
  EXPECT_EQ(with_list("http://[::1]/", "[::1]"), "none");
  EXPECT_EQ(with_list("http://aa.org/", "a.org"), "p:1");
  EXPECT_EQ(with_list("http://a.org/", "a.org:81"), "p:1");
  EXPECT_EQ(with_list("http://a.org/", ",,"), "p:1");
}

TEST(ProxyTest, NamesTheVariableOfAnInvalidProxy) {
  EXPECT_THAT(Proxy("http://a.org/", {{"http_proxy", "socks5://p:1"}}), HasSubstr("http_proxy"));
  EXPECT_THAT(Proxy("http://a.org/", {{"all_proxy", "https://p:1"}}), HasSubstr("all_proxy"));
}

}  // namespace

}  // namespace gguf
