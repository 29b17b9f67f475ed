// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/flags.h"

#include "corpus/export/temp_corpus.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(FlagsTest, TheHeadingIsNoFlag) {
  const TempCorpus corpus;
  const auto flags = ReadFlags(corpus.root() + "/flags.tsv");
  ASSERT_TRUE(flags.ok()) << flags.status();
  ASSERT_EQ(flags->size(), 2u);
  EXPECT_EQ((*flags)[1].name, "B");
  EXPECT_EQ((*flags)[1].meaning, "means b");
}

TEST(FlagsTest, WrongLinesAreNamed) {
  const struct {
    const char* text;
    const char* complaint;
  } cases[] = {
      {"Flag\tMeaning\nA\n", "line 2 is not of the form flag<TAB>meaning"},
      {"Flag\tMeaning\n\nA\t\n", "line 3 is not of the form flag<TAB>meaning"},
      {"Flag\tMeaning\n\tm\n", "line 2 is not of the form flag<TAB>meaning"},
      {"Flag\tMeaning\nA\tm\tm\n", "line 2 is not of the form flag<TAB>meaning"},
      {"Flag\tMeaning\nA\tm\nB\tm\nA\tx\n", "line 4 has a duplicate flag"},
  };
  TempCorpus corpus;
  const std::string path = corpus.root() + "/flags.tsv";
  for (const auto& [text, complaint] : cases) {
    corpus.Add("flags.tsv", text);
    EXPECT_EQ(ReadFlags(path).status().message(), path + ": " + complaint);
  }
  EXPECT_EQ(ReadFlags("missing").status().message(),
            "cannot read missing: No such file or directory");
}

}  // namespace
}  // namespace gguf::corpus
