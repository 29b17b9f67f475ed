// Tests each rule of lint on a corpus of two cases that breaks only that rule.
//
// SPDX-License-Identifier: Apache-2.0

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "corpus/export/lint.h"
#include "corpus/testing/temp_corpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kUpdate[] = "; run ggufcheck corpus lint --update and review the difference";

// Returns lint's complaints, without the folder.
std::vector<std::string> Complaints(const TempCorpus& corpus) {
  std::vector<std::string> complaints = Lint(corpus.cases());
  for (std::string& complaint : complaints) {
    complaint = absl::StrReplaceAll(complaint, {{corpus.root() + "/", ""}});
  }
  return complaints;
}

// A corpus without faults.
TempCorpus GoodCorpus() {
  TempCorpus corpus;
  corpus.AddCase("header/valid-a",
                 "title \"a\"\nflags A\ngguf 3\n=== expect\nupload none\n"
                 "=== dump\n{}\n");
  corpus.AddCase("header/either-b", "title \"b\"\nflags B\ngguf 2\n=== expect\nupload none\n");
  EXPECT_EQ(UpdateManifest(corpus.cases()), absl::OkStatus());
  return corpus;
}

TEST(LintTest, AGoodCorpusHasNoComplaints) { EXPECT_THAT(Complaints(GoodCorpus()), IsEmpty()); }

TEST(LintTest, OneCaseMore) {
  const struct {
    const char* id;
    const char* text;
    const char* complaint;
  } cases[] = {
      {"header/valid-b", "title \"c\"\ncut 0\n=== expect\nupload none\n=== dump\n{}\n",
       "differs only in its verdict from header/either-b; remove or change one of them"},
      {"header/invalid-c", "title \"b\"\ncut 0\n=== expect\nupload 0+0 error r\n",
       "has the same title as header/either-b; remove or change one of them"},
      {"head/invalid-c", "title \"c\"\ncut 0\n=== expect\nupload 0+0 error r\n",
       "unknown section head; move the case to one of: header metadata tensors layout weights "
       "model tokenizer template shards adapters legacy"},
      {"header/invalid-C", "title \"c\"\ncut 0\n=== expect\nupload 0+0 error r\n",
       "the name has characters other than a-z, 0-9, - and _; rename it"},
      {"header/invalid-c", "title \"c\\xff\"\ncut 0\n=== expect\nupload 0+0 error r\n",
       "a string in the front matter or the dump is not UTF-8, which the manifest requires; write "
       "it in UTF-8"},
      {"header/invalid-c", "title \"c\"\nflags C\ncut 0\n=== expect\nupload 0+0 error r\n",
       "unknown flag C; use a flag of flags.tsv, or add it there"},
      {"header/invalid-c", "title \"c\"\nflags A A\ncut 0\n=== expect\nupload 0+0 error r\n",
       "has the flag A twice; remove one of them"},
      {"header/either-c", "title \"c\"\ncut 0\n=== expect\nupload none\n",
       "is an either- case without flags; add those on which the verdict depends"},
      {"header/invalid-c", "title \"c\"\ncut 0\n=== expect\nspec none\n",
       "has no expectation for the profile upload; run //conformance/golden:golden_test with "
       "--update"},
      {"header/invalid-c", "title \"c\"\ncut 0\n=== expect\nupload 0+0 warning r\n",
       "is an invalid- case in which neither upload nor safety finds an error; a rule is missing, "
       "or the verdict is wrong"},
      {"header/valid-c", "title \"c\"\ncut 0\n=== expect\nupload 0+0 error r\n=== dump\n{}\n",
       "is a valid- case in which upload finds an error; a rule or the verdict is wrong"},
      {"header/valid-c", "title \"c\"\ncut 0\n=== expect\nupload none\n",
       "is a valid- case without a dump; run //conformance/golden:golden_test with --update"},
      {"header/invalid-c", "title \"c\"\ngguf 2\n=== expect\nupload 0+0 error r\n",
       "has the same bytes, options, file_name and set as header/either-b; remove or change one of "
       "them"},
  };
  for (const auto& [id, text, complaint] : cases) {
    TempCorpus corpus = GoodCorpus();
    corpus.AddCase(id, text);
    ASSERT_EQ(UpdateManifest(corpus.cases()), absl::OkStatus());
    EXPECT_THAT(Complaints(corpus), ElementsAre(absl::StrCat("cases/", id, ".gguft: ", complaint)));
  }
}

TEST(LintTest, OneCaseMoreThatIsAllRight) {
  for (const char* text : {"title \"c\"\ncut 0\n=== expect\nupload incomplete\n",
                           "title \"c\"\nfile_name \"n\"\ngguf 3\n=== expect\nupload 0+0 error r\n",
                           "title \"c\"\noptions \"--weights\"\ngguf 3\n=== expect\n"
                           "upload 0+0 warning r\nupload 0+0 error r\n"}) {
    TempCorpus corpus = GoodCorpus();
    corpus.AddCase("header/invalid-c", text);
    ASSERT_EQ(UpdateManifest(corpus.cases()), absl::OkStatus());
    EXPECT_THAT(Complaints(corpus), IsEmpty()) << text;
  }
}

TEST(LintTest, WhatCannotBeReadIsSaidOnce) {
  TempCorpus corpus = GoodCorpus();
  corpus.AddCase("header/valid-c", "title \"c\"\nggf 3\n=== expect\n");
  corpus.AddCase("header/good-d", "title \"d\"\n=== expect\n");
  corpus.AddCase("header/valid-e", "=== expect\n");
  EXPECT_THAT(
      Complaints(corpus),
      ElementsAre(
          "cases/header/good-d.gguft: the name of a case begins with valid-, invalid- or either-",
          HasSubstr("cases/header/valid-c.gguft: line 2, column 1: "),
          "cases/header/valid-e.gguft: line 1, column 1: missing title"));
  EXPECT_FALSE(UpdateManifest(corpus.cases()).ok());
}

TEST(LintTest, FilesBesideTheCases) {
  TempCorpus corpus = GoodCorpus();
  corpus.Add("cases/header/valid-c.gguf", "");
  corpus.Add("flags.tsv", "Flag\tMeaning\nA\ta\nB\tb\nUnused\tu\n");
  ASSERT_EQ(UpdateManifest(corpus.cases()), absl::OkStatus());
  EXPECT_THAT(
      Complaints(corpus),
      ElementsAre(
          "cases/header/valid-c.gguf: is not a case; remove it, or rename it to end in .gguft",
          "flags.tsv: no case has the flag Unused; remove the flag or write a case"));
}

TEST(LintTest, OnlyRegularFilesAreOpened) {
  TempCorpus corpus = GoodCorpus();
  std::filesystem::create_directory(corpus.cases() + "/header/valid-d.gguft");
  const std::string fifo = corpus.cases() + "/header/valid-f.gguft";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(Complaints(corpus),
              ElementsAre("cases/header/valid-d.gguft: not a regular file; remove it",
                          "cases/header/valid-f.gguft: not a regular file; remove it"));
  std::filesystem::remove(corpus.cases() + "/header/valid-d.gguft");
  corpus.AddCase("header/invalid-c", "title \"c\"\nbase \"header/valid-f\"\n=== expect\n");
  EXPECT_THAT(Complaints(corpus),
              testing::Contains("cases/header/invalid-c.gguft: line 2, column 6: cannot read "
                                "cases/header/valid-f.gguft: not a regular file"));
}

TEST(LintTest, AnEmptyCorpusIsAComplaint) {
  const TempCorpus corpus;
  EXPECT_THAT(Lint(corpus.cases()),
              ElementsAre(corpus.cases() + ": no cases found; name another folder"));
  EXPECT_THAT(Lint(corpus.cases() + "/none"), ElementsAre(HasSubstr("cannot list cases in ")));
}

TEST(LintTest, TheManifestIsWhatTheCasesMake) {
  TempCorpus corpus = GoodCorpus();
  corpus.AddCase("header/either-b", "title \"B\"\nflags B\ngguf 2\n=== expect\nupload none\n");
  EXPECT_THAT(Complaints(corpus),
              ElementsAre(absl::StrCat("manifest.json: does not match the cases", kUpdate)));
  corpus.Add("manifest.json", "[]");
  EXPECT_THAT(Complaints(corpus),
              ElementsAre(absl::StrCat("manifest.json: is not a manifest", kUpdate)));
  std::filesystem::remove(corpus.root() + "/manifest.json");
  EXPECT_THAT(
      Complaints(corpus),
      ElementsAre(absl::StrCat("cannot read manifest.json: No such file or directory", kUpdate)));
}

TEST(LintTest, AnIdNeverVanishes) {
  TempCorpus corpus = GoodCorpus();
  const std::string old_name = corpus.cases() + "/header/valid-a.gguft";
  std::filesystem::rename(old_name, corpus.cases() + "/header/valid-z.gguft");
  const std::string complaint =
      "header/valid-a.gguft: is in the committed manifest.json, but the case is missing, and ids "
      "never change; restore the case, or give the reason in retired.tsv";
  EXPECT_THAT(Complaints(corpus),
              ElementsAre("cases/" + complaint, HasSubstr("does not match the cases")));
  EXPECT_EQ(UpdateManifest(corpus.cases()).message(), absl::StrCat(corpus.cases(), "/", complaint));
}

TEST(LintTest, ARetiredIdMayVanishAndNeverComesBack) {
  TempCorpus corpus = GoodCorpus();
  const std::string old_name = corpus.cases() + "/header/valid-a.gguft";
  const std::string new_name = corpus.cases() + "/header/valid-z.gguft";
  std::filesystem::rename(old_name, new_name);
  corpus.Add("retired.tsv", "Id\tReason\nheader/valid-a\twas no case\n");
  EXPECT_THAT(Complaints(corpus), ElementsAre(HasSubstr("does not match the cases")));
  EXPECT_EQ(UpdateManifest(corpus.cases()), absl::OkStatus());
  EXPECT_THAT(Complaints(corpus), IsEmpty());

  std::filesystem::rename(new_name, old_name);
  const std::string complaint =
      "header/valid-a.gguft: is in retired.tsv, and ids are never reused; rename the case";
  EXPECT_EQ(UpdateManifest(corpus.cases()).message(), absl::StrCat(corpus.cases(), "/", complaint));
  EXPECT_THAT(Complaints(corpus), testing::Contains("cases/" + complaint));

  corpus.Add("retired.tsv", "Id\tReason\nheader/valid-a\n");
  EXPECT_THAT(Complaints(corpus),
              testing::Contains("retired.tsv: line 2 is not of the form id<TAB>reason"));
}

TEST(LintTest, AnExportIsSmall) {
  TempCorpus corpus = GoodCorpus();
  for (int i = 0; i < 208; ++i) {  // 64 KiB each.
    corpus.AddCase(absl::StrCat("header/either-", i),
                   absl::StrCat("title \"", i, "\"\nflags A\nu32 ", i,
                                "\nzeros 65532\n=== expect\nupload none\n"));
  }
  ASSERT_EQ(UpdateManifest(corpus.cases()), absl::OkStatus());
  EXPECT_THAT(Complaints(corpus),
              ElementsAre(testing::AllOf(
                  HasSubstr("cases: a plain export has 13"),
                  HasSubstr(" bytes, but at most 13631488 are allowed; make the largest files "
                            "smaller, or larger than 64 KiB, so that they become recipes"))));
}

}  // namespace
}  // namespace gguf::corpus
