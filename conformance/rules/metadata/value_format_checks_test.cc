// Formats and listed values of the standardized keys.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/match.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kFormats = {{"license-spdx", "language-iso-639", "url-format", "uuid-format",
                              "doi-format", "size-label-format", "value-specified", "value-loaded",
                              "parents-counted", "value-allowed"}};

GgufBuilder With(absl::string_view key, absl::string_view value) {
  return PlainFile().String(key, value);
}

TEST(ValueFormatChecksTest, License) {
  EXPECT_THAT(kFormats.In(With("general.license", "apache-2.0")), IsEmpty());
  EXPECT_THAT(kFormats.MessagesIn(With("general.license", "MIT OR other")),
              ElementsAre("kv[general.license].value is \"MIT OR other\": \"other\" is not a "
                          "licence of the SPDX list"));
  EXPECT_THAT(kFormats.MessagesIn(With("general.license", "(MIT")),
              ElementsAre("kv[general.license].value is \"(MIT\": a parenthesis is not closed"));
  for (const char* profile : {"upload", "spec"}) {
    EXPECT_THAT(kFormats.In(With("general.license", "llama3"), profile),
                ElementsAre("note license-spdx kv[general.license].value"));
  }
  EXPECT_THAT(kFormats.In(With("general.license", "llama3"), "llama.cpp"), IsEmpty());
}

TEST(ValueFormatChecksTest, UrlUuidDoiAndSize) {
  const struct {
    const char *key, *right, *wrong, *rule;
  } kCases[] = {
      {"general.url", "https://example.org/x", "example.org", "url-format"},
      {"general.base_model.0.repo_url", "https://a.b", "a b", "url-format"},
      {"general.license.link", "https://a.b", "LICENSE", "url-format"},
      {"general.uuid", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae", "uuid-format"},
      {"general.source.doi", "10.1000/182", "1000/182", "doi-format"},
      {"general.size_label", "8x7B", "large", "size-label-format"},
  };
  for (const auto& c : kCases) {
    const uint32_t parents = absl::StartsWith(c.key, "general.base_model.") ? 1 : 0;
    GgufBuilder right = With(c.key, c.right).U32("general.base_model.count", parents);
    EXPECT_THAT(kFormats.In(right, "spec"), IsEmpty()) << c.key;
    GgufBuilder wrong = With(c.key, c.wrong).U32("general.base_model.count", parents);
    EXPECT_THAT(kFormats.In(wrong),
                ElementsAre(std::string("note ") + c.rule + " kv[" + c.key + "].value"));
  }
  // A value of the wrong type has no format; another rule reports it.
  EXPECT_THAT(kFormats.In(PlainFile().U32("general.url", 1)), IsEmpty());
}

GgufBuilder Languages(const std::vector<std::string>& codes) {
  ByteWriter value;
  value.U32(8).Length(codes.size());
  for (const std::string& code : codes) value.String(code);
  return PlainFile().Key("general.languages", 9, value);
}

TEST(ValueFormatChecksTest, Languages) {
  EXPECT_THAT(kFormats.In(Languages({"en", "de", "yue"}), "spec"), IsEmpty());
  EXPECT_THAT(kFormats.In(Languages({}), "spec"), IsEmpty());
  EXPECT_THAT(
      kFormats.MessagesIn(Languages({"en", "deu"})),
      ElementsAre("kv[general.languages].value[1] is \"deu\", which is no ISO 639 code of two "
                  "letters in use; the code of the language is \"de\""));
  EXPECT_THAT(
      kFormats.MessagesIn(Languages({"English", "fr-FR"})),
      ElementsAre("kv[general.languages].value[0] is \"English\", which is no ISO 639 code in "
                  "use (the first of 2)"));
  EXPECT_THAT(
      kFormats.MessagesIn(Languages({"iw"})),
      ElementsAre("kv[general.languages].value[0] is \"iw\", which is no ISO 639 code of two "
                  "letters in use; the code of the language is \"he\""));
}

TEST(ValueFormatChecksTest, LanguagesOfThreeLetters) {
  const FindingsOf three = {{"language-two-letters"}};
  EXPECT_THAT(three.In(Languages({"en", "deu", "xx"}), "spec"), IsEmpty());
  EXPECT_THAT(three.In(Languages({"yue"}), "upload"), IsEmpty());
  EXPECT_THAT(
      three.MessagesIn(Languages({"en", "yue", "fil"}), "spec"),
      ElementsAre(
          "kv[general.languages].value[1] is \"yue\", which has more than two letters (the first "
          "of 2)"));
}

TEST(ValueFormatChecksTest, LicenseTextsAndUrls) {
  const FindingsOf license = {{"license-spdx", "license-expression-only"}};
  for (const std::string& text : {std::string("https://example.org/license"), std::string("a\nb"),
                                  std::string(101, 'a'), std::string("All rights reserved."),
                                  std::string("You may use this model for research only"),
                                  std::string("Permission is hereby granted, free of charge")}) {
    EXPECT_THAT(license.In(With("general.license", text), "spec"),
                ElementsAre("warning license-expression-only kv[general.license].value"))
        << text;
  }
  for (const std::string& text :
       {std::string("other"), std::string(100, 'a'), std::string("custom."),
        std::string("apache license 2.0"), std::string("GNU General Public License v3.0 only"),
        std::string("Creative Commons Attribution Non Commercial 4.0"),
        std::string("mit OR apache-2.0 OR mine"), std::string("apache-2.0 OR MIT with some")}) {
    EXPECT_THAT(license.In(With("general.license", text), "spec"),
                ElementsAre("note license-spdx kv[general.license].value"))
        << text;
  }
  EXPECT_THAT(license.MessagesIn(With("general.license", "See https://a.b/c")),
              ElementsAre("kv[general.license].value has a URL, which belongs in "
                          "general.license.link: \"See https://a.b/c\""));
  EXPECT_THAT(license.MessagesIn(With("general.license", "Use it at will.")),
              ElementsAre("kv[general.license].value has the text of a licence, not an SPDX "
                          "expression such as MIT: \"Use it at will.\""));
}

TEST(ValueFormatChecksTest, ListedValues) {
  GgufBuilder rwkv;
  rwkv.String("general.architecture", "rwkv").U32("rwkv.architecture_version", 5);
  EXPECT_THAT(kFormats.MessagesIn(rwkv, "spec"),
              ElementsAre("kv[rwkv.architecture_version].value is 5, not 4"));
  EXPECT_THAT(kFormats.In(With("llama.tensor_data_layout", "reference")), IsEmpty());
  EXPECT_THAT(kFormats.In(rwkv, "spec"),
              ElementsAre("error value-allowed kv[rwkv.architecture_version].value"));
  EXPECT_THAT(kFormats.MessagesIn(With("llama.tensor_data_layout", "jploski")),
              ElementsAre("kv[llama.tensor_data_layout].value is \"jploski\", not one of "
                          "reference, Meta AI original pth"));
  EXPECT_THAT(kFormats.In(With("llama.tensor_data_layout", "mine"), "spec"),
              ElementsAre("warning value-specified kv[llama.tensor_data_layout].value"));
  EXPECT_THAT(kFormats.In(PlainFile().U32("llama.pooling_type", 4)), IsEmpty());
  EXPECT_THAT(kFormats.MessagesIn(PlainFile().U32("llama.pooling_type", 5)),
              ElementsAre("kv[llama.pooling_type].value is 5, not one of 0, 1, 2, 3, 4"));
  EXPECT_THAT(kFormats.In(With("general.type", "Model"), "llama.cpp"),
              ElementsAre("warning value-loaded kv[general.type].value"));
  EXPECT_THAT(
      kFormats.MessagesIn(With("general.type", "Model"), "llama.cpp"),
      ElementsAre("kv[general.type].value is \"Model\", not one of model, adapter, imatrix, "
                  "mmproj, mtp, clip-vision; did you mean model?"));
}

TEST(ValueFormatChecksTest, Parents) {
  const auto with_count = [](uint32_t count) {
    return With("general.base_model.1.name", "x").U32("general.base_model.count", count);
  };
  EXPECT_THAT(kFormats.In(with_count(2).String("general.base_model.0.author", "x")), IsEmpty());
  EXPECT_THAT(
      kFormats.MessagesIn(with_count(2)),
      ElementsAre(
          "kv[general.base_model.count].value is 2, but no key begins with general.base_model.0."));
  EXPECT_THAT(kFormats.MessagesIn(with_count(1)),
              testing::Contains("kv[general.base_model.1.name].key has number 1, counted from 0, "
                                "but general.base_model.count is 1"));
  EXPECT_THAT(kFormats.In(PlainFile().U32("general.base_model.count", 0)), IsEmpty());
  EXPECT_THAT(kFormats.In(With("general.dataset.0.name", "x")),
              ElementsAre("note parents-counted kv[general.dataset.0.name].key"));
}

}  // namespace
}  // namespace gguf
