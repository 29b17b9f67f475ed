// Tensor types of other programs.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const FindingsOf kTypes = {{"tensor-type-known", "tensor-layout-of-type"}};

// Two tensors of a type; the data of the second begins at `offset`.
GgufBuilder Two(uint32_t type, uint64_t offset) {
  return PlainFile().Tensor("w", {256, 2}, type, 0).Tensor("v", {8}, 0, offset);
}

TEST(ForeignTypeTest, NamesTheProgram) {
  // IQ4_KS: 4 bytes for each row, and 136 for 256 elements.
  EXPECT_THAT(kTypes.MessagesIn(Two(144, 288)),
              ElementsAre("tensor[w].type is 144, unknown to llama.cpp, but 1 tensor of this type "
                          "has the size of IQ4_KS of ik_llama.cpp: 280 bytes here"));
  EXPECT_THAT(kTypes.MessagesIn(Two(144, 320)),
              ElementsAre(HasSubstr("it could be IQ4_KS of ik_llama.cpp, but the tensor takes up "
                                    "320 bytes, and 280 in this type")));
  EXPECT_THAT(kTypes.MessagesIn(Two(66, 288)),
              ElementsAre(HasSubstr("is 66, a type of Unsloth's fork of llama.cpp")));
  EXPECT_THAT(kTypes.MessagesIn(Two(0x7FFFFFFF, 288)),
              ElementsAre(HasSubstr("does not define; update ggufcheck, or describe the type in "
                                    "[types] of ggufcheck.toml")));
}

TEST(ForeignTypeTest, TheSizeOfAForeignTypeIsChecked) {
  const std::string known = "error tensor-type-known tensor[w].type";
  EXPECT_THAT(Findings(Two(144, 288).Build()),
              ElementsAre("warning tensor-layout-of-type tensor[w].type"));
  EXPECT_THAT(kTypes.In(Two(144, 288), "llama.cpp"),
              ElementsAre("error tensor-layout-of-type tensor[w].type"));
  EXPECT_THAT(Findings(Two(144, 320).Build()),
              ElementsAre(known, "warning tensor-data-contiguous tensor[v].offset"));
  EXPECT_THAT(Findings(Two(144, 256).Build()),
              ElementsAre(known, "error tensor-data-disjoint tensor[v].offset"));
  EXPECT_THAT(Findings(PlainFile().Tensor("w", {128, 4}, 144).Build()),
              ElementsAre("error tensor-row-whole-blocks tensor[w].dims", known));
  EXPECT_THAT(Findings(PlainFile().Tensor("w", {256, uint64_t{1} << 40}, 144).Build()),
              ElementsAre(known, "error tensor-data-in-file tensor[w].offset"));
  EXPECT_THAT(Findings(PlainFile().Tensor("w", {uint64_t{1} << 32, 1 << 30}, 230).Build()),
              ElementsAre(known, "error tensor-data-in-file tensor[w].offset"));
}

TEST(ForeignTypeTest, TheDistanceTellsWhoseTypeAnIdIs) {
  // 512 elements: 16 blocks of 20 bytes (TQ4_1S), or of 16 (TQ3_4S and TQ3_1S).
  EXPECT_THAT(kTypes.MessagesIn(Two(46, 320)),
              ElementsAre("tensor[w].type is 46, unknown to llama.cpp, but 1 tensor of this type "
                          "has the size of TQ4_1S of TurboQuant's fork of llama.cpp: 320 bytes "
                          "here"));
  EXPECT_THAT(kTypes.MessagesIn(Two(46, 256)),
              ElementsAre(HasSubstr("the size of TQ3_4S of llama.cpp-tq3 or TQ3_1S of TurboQuant's "
                                    "fork of llama.cpp: 256 bytes here")));
  // Neither size.
  const std::string which =
      "TQ4_1S of TurboQuant's fork of llama.cpp or TQ3_4S of llama.cpp-tq3 or TQ3_1S of "
      "TurboQuant's fork of llama.cpp, of different sizes, and the distances between the tensors "
      "do not tell which";
  EXPECT_THAT(kTypes.MessagesIn(Two(46, 288)), ElementsAre(HasSubstr(which)));
  // Both sizes, padded to 64 bytes.
  const GgufBuilder both = PlainFile().Tensor("w", {96}, 46, 0).Tensor("v", {8}, 0, 64);
  EXPECT_THAT(kTypes.MessagesIn(both), ElementsAre(HasSubstr(which)));
  EXPECT_THAT(kTypes.In(both), ElementsAre("error tensor-type-known tensor[w].type"));
}

TEST(ForeignTypeTest, SizesOfBitnetCpp) {
  GgufBuilder two = Two(36, 160);
  two.data_bytes = 160 + 32;
  EXPECT_THAT(Findings(two.Build()), ElementsAre("warning tensor-layout-of-type tensor[w].type"));
  EXPECT_THAT(
      kTypes.MessagesIn(Two(36, 160)),
      ElementsAre("tensor[w].type is 36, IQ4_NL_4_4 in llama.cpp, but 1 tensor of this type "
                  "has the size of I2_S of bitnet.cpp: 160 bytes here"));
  EXPECT_THAT(Findings(Two(36, 192).Build()),
              ElementsAre("error tensor-type-not-removed tensor[w].type",
                          "error tensor-data-disjoint tensor[v].offset"));
  // MXFP4 of llama.cpp, and TL2.
  EXPECT_THAT(kTypes.In(Two(39, 288)), IsEmpty());
  // One tensor may be damaged; two have the other type.
  EXPECT_THAT(kTypes.In(Two(39, 160)), IsEmpty());
  EXPECT_THAT(kTypes.In(PlainFile()
                            .Tensor("w", {256, 2}, 39, 0)
                            .Tensor("v", {256, 2}, 39, 160)
                            .Tensor("end", {8}, 0, 320)),
              ElementsAre("warning tensor-layout-of-type tensor[w].type"));
}

// A block of 32 elements in 20 bytes; an expression; the id of a foreign type.
Limits WithOwnTypes() {
  auto own = std::make_shared<OwnTypes>();
  own->by_id = {{144, {144, "MINE", "", {256, 144}, ""}},
                {4711, {4711, "Q9_X", "", {32, 20}, ""}},
                {4712, {4712, "TREE", "", {1, 0}, "elements * 20 / 32 + 64"}}};
  Limits limits;
  limits.own_types = std::move(own);
  return limits;
}

TEST(OwnTypeTest, TheSizeOfAnOwnTypeIsChecked) {
  const auto found = [](const GgufBuilder& file) {
    return Findings(file.Build(), "upload", WithOwnTypes());
  };
  for (const auto& [type, bytes] : {std::pair(144, 288), {4711, 320}, {4712, 384}}) {
    EXPECT_THAT(found(Two(type, bytes)), IsEmpty());
    EXPECT_THAT(found(Two(type, bytes + 32)),
                ElementsAre("warning tensor-data-contiguous tensor[v].offset"));
    EXPECT_THAT(found(Two(type, bytes - 32)),
                ElementsAre("error tensor-data-disjoint tensor[v].offset"));
    EXPECT_THAT(found(PlainFile().Tensor("w", {256, uint64_t{1} << 40}, type)),
                ElementsAre("error tensor-data-in-file tensor[w].offset"));
  }
  GgufBuilder beyond = Two(4712, 384);
  beyond.data_bytes = 384 + 32 + 32;
  EXPECT_THAT(found(beyond), ElementsAre("warning no-trailing-data file"));
  EXPECT_THAT(found(PlainFile().Tensor("w", {31}, 4711)),
              ElementsAre("error tensor-row-whole-blocks tensor[w].dims"));
  EXPECT_THAT(found(PlainFile().Tensor("w", {uint64_t{1} << 62}, 4712)),
              ElementsAre("error tensor-bytes-representable tensor[w].dims"));
}

TEST(OwnTypeTest, TheWeightsOfAnOwnTypeAreNotChecked) {
  CheckOptions options;
  options.limits = WithOwnTypes();
  options.stats = true;
  const FileReport report =
      Validate(AsBytes(Two(4711, 320).Build()), *Profile::Find("upload"), options);
  EXPECT_EQ(report.stats.size(), 1u);  // Those of v.
  int unread = 0;
  for (const auto& [rule, why, meaning] : report.not_checked) {
    if (!absl::StartsWith(rule->id, "weights-")) continue;
    EXPECT_EQ(why.view(), "a tensor is misplaced or has no supported type; its data was not read");
    ++unread;
  }
  EXPECT_GT(unread, 0);
}

TEST(ForeignTypeTest, TellsLayoutsOfOneNumberApart) {
  const auto two = [](uint64_t offset) {
    return PlainFile()
        .Tensor("w", {128, 16}, 42, 0)
        .Tensor("v", {128, 16}, 42, offset)
        .Tensor("end", {8}, 0, 2 * offset);
  };
  EXPECT_THAT(kTypes.In(two(576)), IsEmpty());
  EXPECT_THAT(
      kTypes.MessagesIn(two(544)),
      ElementsAre(
          "tensor[w].type is 42, Q2_0 in llama.cpp, but 2 tensors of this type have the "
          "size of PQ2_0 of PrismML's fork of llama.cpp or TL2 of bitnet.cpp: 544 bytes here"));
  EXPECT_THAT(kTypes.In(two(480)), IsEmpty());  // That of neither.
}

TEST(ForeignTypeTest, NoIdIsThatOfTheSameLayoutInLlamaCpp) {
  for (const SizedType& foreign : ForeignTypes()) {
    const TensorTypeInfo* type = FindTensorType(foreign.id);
    if (type == nullptr || !foreign.size.empty()) continue;
    EXPECT_NE(type->block_bytes * foreign.blocks.elements,
              foreign.blocks.bytes * type->block_elements)
        << foreign.id;
  }
}

}  // namespace
}  // namespace gguf
