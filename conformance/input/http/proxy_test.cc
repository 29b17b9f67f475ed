// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/proxy.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

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
