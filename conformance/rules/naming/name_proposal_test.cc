// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_proposal.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// About 3.8 billion parameters, unless the keys say otherwise.
GgufBuilder File(const std::map<std::string, std::string>& keys) {
  GgufBuilder file = PlainFile();
  for (const auto& [key, value] : keys) {
    file.String(absl::StrCat("general.", key), value);
  }
  return file.Tensor("w", {1000, 3800000}, 1, 0);
}

// Returns the name in the advice on another name; empty if there is none.
std::string Proposal(const GgufBuilder& file) {
  const FindingsOf convention = {{"file-name-convention"}};
  for (const std::string& message : convention.MessagesIn(file, "spec", "x.gguf")) {
    const std::string begin = "it could be \"";
    const size_t at = message.find(begin);
    if (at == std::string::npos) return "";
    const size_t from = at + begin.size();
    return message.substr(from, message.size() - from - 1);
  }
  return "";
}

using Keys = std::map<std::string, std::string>;

const std::pair<Keys, const char*> kCases[] = {
    {{}, "llama-3.8B-v1.0.gguf"},
    {{{"basename", "Llama 3.1"},
      {"size_label", "4B"},
      {"finetune", "Instruct"},
      {"version", "2.0"}},
     "Llama-3-1-4B-Instruct-v2.0.gguf"},
    // The example of gguf.md: the context length is in the size label.
    {{{"basename", "Phi-3-mini-4k"}, {"finetune", "instruct"}},
     "Phi-3-mini-3.8B-ContextLength4k-instruct-v1.0.gguf"},
    {{{"basename", "Phi 3 mini 128K"}, {"size_label", "3.8B"}},
     "Phi-3-mini-3.8B-ContextLength128K-v1.0.gguf"},
    {{{"basename", "Phi-3-4k"}, {"size_label", "4B-A1B"}}, "Phi-3-4B-A1B-4k-v1.0.gguf"},
    // Other words with a digit first are in the fine-tune.
    {{{"basename", "Oak-2nd-Tree"}, {"finetune", "Chat"}}, "Oak-Tree-3.8B-2nd-Chat-v1.0.gguf"},
    {{{"basename", "01ai-Yi"}}, "01ai-Yi-3.8B-v1.0.gguf"},
    // A size in the base name is the size label.
    {{{"basename", "Oak-4b"}}, "Oak-4B-v1.0.gguf"},
    {{{"basename", "Oak-4b"}, {"size_label", "3.8B"}}, "Oak-3.8B-v1.0.gguf"},
    {{{"name", "Oak 4B Chat v0.3"}}, "Oak-4B-Chat-v0.3.gguf"},
    {{{"name", "Oak 4B Chat"}, {"finetune", "Chat"}}, "Oak-4B-Chat-v1.0.gguf"},
    {{{"name", "Oak Tree"}}, "Oak-Tree-3.8B-v1.0.gguf"},
    {{{"name", "\xC3\x96"}}, "llama-3.8B-v1.0.gguf"},
    // Versions.
    {{{"version", "v3"}}, "llama-3.8B-v3.gguf"},
    {{{"version", "2024-07"}}, "llama-3.8B-v2024.07.gguf"},
    {{{"version", "2507"}}, "llama-3.8B-v2507.gguf"},
    {{{"version", "1.0-rc1"}}, "llama-3.8B-rc1-v1.0.gguf"},
    {{{"version", "0.3b"}}, "llama-3.8B-b-v0.3.gguf"},
    {{{"version", "final"}}, "llama-3.8B-final-v1.0.gguf"},
};

TEST(NameProposalTest, LosesNoWordOfTheMetadata) {
  for (const auto& [keys, name] : kCases) {
    EXPECT_EQ(Proposal(File(keys)), name);
  }
}

// The rules about names accept the proposal.
TEST(NameProposalTest, IsWithoutFindings) {
  const FindingsOf rules = {{"file-name-convention", "file-name-basename", "file-name-size-label",
                             "size-label-parameters", "file-name-version", "file-name-encoding",
                             "file-name-finetune", "file-name-size-label-scale", "file-name-type",
                             "file-name-parts-present"}};
  for (const auto& [keys, name] : kCases) {
    GgufBuilder file = File(keys);
    file.U32("general.file_type", 1);
    EXPECT_THAT(rules.In(file, "pedantic", Proposal(file)), IsEmpty()) << name;
  }
}

TEST(NameProposalTest, HasTheTypeAndTheShard) {
  EXPECT_EQ(Proposal(File({{"type", "adapter"}, {"size_label", "7B"}})), "llama-7B-v1.0-LoRA.gguf");
  EXPECT_EQ(Proposal(File({{"type", "mmproj"}, {"size_label", "7B"}})),
            "mmproj-llama-7B-v1.0.gguf");
  GgufBuilder b = File({});
  b.U32("general.file_type", 1);
  EXPECT_THAT((FindingsOf{{"file-name-convention"}}.MessagesIn(b, "spec", "x-00002-of-00003.gguf")),
              ElementsAre(testing::HasSubstr("\"llama-3.8B-v1.0-F16-00002-of-00003.gguf\"")));
  // A file of no size has none.
  EXPECT_EQ(Proposal(PlainFile()), "");
}

TEST(NameProposalTest, Versions) {
  const auto parse = [](absl::string_view text) {
    const StatedVersion version = ParseVersion(text);
    return absl::StrCat(version.number, "|", version.words);
  };
  EXPECT_EQ(parse(""), "|");
  EXPECT_EQ(parse("1.0"), "1.0|");
  EXPECT_EQ(parse("V2"), "2|");
  EXPECT_EQ(parse("2024-07-01"), "2024.07.01|");
  EXPECT_EQ(parse("1_2 3"), "1.2.3|");
  EXPECT_EQ(parse("v1.0-rc.2"), "1.0|rc-2");
  EXPECT_EQ(parse("final"), "|final");
  EXPECT_EQ(parse("..."), "|");
}

}  // namespace
}  // namespace gguf
