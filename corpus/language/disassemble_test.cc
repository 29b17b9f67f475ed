// Tests the text that files disassemble to.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/disassemble.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

std::string Bytes(absl::string_view text) {
  const absl::StatusOr<Case> read = ReadText(text, Loader());
  if (!read.ok()) return std::string(read.status().message());
  return Assemble(read->document)->ToString();
}

TEST(DisassembleTest, ValidFilesComeOutShort) {
  const std::string text =
      "gguf 3 big\n"
      "kv \"general.architecture\" str \"test\"\n"
      "kv \"x.a\" arr u32 [1 repeat 9 2]\n"
      "kv \"x.n\" arr arr [u8 [] str [\"a\" \"\\u{202e}\"]]\n"
      "kv \"x.f\" f32 0x7fc12345\n"
      "tensor \"v\" Q8_0 [32] data {x\"003c05\" zeros 31}\n"
      "tensor \"w\" F16 [2 2] data f16 [1 0.5 nan -1]\n"
      "tensor \"z\" F32 [7]\n";
  EXPECT_EQ(Print(Disassemble(Bytes(text))), text);
}

TEST(DisassembleTest, LiesStandWhereTheyAre) {
  const std::vector<std::pair<std::string, std::string>> table = {
      // A gap with content.
      {"gguf 3\ntensor \"v\" I8 [1]\ntensor \"w\" I8 [1] offset 64\n"
       "data content {zeros 64 u8 1}\n",
       "gguf 3\ntensor \"v\" I8 [1]\ntensor \"w\" I8 [1] offset 64\n"
       "data content {zeros 64 x\"01\"}\n"},
      {"gguf 3 magic \"FUGG\" metadata_kv_count 2^63\n\"rest\"\n",
       "gguf 3 magic \"FUGG\" metadata_kv_count 2^63\n\"rest\"\n"},
      {"gguf 3\nkv \"a\" str \"b\" length 99\n",
       "gguf 3 metadata_kv_count 1\nstr \"a\"\nu32 8\nu64 99\nx\"62\"\n"},
      {"gguf 3\nkv \"a\" arr str [\"b\"] length 99\n",
       "gguf 3 metadata_kv_count 1\nstr \"a\"\nu32 9\nu32 8\nu64 99\n"
       "x\"010000000000000062\"\n"},
      {"gguf 3\ntensor \"v\" I8 []\ntensor \"w\" I8 [1] n_dims 2^31\ncut -32\n",
       "gguf 3 tensor_count 2\ntensor \"v\" I8 []\n"
       "data padding {} content {}\nstr \"w\"\nu32 2147483648\n"
       "x\"01000000000000001800000020\"\nzeros 53\n"},
      {"gguf 3\ntensor \"w\" I8 [9]\ncut -23\n", "gguf 3\ntensor \"w\" I8 [9] pad {}\n"},
      {"gguf 3\ntensor \"w\" I8 [9] pad \"end\"\n\"more\"\n",
       "gguf 3\ntensor \"w\" I8 [9] pad \"endmore\"\n"}};
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(Print(Disassemble(Bytes(text))), expected);
  }
}

TEST(DisassembleTest, WhatExceedsTheMostNumbersBecomesBytes) {
  const std::string text =
      "gguf 3\n"
      "kv \"a\" u8 1\n"
      "kv \"b\" arr u16 [1 2 3 4 5 6 7 8 9]\n"
      "tensor \"w\" I8 [2] data i8 [1 2]\n";
  EXPECT_EQ(Print(Disassemble(Bytes(text), 100)), text);
  EXPECT_EQ(Print(Disassemble(Bytes(text), 16 + 1 + 16 + 16 + 4)),
            "gguf 3 tensor_count 1\n"
            "kv \"a\" u8 1\n"
            "kv \"b\" arr u16 {x\"010002000300040005000600070008000900\"} length 9\n"
            "u64 1\nx\"7701000000020000000000000018\"\nzeros 25\nx\"0102\"\n"
            "zeros 30\n");
}

// The output is short; so is the document.
TEST(DisassembleTest, ZerosTakeNoMemory) {
  constexpr size_t kSize = 64 << 20;
  const std::string header = Bytes("gguf 3 metadata_kv_count 2^40\n");
  const std::string tensor = Bytes("gguf 3\nkv \"a\" u8 1\ntensor \"w\" F32 [2^24]\ncut 100\n");
  const std::string array = Bytes("gguf 3\nkv \"a\" arr u8 [] length 60000000\n");
  for (std::string file : {header, tensor, array}) {
    file.resize(kSize);
    file.back() = 1;
    EXPECT_LT(Print(Disassemble(file, 1000)).size(), 5000);
  }
}

}  // namespace
}  // namespace gguf::corpus
