// Tests of missing keys: one at a time, for every architecture.
//
// SPDX-License-Identifier: Apache-2.0

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/build.h"
#include "conformance/tables/exempt_keys.h"
#include "conformance/tables/required_keys.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string KeyOf(const RequiredKey& row, uint16_t architecture) {
  return absl::StrReplaceAll(row.key,
                             {{"{arch}", std::string(kArchitectureRows[architecture].name)}});
}

bool IsFor(const RequiredKey& row, absl::string_view profile) {
  if (profile == "spec") return row.by == RequiredBy::kSpec;
  return row.by == RequiredBy::kLoader || row.by == RequiredBy::kTensors;
}

// A file with all keys that the profile requires, but for `missing`.
GgufBuilder FileOf(uint16_t architecture, absl::string_view profile,
                   absl::string_view missing = "") {
  GgufBuilder builder;
  builder.String("general.architecture", kArchitectureRows[architecture].name);
  for (const RequiredKey& row : kRequiredKeys.Of(architecture)) {
    const std::string key = KeyOf(row, architecture);
    if (!IsFor(row, profile) || key == missing) continue;
    if (key == "tokenizer.ggml.model") {
      builder.String(key, "gpt2");
    } else if (absl::StartsWith(row.type, "array of str")) {
      builder.Key(key, 9, ByteWriter().U32(8).U64(1).String("a"));
    } else if (absl::StartsWith(row.type, "array")) {
      builder.Key(key, 9, ByteWriter().U32(4).U64(1).U32(1));
    } else {
      builder.U32(key, key == "split.no" ? 0 : 4);  // The first shard.
    }
  }
  return builder.Tensor("w", {32}, 0);
}

// Returns the keys that are reported as missing.
std::vector<std::string> Missing(const GgufBuilder& builder, absl::string_view profile) {
  const std::string bytes = builder.Build();
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find(profile), {});
  std::vector<std::string> keys;
  for (const Finding& finding : report.findings) {
    const Diagnostic& d = finding.diagnostic;
    // kind-keys-present is about files that are not models.
    if (absl::EndsWith(d.rule->id, "keys-present") &&
        absl::string_view(d.rule->id) != "kind-keys-present" &&
        finding.severity == Severity::kError) {
      EXPECT_EQ(d.args[0].first, "key");
      keys.push_back(d.args[0].second);
    }
  }
  return keys;
}

TEST(RequiredKeyChecksTest, EachKeyOfEachArchitectureIsMissed) {
  int files = 0;
  for (const char* profile : {"upload", "llama.cpp", "spec"}) {
    for (uint16_t a = 0; a < kArchitectures; ++a) {
      EXPECT_THAT(Missing(FileOf(a, profile), profile), IsEmpty())
          << kArchitectureRows[a].name << " " << profile;
      for (const RequiredKey& row : kRequiredKeys.Of(a)) {
        if (!IsFor(row, profile) || !row.when.empty()) continue;
        const std::string key = KeyOf(row, a);
        EXPECT_THAT(Missing(FileOf(a, profile, key), profile), testing::Contains(key)) << profile;
        ++files;
      }
    }
  }
  EXPECT_GT(files, 2000);
}

TEST(RequiredKeyChecksTest, EveryArchitectureThatCanBeLoadedHasRows) {
  int loadable = 0;
  int specified = 0;
  for (uint16_t a = 0; a < kArchitectures; ++a) {
    std::set<RequiredBy> by;
    for (const RequiredKey& row : kRequiredKeys.Of(a)) by.insert(row.by);
    EXPECT_EQ(by.count(RequiredBy::kLoader), IsIn(a, Group::kLoader));
    EXPECT_EQ(by.count(RequiredBy::kSpec), IsIn(a, Group::kSpec));
    EXPECT_EQ(kArchitectureRows[a].first_build != kNoBuild, IsIn(a, Group::kLoader));
    loadable += IsIn(a, Group::kLoader);
    specified += IsIn(a, Group::kSpec);
  }
  EXPECT_GE(loadable, 150);
  EXPECT_EQ(specified, 10);
}

TEST(RequiredKeyChecksTest, AllThatIsMissingIsSaidAtOnce) {
  const auto missing = [](const GgufBuilder& builder) {
    std::vector<std::string> messages;
    const std::string bytes = builder.Build();
    for (const Finding& f : Validate(AsBytes(bytes), *Profile::Find("upload"), {}).findings) {
      messages.push_back(f.diagnostic.message);
    }
    return messages;
  };
  GgufBuilder b;
  b.String("general.architecture", "grok").String("tokenizer.ggml.model", "rwkv");
  EXPECT_THAT(
      missing(b),
      ElementsAre(
          "is \"grok\", but the key \"tokenizer.ggml.tokens\" (array of str), which llama.cpp "
          "requires because of tokenizer.ggml.model, is missing",
          "is \"grok\", but the key \"grok.context_length\" (u32), which llama.cpp requires, is "
          "missing",
          "is \"grok\", but the key \"grok.embedding_length\" (u32), which llama.cpp requires, is "
          "missing",
          "is \"grok\", but the key \"grok.block_count\" (u32), which llama.cpp requires, is "
          "missing",
          "is \"grok\", but the key \"grok.attention.layer_norm_rms_epsilon\" (f32), which "
          "llama.cpp requires, is missing"));
}

// The keys missed in a file of `arch` with some keys more.
std::vector<std::string> MissedWith(absl::string_view arch, absl::string_view profile,
                                    const std::vector<std::pair<std::string, uint32_t>>& more) {
  GgufBuilder plain;
  plain.String("general.architecture", arch).String("tokenizer.ggml.model", "none");
  for (const auto& [key, value] : more) plain.U32(key, value);
  plain.Tensor("w", {32}, 0);
  return Missing(plain, profile);
}

TEST(RequiredKeyChecksTest, ConditionsAreHonoured) {
  using testing::Contains;
  using testing::Not;
  const std::string rank = "deepseek2.attention.q_lora_rank";
  EXPECT_THAT(MissedWith("deepseek2", "upload", {{"deepseek2.block_count", 60}}), Contains(rank));
  EXPECT_THAT(MissedWith("deepseek2", "upload", {{"deepseek2.block_count", 27}}),
              Not(Contains(rank)));
  EXPECT_THAT(MissedWith("deepseek2", "upload",
                         {{"deepseek2.block_count", 48}, {"deepseek2.vocab_size", 128256}}),
              Not(Contains(rank)));
  EXPECT_THAT(MissedWith("deepseek2", "upload",
                         {{"deepseek2.block_count", 48}, {"deepseek2.vocab_size", 128257}}),
              Contains(rank));
  const std::string experts = "deepseek.expert_count";
  EXPECT_THAT(MissedWith("deepseek", "upload",
                         {{"deepseek.block_count", 3}, {"deepseek.leading_dense_block_count", 3}}),
              Not(Contains(experts)));
  EXPECT_THAT(MissedWith("deepseek", "upload",
                         {{"deepseek.block_count", 3}, {"deepseek.leading_dense_block_count", 2}}),
              Contains(experts));
  const std::string width = "grok.feed_forward_length";
  EXPECT_THAT(MissedWith("grok", "upload", {}), Contains(width));
  EXPECT_THAT(MissedWith("grok", "upload", {{"grok.expert_feed_forward_length", 8}}),
              Not(Contains(width)));
  EXPECT_THAT(MissedWith("llama", "upload", {}), Not(Contains("tokenizer.ggml.tokens")));
}

TEST(RequiredKeyChecksTest, WhatHardlyAFileHasIsAWarning) {
  GgufBuilder b = FileOf(FindArchitecture("mpt"), "spec");
  const auto of = [](const GgufBuilder& builder) {
    int count = 0;
    for (const std::string& line : ModelFindings(builder.Build(), "spec")) {
      count += absl::StartsWith(line, "warning spec-unusual-keys-present");
    }
    return count;
  };
  EXPECT_EQ(of(b), 2);
  b.Key("mpt.attention.max_alibi_bias", 6, ByteWriter().U32(0));
  EXPECT_EQ(of(b), 1);  // Either spelling.
  b.Key("mpt.attention.clip_kqv", 6, ByteWriter().U32(0));
  EXPECT_EQ(of(b), 0);
}

TEST(RequiredKeyChecksTest, OtherFilesAreNotJudged) {
  for (const char* type : {"adapter", "imatrix", "mmproj"}) {
    GgufBuilder b;
    b.String("general.architecture", "llama").String("general.type", type);
    EXPECT_THAT(Missing(b, "upload"), IsEmpty()) << type;
  }
  GgufBuilder clip;
  clip.String("general.architecture", "clip");
  EXPECT_THAT(Missing(clip, "upload"), IsEmpty());
  GgufBuilder shard;
  shard.Key("split.no", 2, ByteWriter().U16(1));
  EXPECT_THAT(Missing(shard, "upload"), IsEmpty());
}

TEST(RequiredKeyChecksTest, KeysThatWereNotReadAreNotMissed) {
  std::string bytes = FileOf(FindArchitecture("llama"), "upload").Build();
  bytes.resize(bytes.size() / 2);
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find("upload"), {});
  for (const Finding& finding : report.findings) {
    EXPECT_FALSE(absl::EndsWith(finding.diagnostic.rule->id, "-present"));
  }
}

TEST(RequiredKeyChecksTest, ExemptKeysAreStillExempt) {
  for (uint16_t a = 0; a < kArchitectures; ++a) {
    std::set<std::string> required;
    for (const RequiredKey& row : kRequiredKeys.Of(a)) {
      if (row.by != RequiredBy::kLoader2025) required.insert(row.key);
    }
    for (const ExemptKey& row : kExemptKeys.Of(a)) {
      EXPECT_EQ(required.count(row.key), 0u) << row.key << " of " << kArchitectureRows[a].name;
    }
  }
  for (const ExemptKey& row : kExemptKeys) {
    std::cout << "not required: " << row.key << ": " << row.reason << "\n";
  }
}

}  // namespace
}  // namespace gguf
