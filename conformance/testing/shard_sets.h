// A model of three shards, and what is found in sets of them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_SHARD_SETS_H_
#define GGUF_CONFORMANCE_TESTING_SHARD_SETS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/model/file_name.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

constexpr uint32_t kU16 = 2, kI32 = 5, kF32 = 0, kQ8_0 = 8;

// A file and the number in its name.
struct Shard {
  uint32_t number;
  std::string bytes;
  std::string why_unread = "";
};

inline std::vector<FileReport> Check(const std::vector<Shard>& shards, uint32_t count = 3,
                                     absl::string_view profile = "upload") {
  std::vector<std::string> names;
  for (const Shard& shard : shards) {
    names.push_back("m" + ShardSuffix(shard.number, count));
  }
  std::vector<ShardFile> files;
  for (size_t i = 0; i < shards.size(); ++i) {
    files.push_back({{AsBytes(shards[i].bytes), names[i]}, shards[i].why_unread});
  }
  return ValidateSet(files, *Profile::Find(profile), {});
}

// Returns findings such as "2: kv[split.no].value is 2, but ...", with the
// number of the shard in whose report they are.
inline std::vector<std::string> Found(const std::vector<Shard>& shards, uint32_t count = 3) {
  std::vector<std::string> lines;
  const auto reports = Check(shards, count);
  for (size_t i = 0; i < reports.size(); ++i) {
    for (const Finding& finding : reports[i].findings) {
      const Diagnostic& found = finding.diagnostic;
      EXPECT_LE(found.where.end, shards[i].bytes.size());
      lines.push_back(absl::StrCat(shards[i].number, ": ", found.subject, " ", found.message));
    }
  }
  return lines;
}

// Returns "shard: rule" for rules that were not checked, without those not
// requested.
inline std::vector<std::string> NotChecked(const std::vector<Shard>& shards,
                                           absl::string_view why) {
  std::vector<std::string> lines;
  const auto reports = Check(shards);
  for (size_t i = 0; i < reports.size(); ++i) {
    for (const auto& rule : reports[i].not_checked) {
      if (rule.why.view() != why) continue;
      lines.push_back(absl::StrCat(shards[i].number, ": ", rule.rule->id));
    }
  }
  return lines;
}

inline void AddSplitKeys(GgufBuilder* b, uint16_t number, uint16_t count = 3,
                         uint32_t tensors = 11) {
  b->Key("split.no", kU16, ByteWriter().U16(number))
      .Key("split.count", kU16, ByteWriter().U16(count))
      .Key("split.tensors.count", kI32, ByteWriter().U32(tensors));
}

inline GgufBuilder ModelKeys() {
  GgufBuilder b;
  b.String("general.architecture", "llama")
      .U32("llama.context_length", 16)
      .U32("llama.embedding_length", 8)
      .U32("llama.block_count", 1)
      .U32("llama.feed_forward_length", 8)
      .U32("llama.rope.dimension_count", 4)
      .U32("llama.attention.head_count", 2)
      .Key("llama.attention.layer_norm_rms_epsilon", 6, ByteWriter().U32(0x3727c5ac))
      .U32("llama.vocab_size", 4)
      .String("tokenizer.ggml.model", "none");
  return b;
}

// A model of eleven tensors: five, four, two.
inline GgufBuilder First() {
  GgufBuilder b = ModelKeys();
  AddSplitKeys(&b, 0);
  b.Tensor("output_norm.weight", {8}, kF32)
      .Tensor("blk.0.attn_norm.weight", {8}, kF32)
      .Tensor("blk.0.attn_q.weight", {8, 8}, kF32)
      .Tensor("blk.0.attn_k.weight", {8, 8}, kF32)
      .Tensor("blk.0.attn_v.weight", {8, 8}, kF32);
  return b;
}

inline GgufBuilder SecondWithoutEmbedding() {
  GgufBuilder b;
  AddSplitKeys(&b, 1);
  b.Tensor("blk.0.attn_output.weight", {8, 8}, kF32)
      .Tensor("blk.0.ffn_norm.weight", {8}, kF32)
      .Tensor("blk.0.ffn_gate.weight", {8, 8}, kF32);
  return b;
}

inline GgufBuilder Second() {
  GgufBuilder b = SecondWithoutEmbedding();
  b.Tensor("token_embd.weight", {8, 4}, kF32);
  return b;
}

inline GgufBuilder Third() {
  GgufBuilder b;
  AddSplitKeys(&b, 2);
  b.Tensor("blk.0.ffn_down.weight", {8, 8}, kF32).Tensor("blk.0.ffn_up.weight", {8, 8}, kF32);
  return b;
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_SHARD_SETS_H_
