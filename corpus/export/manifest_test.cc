// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/manifest.h"

#include <string>

#include "corpus/testing/temp_corpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace gguf::corpus {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::string Manifest(const TempCorpus& corpus) {
  const auto collection = ReadCollection(corpus.cases());
  EXPECT_TRUE(collection.ok()) << collection.status();
  return collection.ok() ? ManifestText(*collection) : "";
}

TEST(ManifestTest, ACaseWithEverything) {
  TempCorpus corpus;
  corpus.AddCase("header/valid-base", R"(title "b"
gguf 3 big
=== expect
upload none
=== dump
{}
)");
  corpus.AddCase("header/either-all", R"(title "t"
why "w"
level should
importance minor
flags B A
clause "c"
references "r2" "r1"
scope model
file_name "n.gguf"
set "header/valid-base"
options "--weights" "--base" "header/valid-base"
budget 20 30
base "header/valid-base"
=== expect
upload cause truncated
upload cause never-filled
upload 0x8+4 warning r-b
upload 0x8+4 warning r-a
upload 0x9+4 warning r-b
spec none
llama.cpp incomplete
)");
  const json manifest = json::parse(Manifest(corpus));
  EXPECT_EQ(manifest["schema"], "ggufcheck/manifest/1");
  EXPECT_EQ(manifest["flags"], R"({"A":"means a","B":"means b"})"_json);
  ASSERT_EQ(manifest["cases"].size(), 2u);
  EXPECT_EQ(manifest["cases"][0], R"({
    "id": "header/either-all", "verdict": "either", "title": "t", "why": "w",
    "level": "should", "importance": "minor", "flags": ["B", "A"],
    "clause": "c", "references": ["r2", "r1"], "scope": "model",
    "base": "header/valid-base", "file": "header/either-all.gguf",
    "big_file": null, "dump": null, "dump_sha256": null, "file_name": "n.gguf",
    "set": ["header/valid-base"], "size": 24,
    "sha256":
      "6365f05f74984a4ee0917832558e3ca7b4eabf9830d6cbbb8ab7069fa1503622",
    "version": 3, "endian": "big", "options": ["--weights", "--base", "header/valid-base.gguf"],
    "budget": {"ms": 20, "mib": 30},
    "rules": {"upload": ["r-a", "r-b"], "spec": [], "llama.cpp": []},
    "incomplete": ["llama.cpp"], "causes": ["never-filled", "truncated"]})"_json);
  EXPECT_EQ(manifest["cases"][1]["dump"], "header/valid-base.json");
  EXPECT_EQ(manifest["cases"][1]["why"], nullptr);
  EXPECT_FALSE(manifest["cases"][1].contains("causes"));
}

TEST(ManifestTest, ARecipeHasAnotherFile) {
  TempCorpus corpus;
  corpus.AddCase("header/valid-x", "title \"x\"\nzeros 2^33\n=== expect\nupload none\n");
  const json entry = json::parse(Manifest(corpus))["cases"][0];
  EXPECT_EQ(entry["file"], nullptr);
  EXPECT_EQ(entry["big_file"], "header/valid-x.gguf");
  EXPECT_EQ(entry["sha256"], nullptr);
  EXPECT_EQ(entry["size"], uint64_t{1} << 33);
}

TEST(ManifestTest, ALongDumpIsADigest) {
  TempCorpus corpus;
  corpus.AddCase("header/valid-x", "title \"x\"\n=== expect\nupload none\n=== dump\nsha256 0af\n");
  const json entry = json::parse(Manifest(corpus))["cases"][0];
  EXPECT_EQ(entry["dump"], nullptr);
  EXPECT_EQ(entry["dump_sha256"], "0af");
}

TEST(ManifestTest, IdsComeBackAndOtherTextsAreNoManifest) {
  TempCorpus corpus;
  EXPECT_THAT(ManifestIds(Manifest(corpus)).value(), ElementsAre());
  for (const char* id : {"header/valid-b", "header/valid-a"}) {
    corpus.AddCase(id, "title \"x\"\n=== expect\nupload none\n");
  }
  const std::string text = Manifest(corpus);
  EXPECT_THAT(ManifestIds(text).value(), ElementsAre("header/valid-a", "header/valid-b"));
  EXPECT_EQ(text, Manifest(corpus));
  for (const std::string& other :
       {std::string(), std::string("[]"), std::string("{\"cases\":[]}"),
        std::string("{\"schema\":1,\"cases\":[]}"),
        std::string("{\"schema\":\"ggufcheck/manifest/1\",\"cases\":[1]}"),
        text.substr(0, text.size() - 3)}) {
    EXPECT_FALSE(ManifestIds(other).has_value()) << other;
  }
}

TEST(ManifestTest, OnlyUtf8Fits) {
  EXPECT_TRUE(FitsManifest(""));
  EXPECT_TRUE(FitsManifest("\xC3\xA9 \xEF\xBF\xBD \x01"));
  EXPECT_FALSE(FitsManifest("a\xFF"));
  EXPECT_FALSE(FitsManifest("\xED\xA0\x80"));  // A surrogate.
}

}  // namespace
}  // namespace gguf::corpus
