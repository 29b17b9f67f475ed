// Keys of a file against those of its base, and of a source.
//
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/compare/origin.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "conformance/model/model.h"
#include "conformance/rules/compare/compare_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/core/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Edit = std::function<void(GgufBuilder&)>;

ByteWriter Texts(const std::vector<std::string>& texts,
                 bool big_endian = false) {
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

std::vector<std::string> FindingsOf(const std::string& bytes,
                                    const Origin& origin) {
  Profile profile = *Profile::Find("spec");
  for (const Rule* rule : CompareRules()) {
    profile.Override(*rule, Severity::kError);
  }
  ValidateOptions options;
  options.origin = &origin;
  const FileReport report =
      Validate({AsBytes(bytes), "a.gguf"}, profile, options);
  std::vector<std::string> found;
  for (const Finding& finding : report.findings) {
    const Diagnostic& d = finding.diagnostic;
    if (!absl::StartsWith(d.rule->id, "compare-")) continue;
    found.push_back(absl::StrCat(d.rule->id, ": ", d.subject, " ", d.message));
  }
  return found;
}

std::vector<std::string> Found(const std::string& base,
                               const std::string& bytes) {
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
      [](GgufBuilder& b) { b.Key("llama.block_count", 10, b.New().U64(2)); },
      "llama.block_count");
  EXPECT_THAT(Found(File(), wider), IsEmpty());
}

TEST(CompareKeyChecksTest, EachGroupHasARule) {
  const auto changed = [](const char* key, const char* value) {
    return Found(File(),
                 File([&](GgufBuilder& b) { b.String(key, value); }, key));
  };
  EXPECT_THAT(changed("general.architecture", "qwen2"),
              testing::Contains(
                  "compare-hparams-equal: kv[general.architecture].value is "
                  "\"qwen2\", but \"llama\" in the base"));
  EXPECT_THAT(changed("tokenizer.ggml.model", "llama"),
              ElementsAre("compare-tokenizer-equal: "
                          "kv[tokenizer.ggml.model].value is \"llama\", but "
                          "\"gpt2\" in the base"));
  EXPECT_THAT(changed("tokenizer.chat_template", "{{ x }}"),
              ElementsAre("compare-template-equal: "
                          "kv[tokenizer.chat_template].value is \"{{ x }}\", "
                          "but \"{{ messages }}\" in the base"));
  const std::string rope = File(
      [](GgufBuilder& b) {
        b.Key("llama.rope.freq_base", 6, b.New().U32(0x49742400));
      },
      "llama.rope.freq_base");
  EXPECT_THAT(Found(File(), rope),
              ElementsAre("compare-rope-equal: kv[llama.rope.freq_base].value "
                          "is 1e+06, but 10000 in the base"));
  const std::string end =
      File([](GgufBuilder& b) { b.U32("tokenizer.ggml.eos_token_id", 1); },
           "tokenizer.ggml.eos_token_id");
  EXPECT_THAT(Found(File(), end),
              ElementsAre("compare-special-tokens-equal: "
                          "kv[tokenizer.ggml.eos_token_id].value is 1, but 2 "
                          "in the base"));
}

TEST(CompareKeyChecksTest, TheFirstOtherTokenIsNamed) {
  const auto with = [](const std::vector<std::string>& tokens) {
    return File(
        [&](GgufBuilder& b) {
          b.Key("tokenizer.ggml.tokens", 9, Texts(tokens));
        },
        "tokenizer.ggml.tokens");
  };
  EXPECT_THAT(Found(File(), with({"a", "bx", "e"})),
              ElementsAre("compare-tokenizer-equal: "
                          "kv[tokenizer.ggml.tokens].value[1] is \"bx\", but "
                          "\"bc\" in the base"));
  EXPECT_THAT(Found(File(), with({"a", "bc", "d", "e"})),
              ElementsAre("compare-tokenizer-equal: "
                          "kv[tokenizer.ggml.tokens].value has 4 elements, but "
                          "3 in the base"));
}

TEST(CompareKeyChecksTest, ALateDifferenceIsShown) {
  const auto with = [](const std::string& text) {
    return File(
        [&](GgufBuilder& b) { b.String("tokenizer.chat_template", text); },
        "tokenizer.chat_template");
  };
  const std::string same(2500, 'x');
  EXPECT_THAT(Found(with(same + "{{ a }}"), with(same + "{{ b }}")),
              ElementsAre(absl::StrCat(
                  "compare-template-equal: kv[tokenizer.chat_template].value "
                  "differs from byte 2503 on; from byte 2479 on, it is \"",
                  same.substr(0, 21), "{{ b }}\", but \"", same.substr(0, 21),
                  "{{ a }}\" in the base")));
  // One is the beginning of the other; no character is cut.
  const std::string wide = same + "\u00e9" + same.substr(0, 23);
  EXPECT_THAT(
      Found(with(wide + "!"), with(wide)),
      ElementsAre(AllOf(HasSubstr("from byte 2500 on, it is \"\u00e9xx"),
                        HasSubstr("xx\", but \"\u00e9xx"))));
  EXPECT_THAT(Found(with("a" + same), with("b" + same)),
              ElementsAre(HasSubstr(".value is \"bxx")));
}

TEST(CompareKeyChecksTest, KeysThatAreMissingOrNew) {
  EXPECT_THAT(Found(File(), File(nullptr, "llama.block_count")),
              ElementsAre(HasSubstr("compare-hparams-equal: "
                                    "header.metadata_kv_count counts 8 keys, "
                                    "but \"llama.block_count\" of the base is "
                                    "missing")));
  EXPECT_THAT(Found(File(), File([](GgufBuilder& b) {
                      b.U32("llama.rope.dimension_count", 64);
                    })),
              ElementsAre("compare-rope-equal: "
                          "kv[llama.rope.dimension_count].key is not in the "
                          "base"));
}

TEST(CompareKeyChecksTest, ASourceSaysWhatKeysMustBe) {
  SourceModel source;
  source.architecture = "llama";
  source.keys = {
      {"{arch}.block_count", int64_t{2}, "config.json: num_hidden_layers"},
      {"{arch}.rope.freq_base", 10000.0, "config.json: rope_theta"},
      {"{arch}.attention.key_length", int64_t{64}, "config.json: head_dim",
       /*may_lack=*/true},
      {"tokenizer.ggml.tokens", std::vector<std::string>{"a", "bc"},
       "tokenizer.json", false, /*is_prefix=*/true},
  };
  source.end_tokens = {2, 7};
  EXPECT_THAT(FindingsOf(File(), Origin(source)), IsEmpty());
  source.keys[0].value = int64_t{3};
  source.keys[2].may_lack = false;
  source.end_tokens = {7};
  EXPECT_THAT(
      FindingsOf(File(), Origin(source)),
      testing::UnorderedElementsAre(
          "compare-hparams-equal: kv[llama.block_count].value is 2, but 3 in "
          "the source (config.json: num_hidden_layers)",
          "compare-hparams-equal: header.metadata_kv_count counts 9 keys, but "
          "\"llama.attention.key_length\" of the source (config.json: "
          "head_dim) is missing",
          "compare-special-tokens-equal: kv[tokenizer.ggml.eos_token_id].value "
          "is 2, but the source (generation_config.json: eos_token_id) has "
          "7"));
}

}  // namespace
}  // namespace gguf
