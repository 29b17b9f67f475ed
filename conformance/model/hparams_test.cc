// Tests symbols and expressions over small files, valid and hostile.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/hparams.h"

#include <string>

#include "conformance/model/model.h"
#include "conformance/tables/expr_parser.h"
#include "conformance/tables/symbols.h"
#include "gtest/gtest.h"
#include "parser/core/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

SymbolTypes AllSymbols() {
  SymbolTypes types;
  for (const SymbolRow& row : kSymbolRows) {
    types[row.name] = {static_cast<int>(row.symbol), row.type, row.per_block};
  }
  return types;
}

// Returns the value of an expression as text, or its error.
std::string ValueIn(const std::string& bytes, absl::string_view source,
                    ExprType type = ExprType::kInt, int64_t i = 0) {
  const ParsedExpr parsed = ParseExpr(source, type, true, AllSymbols());
  if (!parsed.error.empty()) {
    return std::to_string(parsed.column) + ": " + parsed.error;
  }
  std::vector<Op> ops;
  for (const ParsedOp& op : parsed.code) {
    ops.push_back({op.code, op.number, op.text.c_str()});
  }
  Diagnostics found(100);
  const Model model(Parse(AsBytes(bytes), {}, &found));
  EXPECT_TRUE(found.kept().empty());
  const auto value = model.hparams().Evaluate(
      {ops.data(), static_cast<uint32_t>(ops.size()), ""}, i);
  return value ? std::to_string(*value) : "unknown";
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
  const struct {
    const char* source;
    ExprType type;
    const char* value;
  } kCases[] = {
      {"1 + 2 * 3 - 4", ExprType::kInt, "3"},
      {"(1 + 2) * -3", ExprType::kInt, "-9"},
      {"20 - 5 - 3", ExprType::kInt, "12"},
      {"100 / 7 % 5", ExprType::kInt, "4"},
      {"n_embd / n_head", ExprType::kInt, "8"},
      {"n_head_kv", ExprType::kInt, "8"},
      {"n_head_kv[1] + n_head[1]", ExprType::kInt, "12"},
      {"n_head_kv[i] + i", ExprType::kInt, "5"},
      {"n_embd_k_gqa[i]", ExprType::kInt, "32"},
      {"n_ff", ExprType::kInt, "-5"},
      {"min(n_embd, 3) + max(2, n_head)", ExprType::kInt, "11"},
      {"i > 0 ? n_embd : n_head", ExprType::kInt, "64"},
      {"ne(\"blk.%d.attn_q.weight\", 1)", ExprType::kInt, "32"},
      {"ne(\"blk.%d.attn_q.weight\", 3)", ExprType::kInt, "1"},
      {"1 < 2 && !(2 >= 3)", ExprType::kBool, "1"},
      {"(2 > 1) == true", ExprType::kBool, "1"},
      {"set(n_head_kv) && !set(n_expert_groups)", ExprType::kBool, "1"},
      {"is_array(n_head_kv) != is_array(n_head)", ExprType::kBool, "1"},
      {"rope_scaling_type == \"yarn\"", ExprType::kBool, "1"},
      {"rope_scaling_type != \"yarn\"", ExprType::kBool, "0"},
      {"present(\"blk.%d.attn_q.weight\")", ExprType::kBool, "1"},
      {"absent(\"blk.0.attn_q.weight\")", ExprType::kBool, "1"},
      {"type(\"blk.%d.attn_q.weight\") == \"Q8_0\"", ExprType::kBool, "1"},
      {"any_block(n_head_kv[i] == 0) && true", ExprType::kBool, "1"},
      {"any_block(n_head_kv[i] > 8)", ExprType::kBool, "0"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ValueIn(file, c.source, c.type, 1), c.value) << c.source;
  }
}

TEST(HparamsTest, NothingIsGuessed) {
  const std::string file = SmallLlama();
  const struct {
    const char* source;
    ExprType type;
    const char* value;
  } kCases[] = {
      {"posnet_n_embd", ExprType::kInt, "unknown"},  // No key, no default.
      {"n_ctx_train", ExprType::kInt, "unknown"},    // 2^64 - 1.
      {"n_head_kv[3]", ExprType::kInt, "unknown"},   // An element too far.
      {"n_head_kv[0 - 1]", ExprType::kInt, "unknown"},
      {"n_head[3]", ExprType::kInt, "8"},  // A scalar is repeated.
      {"n_embd / n_expert", ExprType::kInt, "unknown"},
      {"n_embd % n_expert", ExprType::kInt, "unknown"},
      {"9223372036854775807 + 1", ExprType::kInt, "unknown"},
      {"0 - 9223372036854775807 - 2", ExprType::kInt, "unknown"},
      {"(0 - 9223372036854775807 - 1) / -1", ExprType::kInt, "unknown"},
      {"9223372036854775807 * 2", ExprType::kInt, "unknown"},
      {"false && posnet_n_embd > 0", ExprType::kBool, "0"},
      {"posnet_n_embd > 0 && false", ExprType::kBool, "0"},
      {"posnet_n_embd > 0 && true", ExprType::kBool, "unknown"},
      {"posnet_n_embd > 0 || true", ExprType::kBool, "1"},
      {"!(posnet_n_embd > 0)", ExprType::kBool, "unknown"},
      {"n_expert == 0 ? 1 : n_embd / n_expert", ExprType::kInt, "1"},
      {"posnet_n_embd > 0 ? 1 : 1", ExprType::kInt, "unknown"},
      {"ne(\"w\", 0)", ExprType::kInt, "unknown"},
      {"any_block(n_embd / i > 0)", ExprType::kBool, "1"},
      {"any_block(i == 5 || n_embd / i < 0)", ExprType::kBool, "unknown"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ValueIn(file, c.source, c.type), c.value) << c.source;
  }
}

TEST(HparamsTest, MistakesAreNamedWithTheirColumn) {
  const std::string file = SmallLlama();
  const struct {
    const char* source;
    ExprType type;
    const char* error;
  } kCases[] = {
      {"n_head + n_bed", ExprType::kInt, "9: unknown symbol n_bed"},
      {"n_head", ExprType::kBool, "0: a truth value is wanted, not a number"},
      {"1 + (2 > 1)", ExprType::kInt,
       "4: a number is wanted, not a truth value"},
      {"n_ff_exp ? 1 : 2", ExprType::kInt,
       "0: a truth value is wanted, not a number"},
      {"true ? 1 : false", ExprType::kInt,
       "11: a number is wanted, not a truth value"},
      {"n_embd[i]", ExprType::kInt, "0: n_embd has one value only"},
      {"n_head[1", ExprType::kInt, "8: ']' is expected"},
      {"(1", ExprType::kInt, "2: ')' is expected"},
      {"1 +", ExprType::kInt, "3: a value is expected"},
      {"1 2", ExprType::kInt, "2: unexpected text after the expression"},
      {"2 > 1 == true", ExprType::kBool,
       "6: unexpected text after the expression"},
      {"", ExprType::kInt, "0: a value is expected"},
      {"rope_scaling_type", ExprType::kBool,
       "0: a truth value is wanted, not a text"},
      {"rope_scaling_type < \"a\"", ExprType::kBool, "19: texts have no order"},
      {"rope_scaling_type == yarn", ExprType::kBool, "21: '\"' is expected"},
      {"type(\"a\") == \"Q9_9\"", ExprType::kBool, "12: unknown tensor type"},
      {"size(1)", ExprType::kInt, "0: unknown function size"},
      {"ne(\"a\", 4)", ExprType::kInt, "8: a dimension, 0 to 3, is expected"},
      {"1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + "
       "(1 + (1 + 1)))))))))))))))",
       ExprType::kInt, "0: the expression is too deep"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ValueIn(file, c.source, c.type), c.error) << c.source;
  }
}

TEST(HparamsTest, BlocksNeedAnIndex) {
  const SymbolTypes symbols = AllSymbols();
  EXPECT_EQ(ParseExpr("i", ExprType::kInt, false, symbols).error,
            "a block index is not available here");
  EXPECT_EQ(ParseExpr("present(\"blk.%d.x\")", ExprType::kBool, false, symbols)
                .column,
            8);
  EXPECT_EQ(
      ParseExpr("any_block(i == 1)", ExprType::kBool, false, symbols).error,
      "");
}

TEST(HparamsTest, AHostileBlockCountCostsNothing) {
  for (const uint32_t blocks : {513u, 200'000'000u, ~0u}) {
    GgufBuilder builder;
    builder.String("general.architecture", "llama")
        .U32("llama.block_count", blocks);
    EXPECT_EQ(ValueIn(builder.Build(), "any_block(i < 0)", ExprType::kBool),
              "unknown");
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
  EXPECT_EQ(ValueIn(file("llama"), "n_layer"), "4");
  EXPECT_EQ(ValueIn(file("qwen35"), "n_layer"), "4");
  EXPECT_EQ(ValueIn(file("qwen35"), "is_recr[i]", ExprType::kBool, 2), "1");
  EXPECT_EQ(ValueIn(file("qwen35"), "is_recr[i]", ExprType::kBool, 3), "0");
  EXPECT_EQ(ValueIn(file("llama"), "is_recr[i]", ExprType::kBool, 2), "0");
  EXPECT_EQ(ValueIn(file("mamba"), "is_recr[i]", ExprType::kBool, 2), "1");
  EXPECT_EQ(ValueIn(file("no-such-thing"), "n_layer"), "4");
  EXPECT_EQ(ValueIn(file("deepseek4"), "n_layer_nextn"), "0");
}

TEST(HparamsTest, PatternsBecomeNames) {
  Diagnostics found(100);
  const std::string bytes =
      GgufBuilder().String("general.architecture", "%d{arch}").Build();
  const Model model(Parse(AsBytes(bytes), {}, &found));
  const Hparams& hparams = model.hparams();
  EXPECT_EQ(hparams.Expand("{arch}.block_count"), "%d{arch}.block_count");
  EXPECT_EQ(hparams.Expand("{arch}"), "%d{arch}");
  EXPECT_EQ(hparams.Expand("blk.%d.ffn_up.%d.weight", 12),
            "blk.12.ffn_up.12.weight");
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
    return ValueIn(
        GgufBuilder()
            .String("general.architecture", "bailingmoe3")
            .Key("bailingmoe3.kda.gate_lower_bound", 6, ByteWriter().U32(bits))
            .Build(),
        "kda_gate_sign");
  };
  EXPECT_EQ(sign(0xBF800000), "-1");
  EXPECT_EQ(sign(0x80000001), "-1");
  EXPECT_EQ(sign(0x80000000), "0");
  EXPECT_EQ(sign(0x00000000), "0");
  EXPECT_EQ(sign(0x00000001), "1");
  EXPECT_EQ(sign(0x7F800000), "1");
  EXPECT_EQ(sign(0x7FC00000), "unknown");  // NaN
  EXPECT_EQ(ValueIn(GgufBuilder()
                        .String("general.architecture", "bailingmoe3")
                        .U32("bailingmoe3.kda.gate_lower_bound", 1)
                        .Build(),
                    "kda_gate_sign"),
            "unknown");
}

}  // namespace
}  // namespace gguf
