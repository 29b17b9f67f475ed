// Tests symbols and expressions over small files, valid and hostile.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/hparams.h"

#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "conformance/model/example_exprs.h"
#include "conformance/model/model.h"
#include "conformance/tables/symbols.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

// Returns, as text, what `body` finds among the hyperparameters of the file.
template <class Body>
std::string ValueOf(const std::string& bytes, const Body& body) {
  Diagnostics found(100);
  const Model model(Parse(AsBytes(bytes), {}, &found));
  EXPECT_TRUE(found.kept().empty());
  const std::optional<int64_t> value = body(model.hparams());
  return value ? std::to_string(*value) : "unknown";
}

std::string ValueIn(const std::string& bytes, const Expr& expr, int64_t i) {
  return ValueOf(bytes, [&](const Hparams& all) { return all.Evaluate(expr, i); });
}

std::string ValueIn(const std::string& bytes, Symbol symbol, int64_t i = 0) {
  return ValueOf(bytes, [&](const Hparams& all) { return all.Get(symbol, i); });
}

ByteWriter ArrayOf(const std::vector<uint32_t>& numbers, uint32_t type = 4) {
  ByteWriter value;
  value.U32(type).U64(numbers.size());
  for (const uint32_t number : numbers) {
    if (type == 7) {
      value.U8(number);
    } else {
      value.U32(number);
    }
  }
  return value;
}

std::string SmallLlama() {
  GgufBuilder builder;
  builder.String("general.architecture", "llama")
      .U32("llama.embedding_length", 64)
      .U32("llama.block_count", 3)
      .U32("llama.attention.head_count", 8)
      .Key("llama.attention.head_count_kv", 9, ArrayOf({8, 4, 0}))
      .Key("llama.feed_forward_length", 5, ByteWriter().U32(uint32_t(-5)))
      .Key("llama.context_length", 10, ByteWriter().U64(~uint64_t{0}))
      .String("llama.rope.scaling.type", "yarn")
      .Tensor("blk.1.attn_q.weight", {64, 32}, 8);
  return builder.Build();
}

TEST(HparamsTest, ExpressionsHaveTheirValues) {
  const std::string file = SmallLlama();
  for (const ExampleExpr& row : kExampleExprs) {
    const Expr& expr = row.truth.empty() ? row.number : row.truth;
    EXPECT_EQ(ValueIn(file, expr, row.block), row.value) << expr.source;
  }
}

TEST(HparamsTest, AHostileBlockCountCostsNothing) {
  const ExampleExpr* const any_block = absl::c_find_if(kExampleExprs, [](const ExampleExpr& row) {
    return row.truth.source == absl::string_view("any_block(i < 0)");
  });
  ASSERT_NE(any_block, kExampleExprs.end());
  for (const uint32_t blocks : {513u, 200'000'000u, ~0u}) {
    GgufBuilder builder;
    builder.String("general.architecture", "llama").U32("llama.block_count", blocks);
    EXPECT_EQ(ValueIn(builder.Build(), any_block->truth, 0), "unknown");
  }
}

TEST(HparamsTest, AnArchitectureHasItsOwnRows) {
  const auto file = [](absl::string_view arch) {
    GgufBuilder builder;
    const std::string a(arch);
    builder.String("general.architecture", a)
        .U32(a + ".block_count", 5)
        .U32(a + ".nextn_predict_layers", 1)
        .Key(a + ".attention.recurrent_layers", 9, ArrayOf({1, 0, 1, 0, 0}, 7));
    return builder.Build();
  };
  EXPECT_EQ(ValueIn(file("llama"), Symbol::kNLayer), "4");
  EXPECT_EQ(ValueIn(file("qwen35"), Symbol::kNLayer), "4");
  EXPECT_EQ(ValueIn(file("qwen35"), Symbol::kIsRecr, 2), "1");
  EXPECT_EQ(ValueIn(file("qwen35"), Symbol::kIsRecr, 3), "0");
  EXPECT_EQ(ValueIn(file("llama"), Symbol::kIsRecr, 2), "0");
  EXPECT_EQ(ValueIn(file("mamba"), Symbol::kIsRecr, 2), "1");
  EXPECT_EQ(ValueIn(file("no-such-thing"), Symbol::kNLayer), "4");
  EXPECT_EQ(ValueIn(file("deepseek4"), Symbol::kNLayerNextn), "0");
}

TEST(HparamsTest, PatternsBecomeNames) {
  Diagnostics found(100);
  const std::string bytes = GgufBuilder().String("general.architecture", "%d{arch}").Build();
  const Model model(Parse(AsBytes(bytes), {}, &found));
  const Hparams& hparams = model.hparams();
  EXPECT_EQ(hparams.Expand("{arch}.block_count"), "%d{arch}.block_count");
  EXPECT_EQ(hparams.Expand("{arch}"), "%d{arch}");
  EXPECT_EQ(hparams.Expand("blk.%d.ffn_up.%d.weight", 12), "blk.12.ffn_up.12.weight");
  EXPECT_EQ(hparams.Expand("output.weight", 12), "output.weight");
  EXPECT_EQ(hparams.Expand(""), "");
}

TEST(HparamsTest, TheArchitectureOnlyBeginsPatterns) {
  for (const SymbolRow& row : kSymbolRows) {
    const size_t last = absl::string_view(row.key).rfind("{arch}");
    EXPECT_TRUE(last == 0 || last == absl::string_view::npos) << row.key;
  }
}

TEST(HparamsTest, TheSignOfAFloatIsANumber) {
  const auto sign = [](uint32_t bits) {
    return ValueIn(GgufBuilder()
                       .String("general.architecture", "bailingmoe3")
                       .Key("bailingmoe3.kda.gate_lower_bound", 6, ByteWriter().U32(bits))
                       .Build(),
                   Symbol::kKdaGateSign);
  };
  EXPECT_EQ(sign(0xBF800000), "-1");
  EXPECT_EQ(sign(0x80000001), "-1");
  EXPECT_EQ(sign(0x80000000), "0");
  EXPECT_EQ(sign(0x00000000), "0");
  EXPECT_EQ(sign(0x00000001), "1");
  EXPECT_EQ(sign(0x7F800000), "1");
  EXPECT_EQ(sign(0x7FC00000), "2");  // NaN
  EXPECT_EQ(ValueIn(GgufBuilder()
                        .String("general.architecture", "bailingmoe3")
                        .U32("bailingmoe3.kda.gate_lower_bound", 1)
                        .Build(),
                    Symbol::kKdaGateSign),
            "unknown");
}

}  // namespace
}  // namespace gguf
