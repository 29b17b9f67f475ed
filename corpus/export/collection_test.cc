// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/collection.h"

#include <optional>
#include <string>

#include "corpus/testing/temp_corpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(Sha256Test, AgreesWithTheStandard) {  // FIPS 180-4's examples.
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, OfAnImageIsThatOfItsBytes) {
  EXPECT_EQ(Sha256(Image()), Sha256(""));
  for (const uint64_t zeros : {4096, 65535, 65536, 65537, 200000}) {
    Image image;
    image.AppendZeros(zeros);
    image.Append("between");
    image.AppendZeros(zeros);
    EXPECT_EQ(Sha256(image), Sha256(image.ToString())) << zeros;
  }
}

constexpr char kEnd[] = "\n=== expect\nupload none\n";

BuiltCase Build(const std::string& statements, const std::string& end = kEnd) {
  TempCorpus corpus;
  corpus.AddCase("header/valid-x", "title \"x\"\n" + statements + end);
  const auto built = BuildCase(corpus.cases(), "header/valid-x");
  EXPECT_TRUE(built.ok()) << built.status();
  return built.ok() ? *built : BuiltCase();
}

TEST(CollectionTest, TheVersionTellsTheOrder) {
  const struct {
    const char* statements;
    std::optional<uint32_t> version;
    const char* endian;
  } cases[] = {
      {"gguf 3", 3, "little"},
      {"gguf 3 big", 3, "big"},
      {"gguf 1", 1, "little"},
      {"gguf 3 version 0", 0, "little"},
      {"gguf 3 version 0xffffffff", 0xffffffff, "little"},
      {"gguf 3 version 0x10000", 0x100, "big"},
      {"gguf 3\ncut 8", 3, "little"},
      {"gguf 3\ncut 7", std::nullopt, ""},
      {"cut 0", std::nullopt, ""},
      {"gguf 3 magic \"gguf\"", std::nullopt, ""},
  };
  for (const auto& [statements, version, endian] : cases) {
    const BuiltCase built = Build(statements);
    EXPECT_EQ(built.version, version) << statements;
    EXPECT_EQ(built.endian, endian) << statements;
  }
}

TEST(CollectionTest, LargeFilesAreRecipesAndTheLargestHaveNoDigest) {
  const struct {
    const char* statements;
    uint64_t size;
    bool is_recipe;
    bool has_digest;
  } cases[] = {
      {"zeros 65536", 65536, false, true},
      {"zeros 65537", 65537, true, true},
      {"zeros 67108864", 67108864, true, true},
      {"zeros 67108865", 67108865, true, false},
      {"gguf 3 zeros 2^40", (uint64_t{1} << 40) + 24, true, false},
  };
  for (const auto& [statements, size, is_recipe, has_digest] : cases) {
    const BuiltCase built = Build(statements);
    EXPECT_EQ(built.size, size);
    EXPECT_EQ(built.is_recipe(), is_recipe) << statements;
    EXPECT_EQ(built.sha256.has_value(), has_digest) << statements;
  }
}

TEST(CollectionTest, ADumpThatIsOnlyADigestIsNoFile) {
  EXPECT_EQ(Build("gguf 3").dump_name(), "");
  const std::string end = kEnd;
  EXPECT_EQ(Build("gguf 3", end + "=== dump\n{}\n").dump_name(), "header/valid-x.json");
  EXPECT_EQ(Build("gguf 3", end + "=== dump\nsha256 00\n").dump_name(), "");
}

TEST(CollectionTest, TheFirstErrorNamesTheFile) {
  TempCorpus corpus;
  corpus.AddCase("header/valid-a", std::string("title \"a\"\ngguf 3") + kEnd);
  ASSERT_TRUE(ReadCollection(corpus.cases()).ok());
  const std::string path = corpus.cases() + "/header/valid-b.gguft: ";
  const struct {
    const char* statements;
    const char* complaint;
  } cases[] = {
      {"title \"b\"\nggf 3", "line 2, column 1: "},
      {"title \"b\"\ngguf 3\ncut 900", "line 3, column 5: "},
      {"title \"b\"\nbase \"header/valid-c\"", "line 2, column 6: "},
  };
  for (const auto& [statements, complaint] : cases) {
    corpus.AddCase("header/valid-b", std::string(statements) + kEnd);
    const auto read = ReadCollection(corpus.cases());
    EXPECT_THAT(std::string(read.status().message()), testing::StartsWith(path + complaint));
  }
  EXPECT_FALSE(ReadCollection("no/such/folder").ok());
}

TEST(CollectionTest, NeighboursOfTheFolderOfCases) {
  EXPECT_EQ(Beside("corpus/cases", "flags.tsv"), "corpus/flags.tsv");
  EXPECT_EQ(Beside("corpus/cases/", "flags.tsv"), "corpus/flags.tsv");
  EXPECT_EQ(Beside("cases", "flags.tsv"), "flags.tsv");
  EXPECT_EQ(Beside(".", "flags.tsv"), "../flags.tsv");
}

}  // namespace

}  // namespace gguf::corpus
