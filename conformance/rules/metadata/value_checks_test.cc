// Tests that faults of keys and values are reported, each by the rule that it
// violates.
//
// SPDX-License-Identifier: Apache-2.0

#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kU8 = 0, kU32 = 4, kF32 = 6, kBool = 7, kString = 8, kArray = 9, kU64 = 10,
                   kF64 = 12;
constexpr uint64_t kMax = ~uint64_t{0};
const uint64_t kLengths[] = {kMax,
                             uint64_t{1} << 63,
                             uint64_t{1} << 62,
                             uint64_t{1} << 32,
                             uint64_t{1} << 31,
                             (uint64_t{1} << 30) - 1,
                             100000};

std::string WithKey(absl::string_view key, uint32_t type, const ByteWriter& value) {
  return PlainFile().Key(key, type, value).Build();
}

// A file whose last key is an array with this element type, length and bytes.
std::string WithArray(uint32_t element_type, uint64_t length,
                      const ByteWriter& elements = ByteWriter()) {
  return WithKey("k.a", kArray, ByteWriter().U32(element_type).U64(length).Raw(elements.bytes()));
}

TEST(ValueChecksTest, LengthsOfStringsThatDoNotFit) {
  for (const uint64_t length : kLengths) {
    const ByteWriter lie = ByteWriter().U64(length).Raw("abc");
    GgufBuilder key = PlainFile();
    key.key_count = 2;
    GgufBuilder name = PlainFile();
    name.tensor_count = 1;
    const std::string padding(64, '\0');
    ExpectFindings({
        {"key", key.Build() + lie.bytes() + padding, {"error file-complete kv[#1].key"}},
        {"value", WithKey("k.s", kString, lie), {"error file-complete kv[k.s].value"}},
        {"tensor name",
         name.Build() + lie.bytes() + padding,
         {"error file-complete tensor[#0].name"}},
        {"array element", WithArray(kString, 1, lie), {"error file-complete kv[k.a].value"}},
    });
  }
}

TEST(ValueChecksTest, OneByteTooLongIsTooLong) {
  EXPECT_THAT(Findings(WithKey("k.s", kString, ByteWriter().U64(3).Raw("abc"))), IsEmpty());
  EXPECT_THAT(Findings(WithKey("k.s", kString, ByteWriter().U64(4).Raw("abc"))),
              ElementsAre("error file-complete kv[k.s].value"));
}

TEST(ValueChecksTest, AFileCutAtEveryByteOfItsMetadataFailsWithOneError) {
  GgufBuilder b = PlainFile();
  b.Key("k.a", kArray, b.New().U32(kString).Length(2).String("ab").String("c"));
  b.Key("k.b", kBool, b.New().U8(1));
  const std::string whole = b.Build();
  for (size_t size = 24; size < whole.size(); ++size) {
    const auto found = Findings(whole.substr(0, size));
    ASSERT_EQ(found.size(), 1u) << size;
    EXPECT_THAT(found[0], testing::AnyOf(testing::StartsWith("error file-complete"),
                                         testing::StartsWith("error header-counts-fit"),
                                         testing::StartsWith("error array-length-fits")))
        << size;
  }
}

TEST(ValueChecksTest, FaultsOfKeys) {
  const auto with = [](absl::string_view key) { return PlainFile().U32(key, 1).Build(); };
  const auto twice = [](absl::string_view key, uint32_t type, const ByteWriter& value) {
    return PlainFile().U32(key, 64).Key(key, type, value).Build();
  };
  const std::string long_key = "k." + std::string(65533, 'a');
  ExpectFindings({
      {"empty", with(""), {"error key-not-empty kv[#1].key"}},
      {"65535 bytes", with(long_key), {}},
      {"no namespace", with("key"), {"note key-namespaced kv[key].key"}},
      {"not ASCII", with("k.\xC3\xA9"), {"error key-ascii kv[k.\xC3\xA9].key"}},
      {"not UTF-8", with("k.\xFF"), {"error key-ascii kv[k.\\xff].key"}},
      {"NUL", with("k.a\0x"s), {"error key-no-nul kv[k.a\\x00x].key"}},
      {"upper case", with("k.A"), {"warning key-lower-snake-case kv[k.A].key"}},
      {"dash", with("k-l.a"), {"warning key-lower-snake-case kv[k-l.a].key"}},
      {"empty segment", with("k..a"), {"warning key-lower-snake-case kv[k..a].key"}},
      {"numeric segment", with("general.base_model.0.name"), {}},
      {"dash in a known architecture", with("command-r.block_count"), {}},
      {"somebody's name in a known key", with("tokenizer.chat_template.ToolUse"), {}},
      {"twice, same type",
       twice("k.a", kU32, ByteWriter().U32(1)),
       {"error key-unique kv[k.a].key"}},
      {"twice, another type",
       twice("k.a", kString, ByteWriter().String("x")),
       {"error key-unique kv[k.a].key"}},
      {"alignment twice",
       twice("general.alignment", kU32, ByteWriter().U32(32)),
       {"error key-unique kv[general.alignment].key"}},
  });
  EXPECT_THAT(Findings(with(long_key + "a")),
              ElementsAre(testing::StartsWith("error key-length kv[k.aaa")));
}

TEST(ValueChecksTest, OwnArchitectureMakesAKeyKnown) {
  GgufBuilder b;
  b.String("general.architecture", "my-net").U32("my-net.size", 1);
  EXPECT_THAT(Findings(b.Build()), IsEmpty());
  EXPECT_THAT(FindingsOf{{"key-lower-snake-case-known"}}.In(b, "spec"),
              ElementsAre("warning key-lower-snake-case-known kv[my-net.size].key"));
}

TEST(ValueChecksTest, OnlyTheNameOfAnArchitectureMayBreakTheRule) {
  for (const char* key :
       {"llama.foo-bar", "llama.FooBar", "command-r.Foo", "llama.foo..bar", "llama.foo."}) {
    EXPECT_THAT(Findings(GgufBuilder().U32(key, 1).Build()),
                ElementsAre(absl::StrCat("warning key-lower-snake-case kv[", key, "].key")));
  }
}

TEST(ValueChecksTest, WithoutAnArchitectureNoFirstSegmentIsEmptyAndKnown) {
  EXPECT_THAT(Findings(GgufBuilder().U32(".foo", 1).Build()),
              ElementsAre("warning key-lower-snake-case kv[.foo].key"));
}

TEST(ValueChecksTest, FaultsOfTypes) {
  for (const uint32_t type : {13u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    ExpectFindings({
        {"value type",
         WithKey("k.v", type, ByteWriter().U64(0)),
         {"error value-type-known kv[k.v].type"}},
        {"element type",
         WithArray(type, uint64_t{1} << 60),
         {"error array-element-type-known kv[k.a].element_type"}},
        {"element type of an empty array",
         WithArray(type, 0),
         {"error array-element-type-known kv[k.a].element_type"}},
    });
  }
  // Version 1 has no 64-bit types.
  GgufBuilder v1 = PlainFile(1);
  v1.Key("k.v", kU64, v1.New().U64(1));
  EXPECT_THAT(Findings(v1.Build()), ElementsAre("warning header-version-current header.version",
                                                "error value-type-known kv[k.v].type"));
}

TEST(ValueChecksTest, LengthsOfArraysThatDoNotFit) {
  const std::vector<std::string> expected = {"error array-length-fits kv[k.a].length"};
  for (const uint64_t length :
       {uint64_t{0x4000000000000001}, uint64_t{0x1000000000000001}, uint64_t{1} << 63,
        (uint64_t{1} << 32) + 1, (uint64_t{1} << 61) + 1, kMax}) {
    for (const uint32_t type : {kU8, kU32, kString, kArray, kU64}) {
      ExpectFindings({{"wraps", WithArray(type, length), expected}});
    }
  }
  ExpectFindings({
      {"fits", WithArray(kU32, 2, ByteWriter().U64(0)), {}},
      {"one too long", WithArray(kU32, 3, ByteWriter().U64(0)), expected},
  });
}

TEST(ValueChecksTest, ArraysInArrays) {
  const auto nested = [](int depth) {
    ByteWriter value;
    for (int i = 1; i < depth; ++i) value.U32(kArray).U64(1);
    return WithKey("k.a", kArray, value.U32(kU8).U64(1).U8(7));
  };
  const std::vector<std::string> nested_warning = {
      "warning array-not-nested kv[k.a].value.element_type"};
  const std::vector<std::string> too_deep = {"error array-nesting-bounded kv[k.a].value"};
  ExpectFindings({
      {"depth 1", nested(1), {}},
      {"depth 2", nested(2), nested_warning},
      {"depth 64", nested(64), nested_warning},
      {"depth 65", nested(65), too_deep},
      {"depth 5000", nested(5000), too_deep},
      {"depth 100000", nested(100000), too_deep},
  });
  EXPECT_THAT(Findings(nested(2), "spec"), IsEmpty());
}

TEST(ValueChecksTest, ManyEmptyElementsAreFine) {
  constexpr uint64_t kMillion = 1000000;
  EXPECT_THAT(Findings(WithArray(kString, kMillion, ByteWriter().Zeros(8 * kMillion))), IsEmpty());
  EXPECT_THAT(Findings(WithArray(kArray, kMillion, ByteWriter().Zeros(12 * kMillion))),
              ElementsAre("warning array-not-nested kv[k.a].value.element_type"));
}

TEST(ValueChecksTest, FaultsOfValues) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  uint32_t nan_bits;
  std::memcpy(&nan_bits, &nan, sizeof nan_bits);
  ExpectFindings({
      {"bool 1", WithKey("k.b", kBool, ByteWriter().U8(1)), {}},
      {"bool 2",
       WithKey("k.b", kBool, ByteWriter().U8(2)),
       {"error bool-zero-or-one kv[k.b].value"}},
      {"bool 255 in an array",
       WithArray(kBool, 3, ByteWriter().U8(0).U8(1).U8(255)),
       {"error bool-zero-or-one kv[k.a].value[2]"}},
      {"bool 2 in an inner array",
       WithArray(kArray, 1, ByteWriter().U32(kBool).U64(3).U8(0).U8(0).U8(2)),
       {"warning array-not-nested kv[k.a].value.element_type",
        "error bool-zero-or-one kv[k.a].value[0]"}},
      {"string not UTF-8",
       WithKey("k.s", kString, ByteWriter().String("\xC0\x80")),
       {"warning string-utf8 kv[k.s].value"}},
      {"element not UTF-8",
       WithArray(kString, 2, ByteWriter().String("a").String("\xFF")),
       {"warning string-utf8 kv[k.a].value[1]"}},
      {"string with NUL", WithKey("k.s", kString, ByteWriter().String("a\0"s)), {}},
      {"NaN",
       WithKey("k.f", kF32, ByteWriter().U32(nan_bits)),
       {"warning metadata-float-finite kv[k.f].value"}},
      {"infinite f64",
       WithKey("k.f", kF64, ByteWriter().U64(0x7FF0000000000000)),
       {"warning metadata-float-finite kv[k.f].value"}},
      {"infinite element of an inner array",
       WithArray(kArray, 1, ByteWriter().U32(kF32).U64(2).U32(0).U32(0x7F800000)),
       {"warning array-not-nested kv[k.a].value.element_type",
        "warning metadata-float-finite kv[k.a].value[0]"}},
      {"infinite element",
       WithArray(kF32, 2, ByteWriter().U32(0).U32(0xFF800000)),
       {"warning metadata-float-finite kv[k.a].value[1]"}},
  });
}

TEST(ValueChecksTest, StringsOfVersion1NeedNeitherNulNorText) {
  GgufBuilder b = PlainFile(1);
  b.String("k.empty", "").String("k.no_nul", "abc").String("k.nul", "abc\0"s);
  b.Key("k.a", kArray, b.New().U32(kString).U32(2).String("").String("x"));
  EXPECT_THAT(Findings(b.Build()), ElementsAre("warning header-version-current header.version"));
  GgufBuilder lie = PlainFile(1);
  lie.Key("k.s", kString, lie.New().U32(0xFFFFFFFF).Raw("abc"));
  EXPECT_THAT(Findings(lie.Build()), ElementsAre("warning header-version-current header.version",
                                                 "error file-complete kv[k.s].value"));
}

// A file with this beginning, followed by zeros that take no memory.
class ZeroExtended {
 public:
  ZeroExtended(const std::string& begin, uint64_t size) : size_(size) {
    map_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    std::memcpy(map_, begin.data(), begin.size());
  }
  ~ZeroExtended() { munmap(map_, size_); }
  absl::string_view bytes() const {
    return absl::string_view(static_cast<const char*>(map_), size_);
  }

 private:
  uint64_t size_;
  void* map_;
};

TEST(ValueChecksTest, WhatExceedsOneGibibyteIsSaid) {
  constexpr uint64_t kLength = (uint64_t{1} << 30) + 1;
  Limits limits;
  limits.metadata_bytes = limits.array_elements = 4 * kLength;
  const std::string text = PlainFile().Key("k.s", kString, ByteWriter().U64(kLength)).Build();
  const ZeroExtended long_string(text, text.size() + kLength);
  EXPECT_THAT(Findings(long_string.bytes(), "safety", limits),
              ElementsAre("warning string-length-bounded kv[k.s].value"));
  EXPECT_THAT(Findings(long_string.bytes(), "safety"),
              ElementsAre("incomplete",  // By the default limits.
                          "warning string-length-bounded kv[k.s].value"));
  const std::string key =
      GgufBuilder().Build().substr(0, 16) + ByteWriter().U64(1).U64(kLength).bytes();
  const ZeroExtended long_key(key, key.size() + kLength + 5);
  EXPECT_THAT(Findings(long_key.bytes()),
              ElementsAre("incomplete", "warning string-length-bounded kv[#0].key"));
  const std::string array = WithArray(kU8, 0);
  const std::string header = array.substr(0, array.size() - 8) + ByteWriter().U64(kLength).bytes();
  const ZeroExtended long_array(header, header.size() + kLength);
  EXPECT_THAT(Findings(long_array.bytes(), "llama.cpp", limits),
              ElementsAre("error array-length-bounded kv[k.a].value[0]"));
  EXPECT_THAT(Findings(long_array.bytes(), "llama.cpp"),
              ElementsAre("incomplete", "error array-length-bounded kv[k.a].length"));
  limits.metadata_bytes = 1000;
  EXPECT_THAT(Findings(long_array.bytes(), "llama.cpp", limits),
              ElementsAre("incomplete", "error array-length-bounded kv[k.a].length"));
}

TEST(ValueChecksTest, AHundredThousandKeysAreFine) {
  GgufBuilder b = PlainFile();
  for (int i = 0; i < 100000; ++i) b.U32("k.a" + std::to_string(i), i);
  EXPECT_THAT(Findings(b.Build()), IsEmpty());
}

}  // namespace
}  // namespace gguf
