// Tests the effect of each operator of the mutator.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/tables/find_standard_key.h"
#include "fuzz/kit/gguf_mutator.h"
#include "fuzz/kit/mutator_inputs.h"
#include "fuzz/kit/rules_broken.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/file.h"
#include "parser/tensor_type.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::AnyOf;
using testing::Each;

// Empty if the operator finds nothing to change.
std::string Changed(size_t op, std::string file, uint32_t seed, size_t max_size = kMostBytes) {
  const size_t size = file.size();
  file.resize(std::max(size, max_size));
  auto* const data = reinterpret_cast<uint8_t*>(&file[0]);
  file.resize(gguf_apply_operator(op, data, size, file.size(), seed));
  return file;
}

size_t OperatorNamed(const std::string& name) {
  for (size_t op = 0; op < gguf_operator_count(); ++op) {
    if (gguf_operator_name(op) == name) return op;
  }
  ADD_FAILURE() << "unknown operator " << name;
  return 0;
}

// A file with an architecture and nothing else.
std::string FileOf(uint32_t version, bool big = false) {
  return GgufBuilder(version, big).String("general.architecture", "test").Build();
}

TEST(OperatorTest, NamesAreDifferent) {
  std::set<std::string> names;
  for (size_t op = 0; op < gguf_operator_count(); ++op) {
    EXPECT_TRUE(names.insert(gguf_operator_name(op)).second);
  }
}

TEST(OperatorTest, EachChangesSomeFile) {
  for (size_t op = 0; op < gguf_operator_count(); ++op) {
    size_t changed = 0;
    uint32_t seed = 0;
    for (const auto& [id, file] : Corpus()) {
      const std::string other = Changed(op, file, ++seed);
      if (other.empty()) continue;
      EXPECT_NE(other, file) << gguf_operator_name(op) << " of " << id;
      ++changed;
    }
    EXPECT_GT(changed, 0u) << gguf_operator_name(op);
  }
}

TEST(OperatorTest, EachIsChosen) {
  std::set<std::string> chosen;
  uint32_t seed = 0;
  for (const auto& [id, file] : Corpus()) {
    char names[256];
    gguf_explain(Data(file), file.size(), kMostBytes, ++seed, names, sizeof names);
    for (const absl::string_view name : absl::StrSplit(names, ' ', absl::SkipEmpty())) {
      chosen.emplace(name);
    }
  }
  // Few files have no header.
  chosen.insert("header-renew");
  EXPECT_EQ(chosen.size(), gguf_operator_count());
}

TEST(OperatorTest, WellKnownKeysAreWellKnown) {
  const size_t op = OperatorNamed("key-well-known");
  std::set<std::string> keys;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const std::string file = Changed(op, FileOf(3), seed);
    for (const KeyValue& kv : Parsed(file).keys) {
      keys.emplace(kv.key.value);
    }
  }
  EXPECT_GT(keys.size(), 30u);
  for (const std::string& key : keys) {
    EXPECT_NE(FindStandardKey(key, "llama"), nullptr) << key;
  }
}

// Tests the kit's table of tensor types through the effects of the operators.
TEST(OperatorTest, TensorsOfAllLivingTypesAreMadeAndFitTheirBlocks) {
  const size_t op = OperatorNamed("tensor-add");
  std::set<uint32_t> made, alive;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const std::string file = Changed(op, FileOf(3), seed);
    if (file.empty()) continue;
    EXPECT_THAT(RulesBroken(AsBytes(file)),
                Each(AnyOf("tensor-type-in-spec", "weights-not-constant", "weights-type-checked")))
        << "seed " << seed;
    made.insert(Parsed(file).tensors.at(0).type.value);
  }
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (type.removed == nullptr) alive.insert(type.id);
  }
  EXPECT_EQ(made, alive);
}

TEST(OperatorTest, NonFiniteWeightsAreMadeInAllTypesThatHaveThem) {
  const size_t op = OperatorNamed("weights-non-finite");
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (type.removed != nullptr) continue;
    for (const bool big : {false, true}) {
      GgufBuilder b(3, big);
      b.String("general.architecture", "test");
      b.Tensor("w", {type.block_elements * 3}, type.id);
      const std::string file = b.Build();
      for (uint32_t seed = 0; seed < 20; ++seed) {
        const std::string changed = Changed(op, file, seed);
        const bool is_integer = changed.empty();
        EXPECT_EQ(is_integer, type.name[0] == 'I' && type.name[1] != 'Q');
        if (is_integer) continue;
        const std::set<std::string> broken = RulesBroken(AsBytes(changed));
        EXPECT_TRUE(broken.count("weights-scale-finite") != 0 ||
                    broken.count("weights-nvfp4-scale-number") != 0 ||
                    broken.count("weights-finite") != 0)
            << type.name << ", seed " << seed;
      }
    }
  }
}

// All layouts of the rich file are reached from one, exactly.
TEST(OperatorTest, LayoutsAreConvertedWithoutLoss) {
  std::set<std::string> expected, reached;
  for (const uint32_t version : {1, 2, 3}) {
    for (const bool big : {false, true}) {
      expected.insert(RichFile(version, big));
    }
  }
  std::string file = RichFile(3, false);
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const size_t op = OperatorNamed(seed % 2 == 0 ? "endian-flip" : "version-convert");
    const std::string changed = Changed(op, file, seed);
    if (expected.count(changed) == 0) continue;
    reached.insert(changed);
    file = changed;
  }
  EXPECT_EQ(reached.size(), expected.size());
}

}  // namespace
}  // namespace gguf
