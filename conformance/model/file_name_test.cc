// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/file_name.h"

#include <chrono>
#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

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

}  // namespace
}  // namespace gguf
