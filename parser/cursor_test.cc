// SPDX-License-Identifier: Apache-2.0

#include "parser/cursor.h"

#include <vector>

#include "gtest/gtest.h"
#include "parser/structure_rules.h"

namespace gguf {
namespace {

constexpr uint64_t kNoLimit = ~uint64_t{0};

TEST(CursorTest, FailedReadNamesTheFieldAndTheOffset) {
  const std::vector<uint8_t> file = {1, 0, 0, 0, 9, 9};
  Diagnostics found(10);
  Cursor cursor(Bytes(file), kNoLimit, &found);
  cursor.set_subject({"tensor", true, 2, "w"});

  Field<uint32_t> n_dims, type;
  EXPECT_FALSE(cursor.ReadU32("n_dims", &n_dims) && cursor.ReadU32("type", &type));

  EXPECT_EQ(n_dims.value, 1u);
  ASSERT_EQ(found.kept().size(), 1u);
  EXPECT_EQ(found.kept()[0].rule, &kFileComplete);
  EXPECT_EQ(found.kept()[0].where.begin, 4u);
  EXPECT_EQ(found.kept()[0].where.end, 6u);
  EXPECT_EQ(found.kept()[0].subject, "tensor[w].type");
  EXPECT_EQ(found.kept()[0].message, "needs 4 bytes, but the file ends after 2");
  ASSERT_TRUE(cursor.stop());
  EXPECT_EQ(cursor.stop()->Why(), "reading stopped at byte 0x4, tensor[w].type: file-complete");
}

TEST(CursorTest, AfterAFailureNothingIsReadOrReported) {
  const std::vector<uint8_t> file = {1, 2};
  Diagnostics found(10);
  Cursor cursor(Bytes(file), kNoLimit, &found);
  Field<uint32_t> value;
  Bytes bytes;
  EXPECT_FALSE(cursor.ReadU32("a", &value));
  EXPECT_FALSE(cursor.Take("b", 1, &bytes));
  EXPECT_EQ(found.kept().size(), 1u);
  EXPECT_EQ(cursor.offset(), 0u);
}

TEST(CursorTest, HugeLengthsDoNotWrap) {
  for (const uint64_t length : {uint64_t{3}, uint64_t{1} << 31, uint64_t{1} << 32,
                                uint64_t{1} << 63, ~uint64_t{0} - 8, ~uint64_t{0}}) {
    std::vector<uint8_t> file(10, 'x');
    for (int i = 0; i < 8; ++i) file[i] = length >> (8 * i);
    Diagnostics found(10);
    Cursor cursor(Bytes(file), kNoLimit, &found);
    Field<absl::string_view> text;
    EXPECT_FALSE(cursor.ReadString("key", &text)) << length;
    ASSERT_EQ(found.kept().size(), 1u);
    EXPECT_EQ(found.kept()[0].where.begin, 0u);
    EXPECT_EQ(found.kept()[0].where.end, 8u);
  }
}

TEST(CursorTest, StringsOfEveryEncodingAreRead) {
  const struct {
    Encoding encoding;
    std::vector<uint8_t> file;
  } kCases[] = {
      {{Endian::kLittle, 4}, {2, 0, 0, 0, 'h', 'i'}},
      {{Endian::kLittle, 8}, {2, 0, 0, 0, 0, 0, 0, 0, 'h', 'i'}},
      {{Endian::kBig, 8}, {0, 0, 0, 0, 0, 0, 0, 2, 'h', 'i'}},
  };
  for (const auto& c : kCases) {
    Diagnostics found(10);
    Cursor cursor(Bytes(c.file), kNoLimit, &found);
    cursor.set_encoding(c.encoding);
    Field<absl::string_view> text;
    EXPECT_TRUE(cursor.ReadString("key", &text));
    EXPECT_EQ(text.value, "hi");
    EXPECT_EQ(text.where.begin, 0u);
    EXPECT_EQ(text.where.end, c.file.size());
  }
}

TEST(CursorTest, CountsAreComparedByDivision) {
  const std::vector<uint8_t> file(48);
  Cursor cursor(Bytes(file), kNoLimit, nullptr);
  EXPECT_TRUE(cursor.Fits(2, 24));
  EXPECT_FALSE(cursor.Fits(3, 24));
  // 48 * this is 32 modulo 2^64.
  EXPECT_FALSE(cursor.Fits(0x0555555555555556, 48));
  EXPECT_FALSE(cursor.Fits(~uint64_t{0}, 1));
}

TEST(CursorTest, SkippedBytesCountTowardsNoLimit) {
  const std::vector<uint8_t> file(100);
  Diagnostics found(10);
  Cursor cursor(Bytes(file), 20, &found);
  Bytes bytes;
  EXPECT_TRUE(cursor.Skip("data", 60));
  EXPECT_EQ(cursor.remaining(), 40u);
  EXPECT_TRUE(cursor.Take("a", 20, &bytes));
  EXPECT_FALSE(cursor.Skip("data", ~uint64_t{0}));
  ASSERT_EQ(found.kept().size(), 1u);
  EXPECT_EQ(found.kept()[0].message,
            "needs 18446744073709551615 bytes, but the file ends after 20");
}

TEST(CursorTest, ALimitIsNotADiagnostic) {
  const std::vector<uint8_t> file(100);
  Diagnostics found(10);
  Cursor cursor(Bytes(file), 50, &found);
  Bytes bytes;
  EXPECT_TRUE(cursor.Take("a", 50, &bytes));
  EXPECT_FALSE(cursor.Take("b", 1, &bytes));
  EXPECT_TRUE(found.kept().empty());
  ASSERT_TRUE(cursor.stop());
  EXPECT_EQ(cursor.stop()->kind, Stop::kNotDone);
  EXPECT_EQ(cursor.stop()->Why(),
            "reading stopped at byte 0x32: the limit of 50 bytes of metadata");
}

TEST(CursorTest, UnavailableBytesAreNeededAndNotADiagnostic) {
  const std::vector<uint8_t> prefix(50);
  Diagnostics found(10);
  Cursor cursor({Bytes(prefix), 100, ""}, kNoLimit, &found);
  Bytes bytes;
  EXPECT_TRUE(cursor.Take("a", 50, &bytes));
  EXPECT_EQ(cursor.remaining(), 50u);
  EXPECT_TRUE(cursor.Fits(50, 1));
  EXPECT_FALSE(cursor.Take("b", 8, &bytes));
  EXPECT_TRUE(found.kept().empty());
  ASSERT_TRUE(cursor.stop());
  EXPECT_EQ(cursor.stop()->kind, Stop::kNeedsMore);
  EXPECT_EQ(cursor.stop()->Why(),
            "reading stopped at byte 0x32: needs 58 bytes of the file, has 50");

  Cursor behind({Bytes(prefix), 100, ""}, kNoLimit, &found);
  EXPECT_TRUE(behind.Skip("data", 60));
  EXPECT_TRUE(behind.Take("none", 0, &bytes));
  EXPECT_FALSE(behind.Take("b", 41, &bytes));
  ASSERT_EQ(found.kept().size(), 1u);
  EXPECT_EQ(found.kept()[0].message, "needs 41 bytes, but the file ends after 40");
}

TEST(CursorTest, ARangeIsReadAgainWithoutDiagnostics) {
  const std::vector<uint8_t> file = {9, 9, 3, 0, 0, 0, 'a', 'b', 'c', 'd'};
  for (const uint64_t end : {8, 9}) {
    Cursor cursor(Bytes(file), Range{2, end});
    cursor.set_encoding({Endian::kLittle, 4});
    Field<absl::string_view> text;
    EXPECT_EQ(cursor.ReadString("", &text), end == 9);
    EXPECT_EQ(cursor.stop().has_value(), end == 8);
  }
}

}  // namespace
}  // namespace gguf
