// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/contents.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

// Returns the keys and tensors with their data, or why they are not stated.
std::string Shown(const std::string& text) {
  const Case read = ReadText(text, nullptr).value();
  const absl::StatusOr<Contents> contents = ContentsOf(read.document);
  if (!contents.ok()) return std::string(contents.status().message());
  std::string shown;
  for (const Contents::Key& key : contents->keys) {
    absl::StrAppend(&shown, key.key, ":", key.type, " ");
    // The place is that of the key: its length and its text.
    const std::string bytes = contents->file.Part(key.begin, key.end).ToString();
    EXPECT_EQ(bytes.substr(8, key.key.size()), key.key);
  }
  for (const Contents::Info& tensor : contents->tensors) {
    absl::StrAppend(&shown, tensor.name, "@", tensor.offset, "=");
    EXPECT_EQ(
        contents->file.Part(tensor.begin, tensor.end).ToString().substr(8, tensor.name.size()),
        tensor.name);
    EXPECT_EQ(tensor.end - tensor.begin, 24 + tensor.name.size() + 8 * tensor.dims.size());
    const auto data = contents->DataOf(tensor);
    absl::StrAppend(&shown, data ? absl::BytesToHexString(data->ToString()) : "?", " ");
  }
  return shown;
}

TEST(ContentsTest, KeysAndTensorsOfRepetitions) {
  EXPECT_EQ(Shown("gguf 3\nkv \"a\" u8 1\n"
                  "repeat 2 { kv \"k.\\#\" str \"\" }\n"
                  "repeat 2 { tensor \"t.\\#\" I8 [2] data { u8 [7 8] } }\n"),
            "a:0 k.0:8 k.1:8 t.0@0=0708 t.1@32=0708 ");
}

TEST(ContentsTest, DataIsAtTheStatedOffset) {
  EXPECT_EQ(Shown("gguf 3\nkv \"general.alignment\" u32 8\n"
                  "tensor \"a\" I8 [1] offset 8 data { u8 1 }\n"
                  "tensor \"b\" I8 [1] offset 0 data { u8 2 }\n"
                  "tensor \"c\" I8 [1] offset 2^64-1\n"),
            "general.alignment:4 a@8=02 b@0=01 c@18446744073709551615=? ");
  EXPECT_EQ(Shown("gguf 3\ntensor \"a\" I8 [2]\ndata content { u8 [5 6] }\n"), "a@0=0506 ");
}

TEST(ContentsTest, PatchesOfTheDataAreSeen) {
  EXPECT_EQ(Shown("gguf 3\ntensor \"a\" I8 [2] data { u8 [1 2] }\n"
                  "at 65 u8 9\ncut -30\n"),
            "a@0=0109 ");
  EXPECT_EQ(Shown("gguf 3\ntensor \"a\" I8 [2]\ncut -31\n"), "a@0=? ");
}

TEST(ContentsTest, StatedBytesAreNotContents) {
  constexpr char kBytes[] = "it states bytes instead of a key or tensor";
  for (const char* statement : {
           "kv \"a\" u8 1 key_length 1",
           "kv \"a\" u8 1 type 13",
           "kv \"a\" 13 \"x\"",
           "kv \"a\" str \"x\" length 1",
           "kv \"a\" arr u8 [1] length 1",
           "kv \"a\" arr u8 [1] elem 0",
           "kv \"a\" arr arr [u8 [1] length 1]",
           "kv \"a\" arr u8 { \"x\" } length 1",
           "repeat 2 { kv \"\\#\" str \"x\" length 1 }",
           "tensor \"a\" I8 [1] name_length 1",
           "tensor \"a\" I8 [1] n_dims 1",
           "tensor \"a\" I8 [1] offset \"12345678\"",
           "zeros 1\nkv \"a\" u8 1",
           "tensor \"a\" I8 [1]\nkv \"a\" u8 1",
       }) {
    const std::string why = Shown(absl::StrCat("gguf 3\n", statement, "\n"));
    EXPECT_NE(why.find(kBytes), std::string::npos) << statement << ": " << why;
  }
  for (const char* field :
       {"version 3", "magic \"GGUF\"", "tensor_count 0", "metadata_kv_count 0", "alignment 32"}) {
    EXPECT_EQ(Shown(absl::StrCat("gguf 3 ", field, "\n")), absl::StrCat("line 1: ", kBytes));
  }
  EXPECT_EQ(Shown("zeros 24\n"), "line 0: there is no GGUF header");
  EXPECT_EQ(Shown("gguf 3\nkv \"a\" u8 1\nat 24 u8 1\n"), "line 3: it changes bytes of the tables");
  EXPECT_EQ(Shown("gguf 3\nkv \"a\" u8 1\ncut -1\n"), "line 3: it changes bytes of the tables");
  EXPECT_EQ(Shown("gguf 3\nkv \"a\" u8 1\n\"trailing\"\n"), "a:0 ");
}

}  // namespace
}  // namespace gguf::corpus
