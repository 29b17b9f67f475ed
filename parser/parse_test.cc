// SPDX-License-Identifier: Apache-2.0

#include "parser/parse.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/structure_rules.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

// A parsed file with the bytes that it points into.
struct Parsed {
  explicit Parsed(std::string file_bytes, const Limits& limits = {})
      : bytes(std::move(file_bytes)), found(100), file(Parse(AsBytes(bytes), limits, &found)) {}

  std::string bytes;
  Diagnostics found;
  File file;
};

GgufBuilder Small(uint32_t version = 3, bool big_endian = false) {
  GgufBuilder b(version, big_endian);
  b.String("general.architecture", "test").U32("test.count", 7);
  b.Key("test.words", 9, b.New().U32(8).Length(2).String("a").String("bc"));
  b.Tensor("w", {32, 2}, 0).Tensor("v", {32}, 8);
  return b;
}

TEST(ParseTest, EveryVersionAndEndiannessReadsTheSame) {
  for (const uint32_t version : {1, 2, 3}) {
    for (const bool big_endian : {false, true}) {
      const Parsed p(Small(version, big_endian).Build());
      SCOPED_TRACE(testing::Message() << version << " " << big_endian);
      EXPECT_FALSE(p.file.stop);
      EXPECT_TRUE(p.found.kept().empty());
      EXPECT_EQ(p.file.version.value, version);
      EXPECT_EQ(p.file.encoding.endian, big_endian ? Endian::kBig : Endian::kLittle);
      ASSERT_EQ(p.file.keys.size(), 3u);
      EXPECT_EQ(p.file.Unsigned(p.file.keys[1]), 7u);
      EXPECT_EQ(p.file.String(p.file.keys[0]), "test");
      ASSERT_EQ(p.file.tensors.size(), 2u);
      EXPECT_EQ(p.file.tensors[0].dims[1], 2u);
      EXPECT_EQ(p.file.tensors[1].name.value, "v");
      EXPECT_EQ(p.file.tensors[1].offset.value, 256u);
      EXPECT_EQ(p.file.data_begin % 32, 0u);
    }
  }
}

TEST(ParseTest, RangesAreThoseOfTheFields) {
  const Parsed p(GgufBuilder().Tensor("w", {32}, 0).Build());
  const TensorInfo& w = p.file.tensors[0];
  EXPECT_EQ(w.name.where.begin, 24u);
  EXPECT_EQ(w.n_dims.where.begin, 33u);
  EXPECT_EQ(w.dims_where().begin, 37u);
  EXPECT_EQ(w.type.where.begin, 45u);
  EXPECT_EQ(w.offset.where.begin, 49u);
  EXPECT_EQ(w.offset.where.end, 57u);
  EXPECT_EQ(p.file.infos_end, 57u);
  EXPECT_EQ(p.file.data_begin, 64u);
}

TEST(ParseTest, AWalkShowsNestedArraysInOrder) {
  GgufBuilder b;
  // [[7], [8, 9]] of u32.
  b.Key("k", 9, b.New().U32(9).Length(2).U32(4).Length(1).U32(7).U32(4).Length(2).U32(8).U32(9));
  const Parsed p(b.Build());
  struct Recorder : ValueVisitor {
    std::string log;
    void BeginArray(const ValueTypeInfo& type, uint64_t n, uint64_t depth, uint64_t element,
                    Range) {
      log += "(" + std::string(type.name) + " " + std::to_string(n) + " depth " +
             std::to_string(depth) + " at " + std::to_string(element) + " ";
    }
    void EndArray() { log += ")"; }
    void Scalars(const ValueTypeInfo&, uint64_t count, Bytes, uint64_t, uint64_t element,
                 uint64_t step) {
      log += std::to_string(count) + "@" + std::to_string(element) + "+" + std::to_string(step);
    }
  } recorder;
  ASSERT_EQ(p.file.keys.size(), 1u);
  WalkValue(p.file, p.file.keys[0], &recorder);
  EXPECT_EQ(recorder.log,
            "(arr 2 depth 1 at 0 (u32 1 depth 2 at 0 1@0+0)"
            "(u32 2 depth 2 at 1 2@1+0))");
}

TEST(ParseTest, KeysAreReadEvenIfTheTensorCountIsWrong) {
  GgufBuilder b = Small();
  b.tensor_count = 0x02E8BA2E8BA2E8BB;
  const Parsed p(b.Build());
  ASSERT_EQ(p.found.kept().size(), 1u);
  EXPECT_EQ(p.found.kept()[0].rule, &kHeaderCountsFit);
  EXPECT_EQ(p.found.kept()[0].where.begin, 8u);
  EXPECT_EQ(p.file.keys.size(), 3u);
  EXPECT_EQ(p.file.progress, Progress::kKeys);
  EXPECT_EQ(p.file.stop->Why(),
            "reading stopped at byte 0x8, header.tensor_count: header-counts-fit");
}

TEST(ParseTest, ATruncatedFileStopsInsideTheFile) {
  const std::string whole = Small().Build();
  const Parsed complete(whole);
  for (size_t size = 0; size < complete.file.infos_end; ++size) {
    const Parsed p(whole.substr(0, size));
    ASSERT_TRUE(p.file.stop) << size;
    ASSERT_EQ(p.found.kept().size(), 1u) << size;
    EXPECT_LE(p.found.kept()[0].where.end, size);
  }
}

TEST(ParseTest, APrefixNeedsMoreUntilItHasTheTensorTable) {
  const std::string whole = Small().Build();
  const uint64_t size = uint64_t{1} << 40;
  for (uint64_t at_hand = 0; at_hand <= whole.size(); ++at_hand) {
    Diagnostics found(10);
    const File file = Parse({AsBytes(whole).subspan(0, at_hand), size, ""}, {}, &found);
    EXPECT_TRUE(found.kept().empty()) << at_hand;
    EXPECT_EQ(file.size, size);
    if (at_hand >= Parsed(whole).file.infos_end) {
      EXPECT_EQ(file.progress, Progress::kTensors) << at_hand;
    } else {
      ASSERT_TRUE(file.stop) << at_hand;
      EXPECT_EQ(file.stop->kind, Stop::kNeedsMore) << at_hand;
    }
  }
}

TEST(ParseTest, AWalkUsesTheLengthsThatWereReadFirst) {
  GgufBuilder b;
  b.Key("k", 9, b.New().U32(8).Length(2).String("ab").String("cd"));
  std::string bytes = b.Build();
  Diagnostics found(10);
  const File file = Parse(AsBytes(bytes), {}, &found);
  const KeyValue& kv = file.keys[0];
  EXPECT_EQ(kv.length, 2u);
  const auto walk = [&] {
    struct : ValueVisitor {
      std::string log;
      void String(absl::string_view text, Range, uint64_t) {
        log.append(text.data(), text.size()).append(";");
      }
    } visitor;
    WalkValue(file, kv, &visitor);
    return visitor.log;
  };
  // Another element type and length, then a string that is too long.
  bytes.replace(kv.value.begin, 12, 12, '\xff');
  EXPECT_EQ(walk(), "ab;cd;");
  bytes.replace(kv.value.begin + 22, 8, 8, '\xff');
  EXPECT_EQ(walk(), "ab;");
}

TEST(ParseTest, LimitsStopWithoutADiagnostic) {
  Limits keys, tensors, elements, bytes;
  keys.keys = 2;
  tensors.tensors = 1;
  elements.array_elements = 1;
  bytes.metadata_bytes = 40;
  for (const Limits& limits : {keys, tensors, elements, bytes}) {
    const Parsed p(Small().Build(), limits);
    EXPECT_TRUE(p.found.kept().empty());
    ASSERT_TRUE(p.file.stop);
    EXPECT_EQ(p.file.stop->kind, Stop::kNotDone);
  }
}

TEST(ParseTest, TheAlignmentIsKnownUnlessItIsZeroMistypedOrAmbiguous) {
  const auto alignment = [](GgufBuilder b) {
    const Parsed p(b.Build());
    return std::make_pair(p.file.alignment_known, p.file.alignment);
  };
  const char kKey[] = "general.alignment";
  using Result = std::pair<bool, uint64_t>;
  EXPECT_EQ(alignment(GgufBuilder()), Result(true, 32));
  EXPECT_EQ(alignment(GgufBuilder().U32(kKey, 64)), Result(true, 64));
  EXPECT_EQ(alignment(GgufBuilder().U32(kKey, 0)), Result(false, 32));
  EXPECT_EQ(alignment(GgufBuilder().Key(kKey, 10, ByteWriter().U64(64))), Result(false, 32));
  EXPECT_EQ(alignment(GgufBuilder().U32(kKey, 64).U32(kKey, 64)), Result(true, 64));
  EXPECT_EQ(alignment(GgufBuilder().U32(kKey, 64).U32(kKey, 32)), Result(false, 32));
}

TEST(ParseTest, TimeIsUpBetweenEntries) {
  GgufBuilder b;
  for (int i = 0; i < 10000; ++i) b.U32("k", i);
  Limits limits;
  limits.seconds = 1e-9;
  const Parsed p(b.Build(), limits);
  ASSERT_TRUE(p.file.stop);
  EXPECT_EQ(p.file.stop->kind, Stop::kNotDone);
  EXPECT_THAT(p.file.stop->Why(), testing::EndsWith("the limit of 1e-09 seconds"));
  EXPECT_LT(p.file.keys.size(), 5000u);
}

TEST(ParseTest, AFileOfNoVersionInEitherByteOrderShowsTheNumberAsItStands) {
  for (const uint32_t version : {0u, 4u, 0x30000u, 0x4000000u, 0x80000000u}) {
    GgufBuilder b;
    b.header_version = version;
    const Parsed p(b.Build());
    ASSERT_EQ(p.found.kept().size(), 1u) << version;
    EXPECT_EQ(p.found.kept()[0].message, "is " + std::to_string(version) + ", not 1, 2 or 3");
    EXPECT_EQ(p.file.progress, Progress::kMagic);
  }
}

TEST(ParseTest, AnEmptyFileIsReportedAsEmpty) {
  const Parsed p("");
  ASSERT_EQ(p.found.kept().size(), 1u);
  EXPECT_EQ(p.found.kept()[0].rule, &kFileComplete);
  EXPECT_EQ(p.found.kept()[0].message,
            "needs 4 bytes, but the file ends after 0: this is an empty file. The download failed: "
            "fetch the file again.");
}

TEST(ParseTest, AnExcessIsReportedBeforeALimitStops) {
  GgufBuilder b;
  b.tensor_count = 1;
  const std::string table = ByteWriter().String("w").U32(100).Zeros(1000).bytes();
  Limits limits;
  limits.metadata_bytes = 100;
  const Parsed p(b.Build() + table, limits);
  ASSERT_EQ(p.found.kept().size(), 1u);
  EXPECT_EQ(p.found.kept()[0].rule, &kTensorDimensionCount);
  EXPECT_EQ(p.found.kept()[0].message, "is 100, more than 4");
  ASSERT_TRUE(p.file.stop);
  EXPECT_EQ(p.file.stop->kind, Stop::kNotDone);
}

}  // namespace
}  // namespace gguf
