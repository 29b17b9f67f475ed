// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/hub.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

// Returns "repository revision file", or "invalid".
std::string Parts(const char* text) {
  const auto path = ParseHubPath(text);
  if (!path.ok()) return "invalid";
  return path->repository + " " + path->revision + " " + path->file;
}

TEST(HubTest, ParsesPaths) {
  EXPECT_EQ(Parts("hf://a/b"), "a/b main ");
  EXPECT_EQ(Parts("hf://a/b/"), "a/b main ");
  EXPECT_EQ(Parts("hf://a/b/c/d@e.gguf"), "a/b main c/d@e.gguf");
  EXPECT_EQ(Parts("hf://a/b@v1/c.gguf"), "a/b v1 c.gguf");
  for (const char* text : {"hf://", "hf://a", "hf://a/", "hf:///b", "hf://a//c", "hf://a/@v",
                           "hf://a/b@", "hf://a/b@/c"}) {
    EXPECT_EQ(Parts(text), "invalid") << text;
  }
}

TEST(HubTest, EscapesTheUrlOfAFile) {
  const Hub hub = {*ParseUrl("https://h.org/base"), ""};
  const Url url = hub.FileUrl({"a/b", "refs/pr/1", "c d/\xC3\xA4#?%.gguf"});
  EXPECT_EQ(url.host, "h.org");
  EXPECT_EQ(url.target, "/base/a/b/resolve/refs/pr/1/c%20d/%C3%A4%23%3F%25.gguf");
}

TEST(HubTest, AHeaderOfTheUserComesAfterTheToken) {
  HttpAccess access;
  access.headers = {{"Authorization", "mine"}};
  const Hub hub = {*ParseUrl("https://h.org"), "secret"};
  const HttpAccess with = hub.AccessWith(access);
  ASSERT_EQ(with.headers.size(), 2);
  EXPECT_EQ(with.headers[0].second, "Bearer secret");
  EXPECT_EQ(with.headers[1].second, "mine");
}

}  // namespace
}  // namespace gguf
