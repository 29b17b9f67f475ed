// Tests the size of contexts; the numbers are those of llama.cpp's log.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/context_size.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/model/model.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using Keys = std::vector<std::pair<const char*, uint32_t>>;

// Returns "length, cache, state" of a model of two blocks with two heads, 8 wide.
std::string SizeOf(const std::string& architecture, const Keys& keys) {
  GgufBuilder file;
  file.String("general.architecture", architecture);
  file.U32(absl::StrCat(architecture, ".block_count"), 2);
  file.U32(absl::StrCat(architecture, ".embedding_length"), 8);
  for (const auto& [key, value] : keys) file.U32(absl::StrCat(architecture, ".", key), value);
  const std::string bytes = file.Build();
  Diagnostics found(100);
  const Model model(Parse(AsBytes(bytes), {}, &found));
  const auto size = ContextSizeOf(model.hparams());
  if (!size) return "unknown";
  return absl::StrCat(size->length, ", ", size->kv_cache, ", ", size->recurrent_state);
}

TEST(ContextSizeTest, IsThatOfKeysAndValues) {
  EXPECT_EQ(SizeOf("llama", {{"context_length", 4096}, {"attention.head_count", 2}}),
            "4096, 262144, 0");
  // Cells come in multiples of 256.
  EXPECT_EQ(SizeOf("llama", {{"context_length", 257}, {"attention.head_count", 2}}),
            "257, 32768, 0");
}

TEST(ContextSizeTest, AWindowLimitsTheBlocksThatHaveIt) {
  EXPECT_EQ(SizeOf("gpt-oss", {{"context_length", 4096},
                               {"attention.head_count", 2},
                               {"attention.sliding_window", 16},
                               {"attention.sliding_window_pattern", 2}}),
            "4096, 155648, 0");
}

TEST(ContextSizeTest, RecurrentBlocksHaveAState) {
  EXPECT_EQ(SizeOf("mamba", {{"context_length", 4096},
                             {"ssm.conv_kernel", 4},
                             {"ssm.inner_size", 16},
                             {"ssm.state_size", 4},
                             {"ssm.time_step_rank", 4}}),
            "4096, 0, 896");
}

TEST(ContextSizeTest, IsBoundedAndKnowsWhatItDoesNotKnow) {
  const uint32_t most = UINT32_MAX;
  EXPECT_EQ(SizeOf("llama", {{"context_length", most},
                             {"attention.head_count", 1 << 20},
                             {"attention.key_length", 1 << 30},
                             {"attention.value_length", 4}}),
            absl::StrCat(most, ", ", UINT64_MAX, ", 0"));
  EXPECT_EQ(SizeOf("llama", {{"context_length", 0}, {"attention.head_count", 2}}), "unknown");
  EXPECT_EQ(SizeOf("llama", {{"attention.head_count", 2}}), "unknown");
  EXPECT_EQ(SizeOf("deepseek4", {{"context_length", 4096}, {"attention.head_count", 2}}),
            "unknown");
}

}  // namespace
}  // namespace gguf
