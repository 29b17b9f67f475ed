// The index of tokens.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/vocabulary.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// Indexes texts that lie in one buffer, as those of a file.
struct Indexed {
  explicit Indexed(const std::vector<std::string>& texts)
      : buffer("gap" + absl::StrJoin(texts, "gap")) {
    absl::string_view rest = buffer;
    for (const std::string& text : texts) {
      rest.remove_prefix(kGap);
      tokens.Append(rest.substr(0, text.size()));
      rest.remove_prefix(text.size());
    }
    duplicates = index.Build(tokens);
  }
  uint32_t Find(absl::string_view text) const {
    uint32_t id = 0;
    index.Find({&text, 1}, &id);
    return id;
  }

  static constexpr uint64_t kGap = 3;
  std::string buffer;
  TokenTexts tokens{kGap};
  TokenIndex::Duplicates duplicates;
  TokenIndex index;
};

TEST(TokenTextsTest, AreThoseThatWereAppended) {
  const Indexed some({"", "ab", "", "c", ""});
  ASSERT_EQ(some.tokens.size(), 5u);
  EXPECT_EQ(some.tokens[0], "");
  EXPECT_EQ(some.tokens[1], "ab");
  EXPECT_EQ(some.tokens[2], "");
  EXPECT_EQ(some.tokens[3], "c");
  EXPECT_EQ(some.tokens[4], "");
  EXPECT_EQ(TokenTexts().size(), 0u);
}

TEST(TokenIndexTest, FindsTheFirstOfATextAndNoOther) {
  const Indexed some({"a", "b", "", "a", "b", "a"});
  EXPECT_EQ(some.Find("a"), 0u);
  EXPECT_EQ(some.Find("b"), 1u);
  EXPECT_EQ(some.Find(""), 2u);
  EXPECT_EQ(some.Find("ab"), TokenIndex::kNone);
  EXPECT_EQ(some.duplicates.count, 3u);
  EXPECT_EQ(some.duplicates.first, 3u);
  EXPECT_EQ(Indexed({"", "a", "", "b", "b"}).duplicates.first, 4u);
  EXPECT_EQ(Indexed({"", "a", "", "b", "b"}).duplicates.count, 1u);
}

TEST(TokenIndexTest, OfNoTokens) {
  EXPECT_EQ(Indexed({}).Find("a"), TokenIndex::kNone);
  uint32_t id = 0;
  const absl::string_view text = "a";
  TokenIndex().Find({&text, 1}, &id);
  EXPECT_EQ(id, TokenIndex::kNone);
}

// Around the sizes at which the table grows and batches end.
TEST(TokenIndexTest, FindsAllOfAnyNumber) {
  for (const int count : {1, 2, 3, 4, 31, 32, 33, 47, 48, 49, 100000}) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back("t" + std::to_string(i));
    const Indexed all(texts);
    EXPECT_EQ(all.duplicates.count, 0u);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(all.Find(texts[i]), static_cast<uint32_t>(i));
    }
    EXPECT_EQ(all.Find("t" + std::to_string(count)), TokenIndex::kNone);
  }
}

TEST(TokenIndexTest, FindsABatch) {
  const Indexed some({"a", "b", "c"});
  std::vector<absl::string_view> texts(TokenIndex::kBatch, "c");
  texts.front() = "b";
  texts[1] = "x";
  std::vector<uint32_t> ids(texts.size());
  some.index.Find(texts, ids.data());
  EXPECT_EQ(ids.front(), 1u);
  EXPECT_EQ(ids[1], TokenIndex::kNone);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 2u), static_cast<int>(TokenIndex::kBatch) - 2);
}

}  // namespace
}  // namespace gguf
