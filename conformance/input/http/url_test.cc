// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/url.h"

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

}  // namespace
}  // namespace gguf
