// Tests the lines of case files, and the expectations in them.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/case.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/assemble.h"
#include "corpus/testing/temp_corpus.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(CaseTest, LineEndsMayBeThoseOfWindows) {
  const Loader none;
  for (const char* text : {"title \"t\"\r\nx\"00\r\n\tff\"\r\n=== expect\r\nupload none\r\n"
                           "=== dump\r\n{}\r\n",
                           "title \"t\"\nx\"00 ff\"\n=== expect\nupload none\n=== dump\n{}\n"}) {
    const absl::StatusOr<Case> read = ReadCase("header/valid-x", text, none);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(Assemble(read->document)->ToString(), std::string("\0\xff", 2));
    ASSERT_EQ(read->expectations.size(), 1u);
    EXPECT_EQ(read->expectations[0].profile, "upload");
    EXPECT_EQ(read->dump, "{}\n");
  }
  for (const char* text : {"title \"t\"\n=== expect", "title \"t\"\r\n=== expect",
                           "title \"t\"\n=== expect\n=== dump", "title \"t\"\n=== expect\r"}) {
    EXPECT_TRUE(ReadCase("header/valid-x", text, none).ok()) << text;
  }
  EXPECT_EQ(ReplaceExpectation("u8 1\r\n=== expect", {{"upload"}}, ""),
            "u8 1\r\n=== expect\nupload none\n");
}

TEST(CaseTest, ExpectationsAreReplaced) {
  const std::string text = "u8 1  # kept\n=== expect\nupload none\n";
  EXPECT_EQ(ReplaceExpectation(text,
                               {{"upload", false, {{16, 8, "error", "some-rule"}}},
                                {"spec", true, {}},
                                {"safety", false, {}}},
                               "{}\n"),
            "u8 1  # kept\n"
            "=== expect\n"
            "upload 0x10+8 error some-rule\n"
            "spec incomplete\n"
            "safety none\n"
            "=== dump\n"
            "{}\n");
  EXPECT_EQ(ReplaceExpectation("u8 1", {{"upload", false, {}}}, ""),
            "u8 1\n=== expect\nupload none\n");
}

TEST(CaseTest, OptionsOfACheck) {
  const Loader load = [](absl::string_view id) -> absl::StatusOr<std::string> {
    if (id == "header/valid-b") return std::string("gguf 3\n");
    return absl::NotFoundError(absl::StrCat("there is no case ", id));
  };
  const auto read = [&](absl::string_view options) {
    return ReadCase("header/valid-x",
                    absl::StrCat("title \"t\"\noptions ", options, "\ngguf 3\n=== expect\n"), load);
  };
  const auto both = read("\"--base\" \"header/valid-b\" \"--weights\"");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->base_model, "header/valid-b");
  EXPECT_TRUE(both->weights);
  EXPECT_FALSE(read("\"--base\" \"header/valid-b\"")->weights);
  EXPECT_EQ(read("\"--weights\"")->base_model, "");
  EXPECT_EQ(read("\"--base\" \"header/valid-c\"").status().message(),
            "there is no case header/valid-c");
  for (const char* options :
       {"", "\"--base\"", "\"--jobs\"", "\"--weights\" \"--jobs\"", "\"--jobs\" \"--weights\""}) {
    EXPECT_FALSE(read(options).ok()) << options;
  }
}

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
