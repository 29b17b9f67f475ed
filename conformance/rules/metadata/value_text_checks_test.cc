// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kTexts{{"value-no-control-characters", "value-characters-visible",
                         "value-no-markup", "value-no-home-folder", "value-no-access-token",
                         "name-not-hash"}};

std::vector<std::string> Of(const std::string& text, const char* key = "general.description") {
  return kTexts.In(PlainFile().String(key, text));
}

TEST(ValueTextTest, SoundTextsHaveNoFindings) {
  for (const char* text :
       {"A model.\n\tSee https://huggingface.co/home/user/x",
        "a < b, and c > d: <think> <|im_start|>", "<https://example.com>",
        "/models_out/M-GGUF/M.imatrix", "/training_dir/calibration.txt", "at home/office",
        "Üben mit Ümlauten, \u0646\u200c\u0645", "hf_hub", "sk-learn", "C: drive"}) {
    EXPECT_THAT(Of(text), IsEmpty()) << text;
  }
  EXPECT_THAT(Of("deadbeef", "general.name"), IsEmpty());
  EXPECT_THAT(Of("\x1b[2J <script>", "tokenizer.chat_template"), IsEmpty());
}

TEST(ValueTextTest, EachSubjectHasARule) {
  const std::string at = " kv[general.description].value";
  for (const std::string& text : {"\x1b[2J"s, "a\7"s, "a\x7f"s, "a\xc2\x9b"s}) {
    EXPECT_THAT(Of(text), ElementsAre("note value-no-control-characters" + at));
  }
  for (const char* text : {"mo\u200bdel", "\u202etxt", "\ufeffx", "\u2066x", "\U000e0041"}) {
    EXPECT_THAT(Of(text), ElementsAre("note value-characters-visible" + at));
  }
  for (const char* text : {"<script>", "</a>", "<img src=x>", "<IFRAME/>", "javascript:x"}) {
    EXPECT_THAT(Of(text), ElementsAre("note value-no-markup" + at)) << text;
  }
  for (const char* text :
       {"/home/jane/x", "file:///Users/jane/x", "C:\\Users\\Jane", "\"/root/x\""}) {
    EXPECT_THAT(Of(text), ElementsAre("note value-no-home-folder" + at)) << text;
  }
  for (const char* text : {"hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "AKIAABCDEFGHIJKLMNOP",
                           "ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"}) {
    EXPECT_THAT(Of(text), ElementsAre("note value-no-access-token" + at)) << text;
  }
  EXPECT_THAT(Of("8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b", "general.name"),
              ElementsAre("note name-not-hash kv[general.name].value"));
}

TEST(ValueTextTest, ATokenIsNotRepeated) {
  const std::string token = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
  EXPECT_THAT(kTexts.MessagesIn(PlainFile().String("general.description", token)),
              ElementsAre(testing::Not(testing::HasSubstr(token))));
}

}  // namespace
}  // namespace gguf
