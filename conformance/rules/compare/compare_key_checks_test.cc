// Keys of a file against those of its base, and of a source.
//
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/compare/origin.h"
#include "conformance/model/model.h"
#include "conformance/testing/tensor_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Edit = std::function<void(GgufBuilder&)>;

ByteWriter Texts(const std::vector<std::string>& texts, bool big_endian = false) {
  ByteWriter writer(3, big_endian);
  writer.U32(8).U64(texts.size());
  for (const std::string& text : texts) writer.String(text);
  return writer;
}

// A file with keys of each group; `edit` may add others, and `skip` leaves one
// out.
std::string File(const Edit& edit = nullptr, const std::string& skip = "",
                 bool big_endian = false) {
  GgufBuilder b(3, big_endian);
  const auto text = [&](const char* key, const char* value) {
    if (key != skip) b.String(key, value);
  };
  const auto number = [&](const char* key, uint32_t value) {
    if (key != skip) b.U32(key, value);
  };
  text("general.architecture", "llama");
  text("general.name", "A model");
  number("general.file_type", 1);
  number("llama.block_count", 2);
  if (skip != "llama.rope.freq_base") {
    b.Key("llama.rope.freq_base", 6, b.New().U32(0x461C4000));  // 10000.
  }
  text("tokenizer.ggml.model", "gpt2");
  if (skip != "tokenizer.ggml.tokens") {
    b.Key("tokenizer.ggml.tokens", 9, Texts({"a", "bc", "d"}, big_endian));
  }
  number("tokenizer.ggml.eos_token_id", 2);
  text("tokenizer.chat_template", "{{ messages }}");
  if (edit) edit(b);
  return b.Build();
}

std::vector<std::string> FindingsOf(const std::string& bytes, const Origin& origin) {
  return gguf::FindingsOf(Check(bytes, origin));
}

std::vector<std::string> Found(const std::string& base, const std::string& bytes) {
  Diagnostics unused(1);
  const Model model(Parse(AsBytes(base), Limits(), &unused));
  return FindingsOf(bytes, Origin(model));
}

TEST(CompareKeyChecksTest, WhatAQuantizerChangesIsNoFinding) {
  const std::string quantized = File(
      [](GgufBuilder& b) {
        b.U32("general.file_type", 15);
        b.U32("general.quantization_version", 2);
        b.String("general.name", "Another name");
        b.String("quantize.imatrix.file", "x");
        b.U32("split.count", 1);
      },
      "general.name");
  EXPECT_THAT(Found(File(), quantized), IsEmpty());
}

TEST(CompareKeyChecksTest, TheRepresentationOfAValueDoesNotMatter) {
  EXPECT_THAT(Found(File(), File(nullptr, "", /*big_endian=*/true)), IsEmpty());
  const std::string wider = File(
      [](GgufBuilder& b) { b.Key("llama.block_count", 10, b.New().U64(2)); }, "llama.block_count");
  EXPECT_THAT(Found(File(), wider), IsEmpty());
}

TEST(CompareKeyChecksTest, EachGroupHasARule) {
  const auto changed = [](const char* key, const char* value) {
    return Found(File(), File([&](GgufBuilder& b) { b.String(key, value); }, key));
  };
  EXPECT_THAT(changed("general.architecture", "qwen2"),
              testing::Contains("compare-hparams-equal: kv[general.architecture].value is "
                                "\"qwen2\", but \"llama\" in the base"));
  EXPECT_THAT(changed("tokenizer.ggml.model", "llama"),
              ElementsAre("compare-tokenizer-equal: kv[tokenizer.ggml.model].value is \"llama\", "
                          "but \"gpt2\" in the base"));
  EXPECT_THAT(changed("tokenizer.chat_template", "{{ x }}"),
              ElementsAre("compare-template-equal: kv[tokenizer.chat_template].value is \"{{ x "
                          "}}\", but \"{{ messages }}\" in the base"));
  const std::string rope =
      File([](GgufBuilder& b) { b.Key("llama.rope.freq_base", 6, b.New().U32(0x49742400)); },
           "llama.rope.freq_base");
  EXPECT_THAT(
      Found(File(), rope),
      ElementsAre(
          "compare-rope-equal: kv[llama.rope.freq_base].value is 1e+06, but 10000 in the base"));
  const std::string end = File([](GgufBuilder& b) { b.U32("tokenizer.ggml.eos_token_id", 1); },
                               "tokenizer.ggml.eos_token_id");
  EXPECT_THAT(Found(File(), end),
              ElementsAre("compare-special-tokens-equal: kv[tokenizer.ggml.eos_token_id].value is "
                          "1, but 2 in the base"));
}

TEST(CompareKeyChecksTest, TheFirstOtherTokenIsNamed) {
  const auto with = [](const std::vector<std::string>& tokens) {
    return File([&](GgufBuilder& b) { b.Key("tokenizer.ggml.tokens", 9, Texts(tokens)); },
                "tokenizer.ggml.tokens");
  };
  EXPECT_THAT(Found(File(), with({"a", "bx", "e"})),
              ElementsAre("compare-tokenizer-equal: kv[tokenizer.ggml.tokens].value[1] is \"bx\", "
                          "but \"bc\" in the base"));
  EXPECT_THAT(Found(File(), with({"a", "bc", "d", "e"})),
              ElementsAre("compare-tokenizer-equal: kv[tokenizer.ggml.tokens].value has 4 "
                          "elements, but 3 in the base"));
}

TEST(CompareKeyChecksTest, ALateDifferenceIsShown) {
  const auto with = [](const std::string& text) {
    return File([&](GgufBuilder& b) { b.String("tokenizer.chat_template", text); },
                "tokenizer.chat_template");
  };
  const std::string same(2500, 'x');
  EXPECT_THAT(Found(with(same + "{{ a }}"), with(same + "{{ b }}")),
              ElementsAre(absl::StrCat("compare-template-equal: kv[tokenizer.chat_template].value "
                                       "differs from byte 2503 on; from byte 2479 on, it is \"",
                                       same.substr(0, 21), "{{ b }}\", but \"", same.substr(0, 21),
                                       "{{ a }}\" in the base")));
  // One is the beginning of the other; no character is cut.
  const std::string wide = same + "\u00e9" + same.substr(0, 23);
  EXPECT_THAT(Found(with(wide + "!"), with(wide)),
              ElementsAre(AllOf(HasSubstr("from byte 2500 on, it is \"\u00e9xx"),
                                HasSubstr("xx\", but \"\u00e9xx"))));
  EXPECT_THAT(Found(with("a" + same), with("b" + same)), ElementsAre(HasSubstr(".value is \"bxx")));
}

TEST(CompareKeyChecksTest, KeysThatAreMissingOrNew) {
  EXPECT_THAT(
      Found(File(), File(nullptr, "llama.block_count")),
      ElementsAre("compare-hparams-equal: kv[llama.block_count] is missing, but the base has "
                  "2"));
  // The value that the message states is the right one.
  EXPECT_THAT(Found(File(), File([](GgufBuilder& b) { b.U32("llama.block_count", 2); },
                                 "llama.block_count")),
              IsEmpty());
  EXPECT_THAT(
      Found(File(), File([](GgufBuilder& b) { b.U32("llama.rope.dimension_count", 64); })),
      ElementsAre("compare-rope-equal: kv[llama.rope.dimension_count].key is not in the base"));
}

TEST(CompareKeyChecksTest, ASourceSaysWhatKeysMustBe) {
  SourceModel source;
  source.architecture = "llama";
  source.keys = {
      {"{arch}.block_count", int64_t{2}, "config.json: num_hidden_layers"},
      {"{arch}.rope.freq_base", 10000.0, "config.json: rope_theta"},
      {"{arch}.attention.key_length", int64_t{64}, "config.json: head_dim",
       /*may_lack=*/true},
  };
  source.end_tokens = {2, 7};
  EXPECT_THAT(FindingsOf(File(), Origin(source)), IsEmpty());
  source.keys[0].value = int64_t{3};
  source.keys[2].may_lack = false;
  source.end_tokens = {7};
  EXPECT_THAT(
      FindingsOf(File(), Origin(source)),
      testing::UnorderedElementsAre(
          "compare-hparams-equal: kv[llama.block_count].value is 2, but 3 in the source "
          "(config.json: num_hidden_layers)",
          "compare-hparams-equal: kv[llama.attention.key_length] is missing, but the source "
          "(config.json: head_dim) has 64",
          "compare-special-tokens-equal: kv[tokenizer.ggml.eos_token_id].value is 2, but "
          "the source (generation_config.json: eos_token_id) has 7"));
}

TEST(CompareKeyChecksTest, AllReasonsOfASourceAreListed) {
  SourceModel source;
  source.architecture = "qwen2";
  source.not_compared = {{CompareGroup::kHparams, "one"},
                         {CompareGroup::kSpecial, "other"},
                         {CompareGroup::kHparams, "two"}};
  std::vector<std::string> listed;
  for (const auto& unchecked : Check(File(), Origin(source)).not_checked) {
    if (unchecked.rule->id == absl::string_view("compare-hparams-equal")) {
      listed.emplace_back(unchecked.why.view());
    }
  }
  EXPECT_THAT(listed, ElementsAre("the architecture is not that of the origin; one; two"));
}

TEST(CompareKeyChecksTest, OtherValuesOfConvertersPass) {
  SourceModel source;
  source.architecture = "llama";
  source.keys = {
      {"tokenizer.ggml.eos_token_id", int64_t{1}, "tokenizer.json", false, {int64_t{2}}}};
  EXPECT_THAT(FindingsOf(File(), Origin(source)), IsEmpty());
  source.keys[0].also = {int64_t{0}};
  EXPECT_THAT(FindingsOf(File(), Origin(source)),
              ElementsAre("compare-special-tokens-equal: kv[tokenizer.ggml.eos_token_id].value is "
                          "2, but 1 in the source (tokenizer.json)"));
}

// A file with these tokens.
std::string WithTokens(const std::vector<std::string>& tokens) {
  return File([&](GgufBuilder& b) { b.Key("tokenizer.ggml.tokens", 9, Texts(tokens)); },
              "tokenizer.ggml.tokens");
}

TEST(CompareKeyChecksTest, ASourceSaysWhatTokensMustBe) {
  SourceModel source;
  source.architecture = "llama";
  source.tokens =
      SourceTokens{{"a", "  ", "[PAD2]", "c"}, {{1, "\u2581\u2581"}}, 3, 6, "tokenizer.json"};
  const auto found = [&](const std::vector<std::string>& tokens) {
    return FindingsOf(WithTokens(tokens), Origin(source));
  };
  EXPECT_THAT(found({"a", "  ", "[PAD2]", "c"}), IsEmpty());
  EXPECT_THAT(found({"a", "\u2581\u2581", "[PAD1]", "c", "\u2581[PAD4]"}), IsEmpty());
  EXPECT_THAT(found({"a", "  ", "<dummy00001>"}), IsEmpty());
  EXPECT_THAT(found({"a", "b", "[PAD2]", "c"}),
              ElementsAre("compare-tokenizer-equal: kv[tokenizer.ggml.tokens].value[1] is \"b\", "
                          "but \"  \" in the source (tokenizer.json)"));
  EXPECT_THAT(found({"a", "  ", "[PAD2]", "c", "word"}),
              ElementsAre("compare-tokenizer-equal: kv[tokenizer.ggml.tokens].value[4] is "
                          "\"word\", but [PAD4] in the source (tokenizer.json)"));
  EXPECT_THAT(found({"a", "  ", "[PAD]", "c"}),
              ElementsAre(HasSubstr("value[2] is \"[PAD]\", but \"[PAD2]\"")));
  EXPECT_THAT(found({"a", "  "}), ElementsAre(HasSubstr("has 2 elements, but at least 3 in")));
  source.tokens->most = 4;
  EXPECT_THAT(found({"a", "  ", "[PAD2]", "c", "[PAD4]"}),
              ElementsAre(HasSubstr("has 5 elements, but at most 4 in")));
  source.tokens->least = 4;
  EXPECT_THAT(found({"a", "  ", "[PAD2]"}), ElementsAre(HasSubstr("has 3 elements, but 4 in")));
  EXPECT_THAT(FindingsOf(File(nullptr, "tokenizer.ggml.tokens"), Origin(source)),
              ElementsAre(HasSubstr("kv[tokenizer.ggml.tokens] is missing, but the source "
                                    "(tokenizer.json) has an array of length ")));
}

TEST(CompareKeyChecksTest, KeysThatNoConverterWrites) {
  SourceModel source;
  source.architecture = "llama";
  source.absent_keys = {"{arch}.logit_scale", "{arch}.rope.scaling.*"};
  EXPECT_THAT(FindingsOf(File(), Origin(source)), IsEmpty());
  const std::string file = File([](GgufBuilder& b) {
    b.String("llama.rope.scaling.type", "yarn").U32("llama.logit_scale", 2);
    b.U32("qwen2.logit_scale", 2);
  });
  EXPECT_THAT(FindingsOf(file, Origin(source)),
              testing::UnorderedElementsAre(
                  "compare-rope-equal: kv[llama.rope.scaling.type].key is not in the source",
                  "compare-hparams-equal: kv[llama.logit_scale].key is not in the source"));
}

TEST(CompareKeyChecksTest, NumbersOfAnUnknownArchitectureMayVary) {
  SourceModel source;
  source.keys = {{"{arch}.block_count", int64_t{1}, "config.json: num_hidden_layers"},
                 {"{arch}.attention.head_count", int64_t{4}, "config.json: num_attention_heads"}};
  const auto found = [&](const Edit& edit) { return FindingsOf(File(edit), Origin(source)); };
  EXPECT_THAT(found([](GgufBuilder& b) {
                b.U32("llama.nextn_predict_layers", 1);
                b.U32("llama.attention.head_count", 0);
              }),
              IsEmpty());
  EXPECT_THAT(found([](GgufBuilder& b) {
                b.Key("llama.attention.head_count", 9, b.New().U32(4).U64(2).U32(4).U32(8));
                b.U32("llama.nextn_predict_layers", 1);
              }),
              IsEmpty());
  // Only a number of blocks may include those for prediction.
  EXPECT_THAT(found([](GgufBuilder& b) {
                b.U32("llama.nextn_predict_layers", 1);
                b.U32("llama.attention.head_count", 5);
              }),
              ElementsAre(HasSubstr("kv[llama.attention.head_count].value is 5, but 4 in")));
  EXPECT_THAT(found([](GgufBuilder& b) { b.U32("llama.attention.head_count", 8); }),
              testing::UnorderedElementsAre(
                  HasSubstr("kv[llama.block_count].value is 2, but 1 in"),
                  HasSubstr("kv[llama.attention.head_count].value is 8, but 4 in")));
}

TEST(CompareKeyChecksTest, OfAnotherArchitectureOnlyThatIsReported) {
  SourceModel source;
  source.architecture = "qwen2";
  source.keys = {{"general.architecture", std::string("qwen2"), "config.json"},
                 {"{arch}.block_count", int64_t{3}, "config.json: num_hidden_layers"},
                 {"{arch}.context_length", int64_t{3}, "config.json: n_ctx"}};
  EXPECT_THAT(FindingsOf(File(), Origin(source)),
              ElementsAre("compare-hparams-equal: kv[general.architecture].value is \"llama\", but "
                          "\"qwen2\" in the source (config.json)"));
  const std::string other = File(
      [](GgufBuilder& b) { b.String("general.architecture", "qwen2").U32("qwen2.block_count", 2); },
      "general.architecture");
  EXPECT_THAT(Found(other, File()),
              ElementsAre("compare-hparams-equal: kv[general.architecture].value is \"llama\", but "
                          "\"qwen2\" in the base"));
}

}  // namespace
}  // namespace gguf
