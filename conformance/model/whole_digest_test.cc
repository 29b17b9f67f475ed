// The digest of a whole file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/whole_digest.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(WholeDigestTest, KnownDigests) {
  EXPECT_EQ(WholeDigest({}, nullptr, nullptr).Finish(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(WholeDigest(AsBytes("abc"), nullptr, nullptr).Finish(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(WholeDigestTest, SeveralPieces) {
  const std::string million(1000000, 'a');
  EXPECT_EQ(WholeDigest(AsBytes(million), nullptr, nullptr).Finish(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  const std::string pieces((4 << 20) + 1, '\0');
  EXPECT_NE(WholeDigest(AsBytes(pieces), nullptr, nullptr).Finish(),
            WholeDigest(AsBytes(pieces).subspan(1), nullptr, nullptr).Finish());
}

TEST(WholeDigestTest, Stops) {
  const std::string text(100, 'a');
  EXPECT_FALSE(WholeDigest(AsBytes(text), nullptr, [] { return true; }).Finish());
  const WholeDigest never_finished(AsBytes(text), nullptr, nullptr);
}

const std::string kA(64, 'a');
const std::string kB(64, 'b');

// Returns the digest that a text gives a path; "" if it gives none, "error" if
// it cannot be read.
std::string In(const std::string& text, const std::string& path) {
  const auto list = Sha256List::Parse(text);
  if (!list.ok()) return "error";
  const auto found = list->Find(path);
  return found ? found->sha256 : "";
}

TEST(Sha256ListTest, DigestAlone) {
  for (const char* prefix : {"", "sha256:", "sha256-"}) {
    const auto list = Sha256List::OfDigest(absl::StrCat(prefix, kA));
    ASSERT_TRUE(list) << prefix;
    EXPECT_EQ(list->Find("any")->sha256, kA);
  }
  EXPECT_EQ(Sha256List::OfDigest(std::string(64, 'A'))->Find("x")->sha256, kA);
  EXPECT_FALSE(Sha256List::OfDigest(std::string(63, 'a')));
  EXPECT_FALSE(Sha256List::OfDigest(std::string(64, 'g')));
  EXPECT_FALSE(Sha256List::OfDigest("SHA256SUMS"));
}

TEST(Sha256ListTest, Lines) {
  const std::string sums = absl::StrCat(kA, "  a.gguf\n", kB, " *dir/b.gguf\r\n\n# comment\n",
                                        "SHA256 (c (1).gguf) = ", kA, "\n");
  EXPECT_EQ(In(sums, "a.gguf"), kA);
  EXPECT_EQ(In(sums, "./a.gguf"), kA);
  EXPECT_EQ(In(sums, "elsewhere/a.gguf"), kA);
  EXPECT_EQ(In(sums, "dir/b.gguf"), kB);
  EXPECT_EQ(In(sums, "c (1).gguf"), kA);
  EXPECT_EQ(In(sums, "d.gguf"), "");
  EXPECT_EQ(In(absl::StrCat(kA, "  ./a.gguf"), "a.gguf"), kA);
}

TEST(Sha256ListTest, SameBaseName) {
  const std::string sums = absl::StrCat(kA, "  x/a\n", kB, "  y/a\n");
  EXPECT_EQ(In(sums, "x/a"), kA);
  EXPECT_EQ(In(sums, "z/a"), "");
}

TEST(Sha256ListTest, NotAList) {
  EXPECT_EQ(In("", "a"), "error");
  EXPECT_EQ(In("hello", "a"), "error");
  EXPECT_EQ(In(absl::StrCat(kA, " a.gguf"), "a.gguf"), "error");
  EXPECT_EQ(In(absl::StrCat(kA, "  a\n", kB, "  a\n"), "a"), "error");
  EXPECT_EQ(In(absl::StrCat(kA, "  a\n", kA, "  a\n"), "a"), kA);
}

TEST(Sha256ListTest, GitLfsPointer) {
  const std::string version = "version https://git-lfs.github.com/spec/v1\n";
  const auto list = Sha256List::Parse(absl::StrCat(version, "oid sha256:", kA, "\nsize 123\n"));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->Find("any")->sha256, kA);
  EXPECT_EQ(list->Find("any")->size, 123u);
  EXPECT_EQ(In(absl::StrCat(version, "size 123\n"), "any"), "error");
}

TEST(Sha256ListTest, NamesOfBlobs) {
  const Sha256List list = Sha256List::OfNames();
  EXPECT_EQ(list.Find(absl::StrCat("blobs/sha256-", kA))->sha256, kA);
  EXPECT_FALSE(list.Find("model.gguf"));
}

}  // namespace

}  // namespace gguf
