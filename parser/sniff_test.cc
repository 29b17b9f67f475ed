// SPDX-License-Identifier: Apache-2.0

#include "parser/sniff.h"

#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

using std::string_literals::operator""s;

TEST(SniffTest, EveryKindOfFileIsNamed) {
  const struct {
    std::string bytes;
    std::string format;
    std::string what;
  } kCases[] = {
      {"GGUF\3\0\0\0"s, "gguf", ""},
      {"GG", "gguf", ""},
      {"", "unknown", "an empty file"},
      {"FUGG\3\0\0\0"s, "unknown", "a GGUF file whose magic is byte-swapped"},
      {"gguf\3\0\0\0"s, "unknown", "a GGUF file whose magic is in lower case"},
      {"lmgg\0\x7d\0\0\0\0\0\0"s, "ggml", ""},
      {"fmgg\1\0\0\0"s, "ggmf", ""},
      {"ggmf\0\0\0\x65"s, "rwkv.cpp", ""},
      {"ggmf\0\0\0\x64"s, "rwkv.cpp", ""},
      {"ggmf\0\0\0\1"s, "unknown", "a GGMF file whose magic is byte-swapped"},
      {"ggmf\0\0\0"s, "unknown", "a GGMF file whose magic is byte-swapped"},
      {"fmgg\x65\0\0\0"s, "rwkv.cpp", ""},
      {"tjgg\3\0\0\0"s, "ggjt", ""},
      {"fmgg\1\0\0"s, "ggmf", ""},
      {"tjgg", "ggjt", ""},
      {"\x80\2}"s, "unknown", "a Python pickle, probably a PyTorch checkpoint"},
      {"\x80\5\x95"s, "unknown", "a Python pickle, probably a PyTorch checkpoint"},
      {"\x80\6"s, "unknown", "a file in an unknown format"},
      {"PK\3\4...."s, "unknown", "a ZIP archive, such as a PyTorch checkpoint or a llamafile"},
      {"\x1f\x8b\x08"s, "unknown", "a gzip file"},
      {"\x28\xb5\x2f\xfd"s, "unknown", "a Zstandard file"},
      {"\x10\0\0\0\0\0\0\0{\"a\":1}"s, "unknown", "a safetensors file"},
      {" \n<!DOCTYPE html>", "unknown", "an HTML page, probably an error or a login page"},
      {"<HTML>", "unknown", "an HTML page, probably an error or a login page"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "unknown",
       "a Git LFS pointer, not the model itself"},
      {std::string(16, '\0'), "unknown",
       "a file that begins with zeros, probably a download that never began"},
      {"\xef\xbb\xbf <Error><Code>", "unknown", "an XML document, probably an error page"},
      {"{\"error\":\"Repository not found\"}", "unknown",
       "a server's answer in JSON, probably an error"},
      {"[1, 2]\n", "unknown", "a JSON document"},
      {"{\xff}", "unknown", "a file in an unknown format"},
      {"Entry not found", "unknown", "the error message of a server"},
      {"R0dVRgMAAAA", "unknown", "a GGUF file encoded in base64"},
      {"47475546 03000000", "unknown", "a GGUF file written as hexadecimal digits"},
      {"\xef\xbb\xbfGGUF\3\0\0\0"s, "unknown", "a GGUF file with text before its magic"},
      {"\2\0\0\0\x08\0\0\0v.weight\1\0\0\0"s, "imatrix.dat", ""},
      {"\2\0\0\0\x08\0\0\0v.biases\1\0\0\0"s, "unknown", "a file in an unknown format"},
      {"something else", "unknown", "a file in an unknown format"},
  };
  for (const auto& c : kCases) {
    const FileKind kind = Sniff(AsBytes(c.bytes));
    EXPECT_EQ(kind.format, c.format) << c.bytes;
    EXPECT_EQ(kind.what, c.what) << c.bytes;
    EXPECT_EQ(kind.is_gguf, c.format == "gguf");
  }
}

TEST(SniffTest, DamageAndProgramsAreTold) {
  EXPECT_EQ(Sniff(AsBytes(std::string(16, '\0'))).damage, Damage::kNeverFilled);
  EXPECT_EQ(Sniff(AsBytes("Entry not found")).damage, Damage::kInTransport);
  EXPECT_EQ(Sniff(AsBytes("something else")).damage, Damage::kNone);
  for (const std::string& bytes :
       {"PK\3\4"s, "\x7f\x45LF"s, "MZ\x90\0"s, "\x80\4c"s, "#!/bin/sh\n"s, "\xcf\xfa\xed\xfe"s}) {
    EXPECT_TRUE(Sniff(AsBytes(bytes)).is_program) << bytes;
  }
  EXPECT_FALSE(Sniff(AsBytes("GGUF\3\0\0\0"s)).is_program);
  EXPECT_FALSE(Sniff(AsBytes("# A heading\n")).is_program);
}

TEST(SniffTest, VersionsOfLegacyFormatsAreRead) {
  EXPECT_EQ(Sniff(AsBytes("tjgg\3\0\0\0"s)).version, 3u);
  EXPECT_EQ(Sniff(AsBytes("fmgg\x65\0\0\0"s)).version, 101u);
  EXPECT_EQ(Sniff(AsBytes("lmgg\1\0\0\0"s)).version, std::nullopt);
}

}  // namespace
}  // namespace gguf
