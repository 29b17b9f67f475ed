// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/loose_file_name.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

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

}  // namespace
}  // namespace gguf
