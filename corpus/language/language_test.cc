// Tests texts of the case language against their bytes or errors.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

constexpr char kBase[] =
    "gguf 3\n"
    "kv \"a\" u8 1\n"
    "tensor \"w\" F32 [1]\n";

absl::StatusOr<std::string> Bytes(absl::string_view text, uint64_t max_stored = kMaxStored) {
  const Loader load = [](absl::string_view id) -> absl::StatusOr<std::string> {
    if (id == "base") return std::string(kBase);
    if (id == "broken") return std::string("kv");
    if (id == "itself") return std::string("base \"itself\"");
    return absl::NotFoundError(absl::StrCat("there is no case ", id));
  };
  const absl::StatusOr<Case> read = ReadText(text, load);
  if (!read.ok()) return read.status();
  const absl::StatusOr<Image> image = Assemble(read->document, max_stored);
  if (!image.ok()) return image.status();
  return image->ToString();
}

std::string Hex(absl::string_view text, uint64_t max_stored = kMaxStored) {
  const absl::StatusOr<std::string> bytes = Bytes(text, max_stored);
  if (!bytes.ok()) return std::string(bytes.status().message());
  return absl::BytesToHexString(*bytes);
}

using Table = std::vector<std::pair<std::string, std::string>>;

void Expect(const Table& table) {
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(Hex(text), absl::StrReplaceAll(expected, {{" ", ""}})) << text;
  }
}

void ExpectErrors(const Table& table) {
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(Hex(text), expected) << text;
  }
}

TEST(LanguageTest, Bytes) {
  Expect({{"\"ab\\x00\\n\\\"\\\\\"", "61 62 00 0a 22 5c"},
          {"\"\\u{202e}\\u{1f600}\\u{7f}\"", "e280ae f09f9880 7f"},
          {"\"ab\"*3 x\"00 fF\"*2", "616261626162 00ff00ff"},
          {"u8 255 i8 -1 u16 2^16-1 bool 2", "ff ff ffff 02"},
          {"u32 0x10 i64 -2", "10000000 feffffffffffffff"},
          {"u64 [2^63 2^64-1]", "0000000000000080 ffffffffffffffff"},
          {"u8 [1 repeat 3 2 3]", "01 020202 03"},
          {"f32 [1 -0.5 nan -inf 0x7fc12345]", "0000803f 000000bf 0000c07f 000080ff 4523c17f"},
          {"f16 [1 65504 inf 6e-8 nan] bf16 [1 inf]", "003c ff7b 007c 0100 007e 803f 807f"},
          {"f64 0.1", "9a9999999999b93f"},
          {"str \"ab\" str \"\" length 7", "0200000000000000 6162 0700000000000000"},
          {"arr u16 [1 2]", "02000000 0200000000000000 0100 0200"},
          {"arr str [\"a\" repeat 2 \"\"] length 9 elem 13",
           "0d000000 0900000000000000 0100000000000000 61 00000000000000000000000000000000"},
          {"arr arr [u8 [1] arr [] 99 {}]",
           "09000000 0300000000000000 00000000 0100000000000000 0109000000 0000000000000000 "
           "63000000 0000000000000000"},
          {"arr str { str \"a\" length -1 } length 1",
           "08000000 0100000000000000 ffffffffffffffff 61"},
          {"u8 1 align 4 zeros 2 align 4", "01000000 00000000"},
          {"repeat 3 { \"\\#\" u8 7 }  # a comment", "3007 3107 3207"},
          {"repeat 2 { \"\\#\" repeat 2 \"\\#\" }", "303031 313031"},
          {"{\nu8\n1\n}", "01"},
          {"", ""}});
}

TEST(LanguageTest, File) {
  Expect({{"gguf 3", "47475546 03000000 0000000000000000 0000000000000000"},
          {"gguf 1 big", "47475546 00000001 00000000 00000000"},
          {"gguf 2 magic \"FUGG\" version -1 tensor_count 2^64-1",
           "46554747 ffffffff ffffffffffffffff 0000000000000000"},
          {"gguf 1\nkv \"k\" str \"v\"\nkv \"a\" arr u8 [5]",
           "47475546 01000000 00000000 02000000 01000000 6b 08000000 01000000 7601000000 61 "
           "09000000 00000000 01000000 05"},
          {"gguf 1 big\nkv \"k\" u16 258 key_length 9 type 13",
           "47475546 00000001 00000000 00000001 00000009 6b 0000000d 0102"},
          {"gguf 1\nrepeat 2 { kv \"\\#\" 99 x\"aa\" }",
           "47475546 01000000 00000000 02000000 01000000 30 63000000 aa01000000 31 63000000 aa"},
          // Two infos end at 0x42; the data begins at 0x60; the pad is stated.
          {"gguf 1\ntensor \"v\" F16 [1 2] data u8 1\ntensor \"w\" I8 [] pad u8 9\n",
           "47475546 01000000 02000000 0000000001000000 76 02000000 01000000 02000000 01000000 "
           "000000000000000001000000 77 00000000 18000000 2000000000000000" +
               std::string(60, '0') + "01" + std::string(62, '0') + "00 09"},
          {"gguf 1 alignment 1\ntensor \"\" 99 [2 3] n_dims 5 offset 7\ndata",
           "47475546 01000000 01000000 0000000000000000 05000000 02000000 03000000 63000000 "
           "0700000000000000"},
          {"gguf 1\nkv \"general.alignment\" u32 4\ntensor \"\" I8 [1]\n"
           "data padding x\"aa\" content x\"bb\"\nx\"cc\"",
           "47475546 01000000 01000000 0100000011000000 67656e6572616c2e616c69676e6d656e74 "
           "04000000 0400000000000000 01000000 01000000 18000000 0000000000000000 aa bb cc"}});
}

TEST(LanguageTest, EditsOfABase) {
  const std::string head = "47475546 03000000 0100000000000000 ";
  const std::string tensor = "0100000000000000 77 01000000 0100000000000000 00000000 ";
  const std::string zeros = std::string(64, '0');
  const std::string key = "0100000000000000 61 00000000 01";
  // The bytes after the tensor's offset: the infos end at 0x47.
  const std::string rest = std::string(50, '0') + zeros;
  Expect({{"base \"base\"", head + "0100000000000000" + key + tensor + "0000000000000000" + rest},
          {"base \"base\"\nedit tensor \"w\" offset 7",
           head + "0100000000000000" + key + tensor + "0700000000000000" + rest},
          {"base \"base\"\nedit kv \"a\" type 13 value u8 2",
           head + "0100000000000000 0100000000000000 61 0d000000 02" + tensor + "0000000000000000" +
               rest},
          {"base \"base\"\nremove kv \"a\"\ncut 24", head + "0000000000000000"},
          {"base \"base\"\nedit gguf layout 1 order big version 3\ncut 16",
           "47475546 00000003 00000001 00000001"},
          {"base \"base\"\nkv \"b\" u8 2\ncut 52",
           head + "0200000000000000" + key + "0100000000000000 62 00000000 02"},
          {"base \"base\"\nat 4 u32 9\nat 0 \"g\"\ncut -120", "67475546 09000000"}});
}

TEST(LanguageTest, SparseFilesCostNothing) {
  const absl::StatusOr<Case> read =
      ReadText("zeros 2^40 u8 1\nrepeat 2 zeros 2^39\nat 2^38 zeros 2^37\nat 2^39 \"x\"", nullptr);
  ASSERT_TRUE(read.ok());
  const absl::StatusOr<Image> image = Assemble(read->document);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->size(), (uint64_t{2} << 40) + 1);
  EXPECT_EQ(image->Part(uint64_t{1} << 39, (uint64_t{1} << 39) + 1).ToString(), "x");
}

TEST(LanguageTest, ErrorsNameLineAndColumn) {
  ExpectErrors({
      {"gguf 4", "line 1, column 6: number out of range"},
      {"kv \"a\" u8 256", "line 1, column 11: expected a number that fits a u8, found '256'"},
      {"kv \"a\" u9 1",
       "line 1, column 8: expected a value: u32 7, str \"x\", arr u8 [1], ..., found 'u9'"},
      {"\n  kv a u8 1", "line 2, column 6: expected a text: \"...\" or x\"00 ff\", found 'a'"},
      {"tensor \"w\" Q9 [1]",
       "line 1, column 12: expected a tensor type: F32, Q8_0, ... or a number, found 'Q9'"},
      {"tensor \"w\" F32 1", "line 1, column 16: expected '[', found '1'"},
      {"kv \"a\" u8 1 length 3",
       "line 1, column 13: expected a statement or bytes (corpus/README.md), found 'length'"},
      {"frobnicate",
       "line 1, column 1: expected a statement or bytes (corpus/README.md), found 'frobnicate'"},
      {"\"abc", "line 1, column 1: this text has no closing \""},
      {"\"\\q\"",
       "line 1, column 2: unknown escape; valid escapes are \\n \\t \\r \\\" \\\\ \\xHH \\u{HEX} "
       "and \\#"},
      {"x\"0\"", "line 1, column 3: expected two hexadecimal digits, or a \""},
      {"\"a\"*x", "line 1, column 5: expected a repetition count"},
      {"u8 1 ; 2", "line 1, column 6: ';' has no meaning here"},
      {"{ u8 1",
       "line 1, column 7: expected a statement or bytes (corpus/README.md), found the end"},
      {"tensor \"w\" F32 [1] data { kv \"a\" u8 1 }",
       "line 1, column 27: expected a statement or bytes (corpus/README.md), found 'kv'"},
      {"{ gguf 3 }",
       "line 1, column 3: expected a statement or bytes (corpus/README.md), found 'gguf'"},
      {"align 0", "line 1, column 7: cannot align to 0"},
      {"edit kv \"zz\" type 1", "line 1, column 6: no such kv before this line"},
      {"base \"base\"\nedit kv \"a\"",
       "line 2, column 12: expected a field to change (corpus/README.md), found the end"},
      {"base \"none\"", "line 1, column 6: there is no case none"},
      {"base \"broken\"",
       "broken, line 1, column 3: expected a text: \"...\" or x\"00 ff\", found the end"},
      {"title 5", "line 1, column 7: expected a plain text, found '5'"},
      {"title \"a\"*2", "line 1, column 7: expected a plain text, found a text"},
      {"level maybe", "line 1, column 7: expected must or should or may, found 'maybe'"},
      {"u8 1\n=== expect\nupload 1 error x",
       "line 3, column 8: expected PROFILE OFFSET+LENGTH SEVERITY RULE, or PROFILE none"},
      // Errors of assembling.
      {"u8 1\ncut 2", "line 2, column 5: the file has only 1 bytes to cut"},
      {"at 1 u8 1", "line 1, column 4: the file has only 0 bytes"},
      {"gguf 1 tensor_count 2^32", "line 1, column 1: a number does not fit 4 bytes"},
      {"u8 1\nzeros 2^62", "line 2, column 1: this makes the file too large"},
      {"repeat 2^40 \"\\#\"", "line 1, column 13: too many repetitions"},
      {"\"ab\"*2^40", "line 1, column 1: this makes the file too large"},
      {"base \"base\"\n\nedit gguf tensor_count 2^64-1 layout 1",
       "line 3, column 1: a number does not fit 4 bytes"},
  });
  const std::string itself = Hex("base \"itself\"");
  EXPECT_TRUE(absl::StrContains(itself, "too many nested bases")) << itself;
  const std::string deep = Hex(std::string(1000, '{'));
  EXPECT_EQ(deep, "line 1, column 101: nested too deep");
}

TEST(LanguageTest, WhatIsSaidTwiceIsAnError) {
  ExpectErrors({
      {"gguf 3\ngguf 3", "line 2, column 1: duplicate gguf"},
      {"gguf 3 gguf 2", "line 1, column 8: duplicate gguf"},
      {"data\ndata", "line 2, column 1: duplicate data"},
      {"base \"base\"\ngguf 3", "line 2, column 1: duplicate gguf"},
      {"title \"a\"\nlevel may\ntitle \"a\"", "line 3, column 1: duplicate title"},
      {"base \"base\"\nbase \"base\"", "line 2, column 1: duplicate base"},
      {"references\nreferences", "line 2, column 1: duplicate references"},
  });
  EXPECT_EQ(Hex("gguf 1\nremove gguf\ngguf 1"), Hex("gguf 1"));
}

TEST(LanguageTest, NumbersFitTheirType) {
  const auto error = [](absl::string_view type, absl::string_view word) {
    return absl::StrCat("line 1, column ", type.size() + 2, ": expected a number that fits a ",
                        type, ", found '", word, "'");
  };
  const std::pair<const char*, const char*> refused[] = {
      {"u8", "-1"},          {"u8", "256"},   {"bool", "-1"},     {"u16", "-1"},
      {"u32", "-1"},         {"u32", "2^32"}, {"u64", "-1"},      {"u64", "2^64"},
      {"i8", "128"},         {"i8", "-129"},  {"i16", "2^15"},    {"i32", "2^31"},
      {"i32", "0xffffffff"}, {"i64", "2^63"}, {"f16", "65520"},   {"f16", "-1e9"},
      {"bf16", "1e39"},      {"f32", "1e39"}, {"f32", "-3.5e38"}, {"f64", "1e309"},
      {"f32", "0x0-1"}};
  for (const auto& [type, word] : refused) {
    EXPECT_EQ(Hex(absl::StrCat(type, " ", word)), error(type, word));
  }
  Expect({{"i8 [-128 127] u8 [0 255] bool 255", "807f 00ff ff"},
          {"i16 [-2^15 2^15-1] i32 -2^31", "0080 ff7f 00000080"},
          {"i64 [-2^63 2^63-1]", "0000000000000080 ffffffffffffff7f"},
          {"f16 [65519 inf] f32 3.4e38", "ff7b 007c 9ec97f7f"},
          // Two's complement if no type is stated.
          {"gguf 1 version -1 tensor_count -2^31", "47475546 ffffffff 00000080 00000000"}});
  EXPECT_EQ(Hex("gguf 3 alignment 0"), "line 1, column 18: cannot align to 0");
}

TEST(LanguageTest, HostileTextsFailSoon) {
  constexpr uint64_t kMost = 1 << 26;
  std::string patches = "\"a\"*2^25\n";
  for (int i = 0; i < 200; ++i) patches += "at 7 u8 1\n";
  const absl::StatusOr<std::string> patched = Bytes(patches + "cut 9", kMost);
  ASSERT_TRUE(patched.ok()) << patched.status();
  EXPECT_EQ(*patched, "aaaaaaa\1a");

  const std::string kilobyte(1000, '.');
  const std::string nothing = absl::StrCat("\"", kilobyte, "\\#\"*0");
  const Table errors = {
      {"repeat 2^25 { \"a\" zeros 4096 }", "line 1, column 1: this makes the file too large"},
      {"repeat 2^24 { zeros 4000 align 1 }", "line 1, column 15: this makes the file too large"},
      {absl::StrCat("\"", kilobyte, "\\#\"*2^40"),
       "line 1, column 1: this makes the file too large"},
      {absl::StrCat("edit kv \"", kilobyte, "\"*2^20 type 1"),
       "line 1, column 9: this text is too long for a name"},
      {absl::StrCat("kv \"", kilobyte, "\"*2^20 u8 1\nedit kv \"a\" type 1"),
       "line 2, column 6: no such kv before this line"},
      {"repeat 2^18 tensor \"\" I8 [repeat 2^20 1] data {}",
       "line 1, column 13: too many repetitions"},
  };
  for (const auto& [text, expected] : errors) {
    EXPECT_EQ(Hex(text, kMost), expected) << text;
  }
  // Costs steps, but yields nothing.
  EXPECT_EQ(Hex(absl::StrCat("repeat 2^17 { align 1 ", nothing, " }"), kMost), "");
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "repeat 2 { \"\\#\"*0 ";
  EXPECT_EQ(Hex(deep + std::string(40, '}'), kMost), "");
  // Contains no statement, which is determined only once.
  std::string items;
  for (int i = 0; i < 100000; ++i) items += " \"\"";
  EXPECT_EQ(Hex(absl::StrCat("repeat 2^16 { repeat 1 {", items, "} kv \"\" u8 1 }\ncut 0"), kMost),
            "");
}

TEST(LanguageTest, PatchesLieAnywhere) {
  const std::string zeros(8192, '0');
  Expect(
      {{"\"abc\" zeros 4096 \"def\"\nat 2 \"C\"\nat 4099 \"DEF\"", "616243" + zeros + "444546"},
       {"\"abc\" zeros 4096 \"def\"\nat 2 { \"C\" zeros 4096 \"D\" }", "616243" + zeros + "446566"},
       {"\"abc\" zeros 4096 \"def\"\nat 1 zeros 4099\nat 0 zeros 1", "000000" + zeros + "006566"},
       {"zeros 4097\nat 4096 \"x\"\nat 4096 \"y\"\n", zeros + "79"},
       {"zeros 4097\nat 0 \"x\"\nat 0 \"yz\"\ncut 3", "797a00"},
       {"\"abc\"\nat 3 {}\nat 0 {}", "616263"}});
}

}  // namespace
}  // namespace gguf::corpus
