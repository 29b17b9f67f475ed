// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/export.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

#include "corpus/export/manifest.h"
#include "corpus/language/image.h"
#include "corpus/testing/temp_corpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "zip.h"

namespace gguf::corpus {
namespace {

// Returns the contents of a file of the archive.
std::string Extract(const std::string& bytes, const char* name) {
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  zip_file_t* const file = zip_fopen(archive, name, 0);
  std::string contents(64, '\0');
  contents.resize(zip_fread(file, &contents[0], contents.size()));
  zip_fclose(file);
  zip_discard(archive);
  return contents;
}

TEST(ArchiveTest, IsInOrderAndTheSameEachTime) {
  const std::map<std::string, std::string> files = {{"b/y.gguf", std::string("GGUF\0\0", 6)},
                                                    {"a/x.gguf", ""}};
  const auto zip = Zip(files);
  ASSERT_TRUE(zip.ok()) << zip.status();
  EXPECT_EQ(zip->substr(0, 4), "PK\3\4");
  EXPECT_EQ(zip->substr(10, 4), std::string("\0\0\x21\0", 4));  // The time.
  for (const auto& [name, contents] : files) {
    EXPECT_EQ(Extract(*zip, name.c_str()), contents);
  }
  EXPECT_LT(zip->find("a/x.gguf"), zip->find("b/y.gguf"));
  EXPECT_EQ(*zip, *Zip(files));
}

TEST(ArchiveTest, AnEmptyArchiveIsOnlyItsEnd) {
  EXPECT_EQ(*Zip({}), "PK\5\6" + std::string(18, '\0'));
}

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kEnd[] = "\n=== expect\nupload none\n";

// A seed, a small file, a recipe.
TempCorpus ThreeCases() {
  TempCorpus corpus;
  corpus.AddCase("header/valid-seed",
                 std::string("title \"s\"\ngguf 3") + kEnd + "=== dump\n{\"format\":\"gguf\"}\n");
  corpus.AddCase("layout/either-small", std::string("title \"m\"\nflags A\nzeros 4097") + kEnd);
  corpus.AddCase("layout/either-recipe", std::string("title \"l\"\nflags B\nzeros 2^33") + kEnd);
  return corpus;
}

std::string Contents(const std::string& path) { return ReadFile(path).value_or("cannot be read"); }

TEST(ExportTest, WritesWhatAReaderNeeds) {
  const TempCorpus corpus = ThreeCases();
  const std::string out = corpus.root() + "/../out/deep";
  ASSERT_EQ(Export(corpus.cases(), out, false), absl::OkStatus());
  EXPECT_EQ(Contents(out + "/header/valid-seed.gguf"),
            std::string("GGUF\3\0\0\0", 8) + std::string(16, '\0'));
  EXPECT_EQ(Contents(out + "/header/valid-seed.json"), "{\"format\":\"gguf\"}\n");
  EXPECT_EQ(Contents(out + "/layout/either-small.gguf"), std::string(4097, '\0'));
  EXPECT_FALSE(fs::exists(out + "/layout/either-recipe.gguf"));
  EXPECT_EQ(Contents(out + "/manifest.json"), ManifestText(*ReadCollection(corpus.cases())));
  EXPECT_EQ(Contents(out + "/manifest.schema.json"), "{}\n");
  EXPECT_EQ(Contents(out + "/README.md"), "For readers.\n\n");
  const std::string seeds = Contents(out + "/seeds.zip");
  EXPECT_THAT(seeds, HasSubstr("header/valid-seed.gguf"));
  EXPECT_THAT(seeds, Not(HasSubstr("either-small")));
}

TEST(ExportTest, BigWritesRecipesThatTakeNoSpace) {
  const TempCorpus corpus = ThreeCases();
  const std::string out = corpus.root() + "/../out";
  ASSERT_EQ(Export(corpus.cases(), out, true), absl::OkStatus());
  struct stat status;
  const std::string recipe = out + "/layout/either-recipe.gguf";
  ASSERT_EQ(stat(recipe.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, int64_t{1} << 33);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST(ExportTest, AnExportIsWrittenOverAndNothingElseIs) {
  TempCorpus corpus = ThreeCases();
  const std::string out = corpus.root() + "/../out";
  const auto check = [&](const std::string& folder) {
    return std::string(CheckExportFolder(corpus.cases(), folder).message());
  };
  EXPECT_EQ(check(out), "");
  fs::create_directory(out);
  EXPECT_EQ(check(out), "");
  ASSERT_EQ(Export(corpus.cases(), out, false), absl::OkStatus());
  corpus.Add("../out/header/valid-seed.gguf", "damaged");
  ASSERT_EQ(Export(corpus.cases(), out, false), absl::OkStatus());
  EXPECT_THAT(Contents(out + "/header/valid-seed.gguf"), HasSubstr("GGUF"));

  corpus.Add("../out/manifest.json", "{}");
  EXPECT_EQ(check(out), out + ": is neither empty nor an export; name another folder");
  EXPECT_EQ(check(out + "/README.md"), out + "/README.md: is not a directory");
  corpus.Add("manifest.json", ManifestText(*ReadCollection(corpus.cases())));
  EXPECT_EQ(check(corpus.root()), corpus.root() + ": is the corpus itself; name another folder");
  EXPECT_FALSE(Export(corpus.cases(), corpus.root(), false).ok());
}

TEST(ExportTest, FilesOfAFormerExportAreDeleted) {
  TempCorpus corpus = ThreeCases();
  const std::string out = corpus.root() + "/../out";
  ASSERT_EQ(Export(corpus.cases(), out, true), absl::OkStatus());
  corpus.Add("../out/header/notes.txt", "mine");
  corpus.Add("../kept.gguf", "not in the export");
  fs::remove(corpus.cases() + "/header/valid-seed.gguft");
  fs::remove(corpus.cases() + "/layout/either-small.gguft");
  std::string manifest = Contents(out + "/manifest.json");
  manifest.insert(manifest.find("\n{\"id\"") + 1, "{\"id\":\"x\",\"file\":\"../kept.gguf\"},");
  corpus.Add("../out/manifest.json", manifest);
  ASSERT_EQ(Export(corpus.cases(), out, false), absl::OkStatus());
  EXPECT_FALSE(fs::exists(out + "/header/valid-seed.gguf"));
  EXPECT_FALSE(fs::exists(out + "/header/valid-seed.json"));
  EXPECT_FALSE(fs::exists(out + "/layout/either-small.gguf"));
  EXPECT_TRUE(fs::exists(out + "/layout/either-recipe.gguf"));
  EXPECT_TRUE(fs::exists(out + "/header/notes.txt"));
  EXPECT_TRUE(fs::exists(corpus.root() + "/../kept.gguf"));
}

TEST(ExportTest, ErrorsNameThePath) {
  TempCorpus corpus = ThreeCases();
  corpus.Add("../file", "");
  const std::string file = corpus.root() + "/../file";
  EXPECT_EQ(Export(corpus.cases(), file + "/out", false).message(),
            "cannot create " + file + "/out: Not a directory");
  fs::remove(corpus.root() + "/README.md");
  EXPECT_THAT(std::string(Export(corpus.cases(), file + "2", false).message()),
              HasSubstr("/corpus/README.md: No such file or directory"));
  EXPECT_FALSE(fs::exists(file + "2"));
}

TEST(ExportTest, TheSameCasesMakeTheSameBytes) {
  const TempCorpus corpus = ThreeCases();
  const auto collection = ReadCollection(corpus.cases());
  const auto files = ExportedFiles(*collection, corpus.cases());
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(*files, *ExportedFiles(*collection, corpus.cases()));
  std::vector<std::string> names;
  for (const auto& [name, contents] : *files) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("README.md", "header/valid-seed.gguf", "header/valid-seed.json",
                                 "layout/either-small.gguf", "manifest.json",
                                 "manifest.schema.json", "seeds.zip"));
}

}  // namespace

}  // namespace gguf::corpus
