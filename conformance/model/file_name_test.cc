// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/file_name.h"

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(ShardNameTest, NumberAndCountStandAtTheEnd) {
  const auto name = ParseShardName("Mixtral-8x7B-v0.1-00002-of-65535.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->prefix, "Mixtral-8x7B-v0.1");
  EXPECT_EQ(name->number, 2u);
  EXPECT_EQ(name->count, 65535u);
  EXPECT_TRUE(name->is_of_set());
  EXPECT_EQ(ParseShardName("-00001-of-00002.gguf")->prefix, "");
  EXPECT_EQ(ParseShardName("a-00001-of-00002-00003-of-00004.gguf")->prefix, "a-00001-of-00002");
}

TEST(ShardNameTest, OtherNamesAreOfNoShard) {
  for (const char* name :
       {"", ".gguf", "m.gguf", "00001-of-00002.gguf", "m-0001-of-00002.gguf",
        "m-000001-of-00002.gguf.bak", "m-00001-of-00002.GGUF", "m-0000x-of-00002.gguf",
        "m-00001-of-0002.gguf", "m-00001_of_00002.gguf"}) {
    EXPECT_FALSE(ParseShardName(name)) << name;
  }
}

TEST(ShardNameTest, ASetHasAtLeastTwoAndNumbersFrom1ToTheCount) {
  const struct {
    const char* name;
    bool is_of_set;
    bool is_in_count;
  } kNames[] = {
      {"m-00000-of-00002.gguf", true, false}, {"m-00001-of-00002.gguf", true, true},
      {"m-00002-of-00002.gguf", true, true},  {"m-00003-of-00002.gguf", true, false},
      {"m-00001-of-00001.gguf", false, true}, {"m-00001-of-00000.gguf", false, false},
      {"m-99999-of-99999.gguf", true, true},
  };
  for (const auto& row : kNames) {
    const auto name = ParseShardName(row.name);
    ASSERT_TRUE(name) << row.name;
    EXPECT_EQ(name->is_of_set(), row.is_of_set) << row.name;
    EXPECT_EQ(name->is_in_count(), row.is_in_count) << row.name;
  }
}

TEST(ShardNameTest, SuffixIsReadAsItIsWritten) {
  EXPECT_EQ(ShardSuffix(2, 3), "-00002-of-00003.gguf");
  const std::string name = "m" + ShardSuffix(65534, 65535);
  EXPECT_EQ(ParseShardName(name)->number, 65534u);
  EXPECT_EQ(ParseShardName(name)->count, 65535u);
}

// "BaseName=a SizeLabel=7B", or "-" for a name outside the convention.
std::string Read(absl::string_view name, NamingConvention convention) {
  const auto parts = ParseFileName(name, convention);
  if (!parts) return "-";
  std::string text;
  for (const auto& [part, value] : *parts) {
    text += (text.empty() ? "" : "|") + part + "=" + value;
  }
  return text;
}

TEST(FileNameTest, NamesAreSplitAsTheSpecificationSplitsThem) {
  const struct {
    const char* name;
    const char* parts;
  } kCases[] = {
      {"Tiny-1M-v2.gguf", "BaseName=Tiny|SizeLabel=1M|Version=v2"},
      {"Oak-8x7B-v0.1-KQ2.gguf", "BaseName=Oak|SizeLabel=8x7B|Version=v0.1|Encoding=KQ2"},
      {"Two Words-1.5T-a b-v1.0.gguf",
       "BaseName=Two Words|SizeLabel=1.5T|FineTune=a b|Version=v1.0"},
      {"Elm-2-Pro-3-8B-v1.0-F16.gguf",
       "BaseName=Elm-2-Pro-3|SizeLabel=8B|Version=v1.0|Encoding=F16"},
      {"Fir-3.8B-Context4k-it-v1.gguf",
       "BaseName=Fir|SizeLabel=3.8B-Context4k|FineTune=it|Version=v1"},
      {"Ash-1M-v1-LoRA.gguf", "BaseName=Ash|SizeLabel=1M|Version=v1|Type=LoRA"},
      {"Ash-1M-v1-Q4_0-vocab-00001-of-00002.gguf",
       "BaseName=Ash|SizeLabel=1M|Version=v1|Encoding=Q4_0|Type=vocab|Shard=00001-of-00002"},
      {"Ash-1M-v1-00000-of-00001.gguf",
       "BaseName=Ash|SizeLabel=1M|Version=v1|Shard=00000-of-00001"},
      {"Ash--v1.gguf", "BaseName=Ash|Version=v1"},
      {"--v1.gguf", "BaseName=|Version=v1"},
      {"-v1.gguf", "-"},
      {"a--v1-v2.gguf", "BaseName=a|Version=v1|Encoding=v2"},
      // Words that begin like LoRA and vocab are encodings up to the last
      // letter.
      {"a--v1-L.gguf", "BaseName=a|Version=v1|Encoding=L"},
      {"a--v1-LoRa.gguf", "BaseName=a|Version=v1|Encoding=LoRa"},
      {"a--v1-LoRB.gguf", "BaseName=a|Version=v1|Encoding=LoRB"},
      {"a--v1-Lo.gguf", "BaseName=a|Version=v1|Encoding=Lo"},
      {"a--v1-voca.gguf", "BaseName=a|Version=v1|Encoding=voca"},
      {"a--v1-vocal.gguf", "BaseName=a|Version=v1|Encoding=vocal"},
      {"a--v1-lora.gguf", "BaseName=a|Version=v1|Encoding=lora"},
      {"a--v1-LoRAx.gguf", "-"},
      {"a--v1-vocabulary.gguf", "-"},
      // White space beyond ASCII counts, as it does in JavaScript.
      {"a\xC2\xA0z-1M-v1.gguf", "BaseName=a\xC2\xA0z|SizeLabel=1M|Version=v1"},
      {"a\vz-1M-v1.gguf", "BaseName=a\vz|SizeLabel=1M|Version=v1"},
      // Outside the convention, although common on the Hub.
      {"", "-"},
      {"Oak-8B-F16.gguf", "-"},
      {"Oak-3.1-8B-v1.gguf", "-"},
      {"Oak_8B-v1.gguf", "-"},
      {"Oak-8B-V1.gguf", "-"},
      {"Oak-8B-v1.GGUF", "-"},
      {"Oak-8B-v1.gguf ", "-"},
      {"Oak-8B-v1-Q4-0.gguf", "-"},
      {"Oak-8B-v1-1-of-2.gguf", "-"},
      {"Oak-8B-v1\n.gguf", "-"},
      {"\xFF-8B-v1.gguf", "-"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Read(c.name, NamingConvention::k2026), c.parts) << c.name;
    EXPECT_EQ(Read(c.name, NamingConvention::k2024), c.parts) << c.name;
  }
}

TEST(FileNameTest, OnlyTheNewestConventionKnowsSidecars) {
  const struct {
    const char* name;
    const char* parts_2024;
    const char* parts_2026;
  } kCases[] = {
      {"mmproj-Oak-7B-v1.gguf", "BaseName=mmproj-Oak|SizeLabel=7B|Version=v1",
       "Sidecar=mmproj|BaseName=Oak|SizeLabel=7B|Version=v1"},
      {"mtp-Oak--v1.gguf", "BaseName=mtp-Oak|Version=v1", "Sidecar=mtp|BaseName=Oak|Version=v1"},
      // The rest must be a name by itself.
      {"mmproj-0.5B-v1.gguf", "BaseName=mmproj|SizeLabel=0.5B|Version=v1",
       "BaseName=mmproj|SizeLabel=0.5B|Version=v1"},
      {"Mmproj-Oak-7B-v1.gguf", "BaseName=Mmproj-Oak|SizeLabel=7B|Version=v1",
       "BaseName=Mmproj-Oak|SizeLabel=7B|Version=v1"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Read(c.name, NamingConvention::k2024), c.parts_2024);
    EXPECT_EQ(Read(c.name, NamingConvention::k2026), c.parts_2026);
  }
}

// The published expression doubles its time with every "- " here.
TEST(FileNameTest, HostileNamesTakeLinearTime) {
  std::string name = "a";
  for (int i = 0; i < 10000; ++i) name += "- ";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ParseFileName(name + "!"), std::nullopt);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(spent.count(), 1.0);
}

// "SizeLabel=7b|Encoding=Q4_K_M"
std::string Read(absl::string_view name) {
  std::string text;
  for (const auto& [part, value] : ParseLooseFileName(name)) {
    absl::StrAppend(&text, text.empty() ? "" : "|", part, "=", value);
  }
  return text;
}

TEST(LooseFileNameTest, PartsThatAreCertain) {
  const struct {
    const char* name;
    const char* parts;
  } kCases[] = {
      {"Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "SizeLabel=8B|Encoding=Q4_K_M"},
      {"mixtral-8x7b-v0.1.Q4_K_M.gguf", "SizeLabel=8x7b|Encoding=Q4_K_M"},
      {"gemma-3-27b-it-UD-Q4_K_XL.gguf", "SizeLabel=27b|Encoding=Q4_K_XL"},
      {"llama-7b.GGUF", "SizeLabel=7b|Encoding=7b"},
      {"Phi-3-mini-4k-instruct-q4.gguf", "Encoding=q4"},
      {"Qwen2.5-7B-Instruct-1M-Q8_0.gguf", "SizeLabel=7B|Encoding=Q8_0"},
      {"SmolVLM-256M-Q8_0.gguf", "SizeLabel=256M|Encoding=Q8_0"},
      {"Llama-4-Scout-17B-16E-Q8_0.gguf", "Encoding=Q8_0"},
      {"OLMoE-1B-7B-Q8_0.gguf", "Encoding=Q8_0"},
      // Tokens that the model was trained on, after its size.
      {"R1-140M-15T-Q8_0.gguf", "SizeLabel=140M|Encoding=Q8_0"},
      {"R1-140M-15T.gguf", "SizeLabel=140M|Encoding=15T"},
      {"TinyLlama-1.1B-step-1431k-3T-F16.gguf", "SizeLabel=1.1B|Encoding=F16"},
      {"Kimi-K2-1T-Q8_0.gguf", "SizeLabel=1T|Encoding=Q8_0"},
      {"SmolLM-135M-600B-Q8_0.gguf", "Encoding=Q8_0"},
      {"mmproj-X-27B-f16.gguf", "Sidecar=mmproj|Encoding=f16"},
      {"X-27B.mmproj-f16.gguf", "Encoding=f16"},
      {"Refact-1_6B-fim-F32.gguf", "SizeLabel=1.6B|Encoding=F32"},
      {"X-2_7B-1_6B-F16.gguf", "Encoding=F16"},
      {"mtp-X-12B-it.gguf", "Sidecar=mtp|Encoding=it"},
      {"X-8B-Q4_K_M-00001-of-00020.gguf", "SizeLabel=8B|Encoding=Q4_K_M"},
      {"X-MTP-Q4K-Q8_0-F32.gguf", ""},
      {"", ""},
      {".gguf", ""},
      {"-.gguf", ""},
      {"x.bin", ""},
  };
  for (const auto& c : kCases) EXPECT_EQ(Read(c.name), c.parts) << c.name;
}

TEST(LooseFileNameTest, ContextLengthsAreNotSizes) {
  EXPECT_FALSE(IsSizeNotContext("4k"));
  EXPECT_FALSE(IsSizeNotContext("128k"));
  for (const char* size : {"4K", "7b", "8x4k", "", "k"}) {
    EXPECT_TRUE(IsSizeNotContext(size)) << size;
  }
}

// The table says what a person reads in each name.
TEST(LooseFileNameTest, PublishedNames) {
  std::ifstream file("conformance/model/published_names.tsv");
  int names = 0, sizes = 0, encodings = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() < 3 || cells[0] == "name") continue;
    ++names;
    std::string size = "-", encoding;
    for (const auto& [part, value] : ParseLooseFileName(cells[0])) {
      if (part == "SizeLabel") size = value;
      if (part == "Encoding") encoding = value;
    }
    EXPECT_EQ(size, cells[1]) << cells[0];
    if (cells[2] != "-") {
      EXPECT_EQ(encoding, cells[2]) << cells[0];
    }
    sizes += size != "-";
    encodings += cells[2] != "-";
  }
  EXPECT_GE(names, 200);
  EXPECT_GT(sizes, names / 2);
  EXPECT_GT(encodings, names / 2);
}

TEST(FileNameTest, EndingsOfProgramsAreKnown) {
  for (const char* name :
       {"m.gguf.incomplete", "m.gguf.part", "m-partial", "sha256-00-partial-0", "m.gguf.crdownload",
        "m.gguf.aria2", "Unconfirmed 1.crdownload", "m.GGUF.PART", "m.gguf.!qB"}) {
    EXPECT_EQ(WhatIsUnfinished(name), "an unfinished download; resume it") << name;
  }
  for (const char* name :
       {"m.gguf-split-a", "m.gguf.001", "m.gguf.partaa", "m.gguf.part-2", "m.gguf.aa"}) {
    EXPECT_EQ(WhatIsUnfinished(name), "a part of a file; join the parts in order") << name;
  }
  EXPECT_EQ(WhatIsUnfinished("m.Q8_0.gguf.part1of2"),
            "part 1 of 2 of a file; join the parts in order");
  for (const char* name : {"", "m.gguf", "m-00001-of-00002.gguf", "partial.gguf", "m-part.gguf",
                           "m.ggml", "ggml-model.bin", "download"}) {
    EXPECT_EQ(WhatIsUnfinished(name), "") << name;
  }
}

}  // namespace

}  // namespace gguf
