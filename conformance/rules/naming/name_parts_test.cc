// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_parts.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/file_name.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(NameFaultsTest, NameThePart) {
  const struct {
    const char* name;
    const char* why;
  } kCases[] = {
      {"x", "does not end with .gguf"},
      {"A-7B-v1.0.GGUF", "does not end with .gguf"},
      {"A-7B-v1.0.gguf.gguf", "has more than one .gguf"},
      {"Tiny-v1.0-F32.gguf", "has no size label such as 7B"},
      {"A-7B-Q4_K_M.gguf", "has no version such as v1.0"},
      {"A-7B-V1.0.gguf", "has a version with a capital letter (\"V1.0\")"},
      {"A-1.5.2B-v1.0.gguf", "has a size label of another form (\"1.5.2B\")"},
      {"A-v1.0-7B.gguf", "has a size label after its version (\"7B\")"},
      {"7B-A-v1.0.gguf", "has a size label before its base name (\"7B\")"},
      {"v1.0-7B.gguf", "has a size label after its version (\"7B\") and no base name"},
      {"Llama-3.1-8B.Q4_K_M.gguf", "has no version such as v1.0 and a base name with \".\""},
      {"A_b-7B-v1.0.gguf", "has a base name with \"_\""},
      {"\xC3\x96l-7B-v1.0.gguf", "has a base name with a special character"},
      {"A-1st-7B-v1.0.gguf", "has a base name with a digit before letters (\"1st\")"},
      {"A-7B-Code_x-v1.0.gguf", "has a fine-tune with \"_\""},
      {"A-7B-Chat-Q4_0-v1.0.gguf", "has an encoding before its version (\"Q4_0\")"},
      {"A-7B--v1.0.gguf", "has two dashes before its version"},
      {"mixtral-8x7b-v0.1.Q4_K_M.gguf", "has a dot after its version"},
      {"A-7B.v1.0.gguf", "has a dot between its parts"},
      {"A-7B-v1.0-Q4-0.gguf", "has an encoding with a dash (\"Q4-0\")"},
      {"A-7B-v1.0-UD-Q4_K_XL.gguf", "has an encoding with a dash (\"UD-Q4_K_XL\")"},
      {"A-7B-v1.0-Chat-Q4_K_M.gguf",
       "has more than an encoding after its version (\"Chat-Q4_K_M\")"},
      {"A-7B-v1.0-.gguf", "has an empty encoding"},
      {"A-7B-v1.0-a b.gguf", "has an encoding with a blank"},
      {"A-7B-v1.0-vocabulary.gguf", "has an encoding that begins like a type (\"vocabulary\")"},
      {"A-7B-v1.0-Q4_0-lora.gguf", "has a type other than LoRA or vocab (\"lora\")"},
      {"A-7B-v1.0-LoRA-vocab.gguf", "has more than one type"},
      {"A-7B-v1.0-LoRA-F16.gguf", "has a type before its encoding (\"LoRA\")"},
      {"A-7B-v1.0-1-of-2.gguf", "has shard numbers that are not of five digits (\"1-of-2\")"},
      {"A-7B-v1.0-00001-of-00002-F16.gguf", "has a shard number that is not at its end"},
      {"A_b-Code-v-Q4_0.gguf",
       "has no size label such as 7B, no version such as v1.0 and a base name with \"_\""},
      // Text of the name is quoted.
      {"A-7B-v1.0-##[error]x-y.gguf", "has an encoding with a dash (\"#\\x23[error]x-y\")"},
  };
  for (const auto& c : kCases) {
    EXPECT_FALSE(ParseFileName(c.name)) << c.name;
    EXPECT_EQ(WhyNotByConvention(c.name), c.why) << c.name;
  }
}

// Every name of these words either follows the convention, or has a fault that
// has a name.
TEST(NameFaultsTest, EveryFaultHasAName) {
  const char* const kWords[] = {"",      "Oak",           "3",     "7B",   "8x",   "4k",   "a.b",
                                "v1",    "V1.0",          "v1.0.", "Q4_0", "LoRA", "lora", "b c",
                                "1.5.B", "00001-of-00002"};
  int faults = 0;
  for (const std::string a : kWords) {
    for (const std::string b : kWords) {
      for (const std::string c : kWords) {
        for (const std::string d : kWords) {
          const std::string name = absl::StrCat(a, "-", b, "-", c, "-v2-", d, ".gguf");
          if (ParseFileName(name)) continue;
          ++faults;
          const std::string why = WhyNotByConvention(name);
          EXPECT_TRUE(absl::StartsWith(why, "has ")) << name << ": " << why;
        }
      }
    }
  }
  EXPECT_GT(faults, 10000);
}

}  // namespace
}  // namespace gguf
