// What users of the mutator rely on, over the corpus and random bytes.
//
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/kit/gguf_mutator.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/tables/standard_keys.h"
#include "fuzz/kit/corpus_files.h"
#include "fuzz/kit/rules_broken.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/bytes.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/limits.h"
#include "parser/parse.h"
#include "parser/tensor_type.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::IsEmpty;

constexpr size_t kMostBytes = 4096;  // Of a mutant: libFuzzer's default.

const uint8_t* Data(const std::string& bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

std::string Mutant(std::string file, uint32_t seed,
                   size_t max_size = kMostBytes) {
  const size_t size = file.size();
  file.resize(std::max(size, max_size));
  auto* const data = reinterpret_cast<uint8_t*>(&file[0]);
  file.resize(gguf_mutate(data, size, file.size(), seed));
  return file;
}

// Empty when the operator finds nothing to change.
std::string Changed(size_t op, std::string file, uint32_t seed,
                    size_t max_size = kMostBytes) {
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
  ADD_FAILURE() << "there is no operator " << name;
  return 0;
}

// The cases of the corpus that are no larger than a mutant.
const std::map<std::string, std::string>& Corpus() {
  static const auto& files = *new std::map<std::string, std::string>(
      CorpusFiles("corpus/cases", kMostBytes).value());
  return files;
}

std::vector<std::string> ValidFiles() {
  std::vector<std::string> valid;
  for (const auto& [id, file] : Corpus()) {
    if (id.find("/valid-") != std::string::npos) valid.push_back(file);
  }
  return valid;
}

std::string SmallestValidFile() {
  const std::vector<std::string> valid = ValidFiles();
  return *std::min_element(valid.begin(), valid.end(),
                           [](const std::string& a, const std::string& b) {
                             return a.size() < b.size();
                           });
}

std::string RandomBytes(std::mt19937& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string Rewritten(const std::string& file) {
  std::string out(file.size(), '\0');
  out.resize(gguf_rewrite(Data(file), file.size(),
                          reinterpret_cast<uint8_t*>(&out[0])));
  return out;
}

// Views the bytes.
File Parsed(const std::string& bytes) {
  const Limits limits;
  Diagnostics found(limits.findings_per_rule);
  return Parse(AsBytes(bytes), "", limits, &found);
}

// With an architecture and nothing else.
std::string FileOf(uint32_t version, bool big = false) {
  return GgufBuilder(version, big)
      .String("general.architecture", "test")
      .Build();
}

TEST(ModelTest, EveryCaseIsWrittenAsItWasRead) {
  const auto files = CorpusFiles("corpus/cases", 1 << 20).value();
  ASSERT_GT(files.size(), 1000u);
  for (const auto& [id, file] : files) {
    EXPECT_TRUE(Rewritten(file) == file) << id;
  }
}

TEST(ModelTest, EveryBeginningOfACaseIsWrittenAsItWasRead) {
  for (const std::string& file : ValidFiles()) {
    for (size_t size = 0; size < std::min<size_t>(file.size(), 512); ++size) {
      const std::string cut = file.substr(0, size);
      ASSERT_TRUE(Rewritten(cut) == cut) << size;
    }
  }
}

TEST(ModelTest, RandomBytesAreWrittenAsTheyWereRead) {
  std::mt19937 random(1);
  const std::string header("GGUF\3\0\0\0", 8);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = RandomBytes(random, random() % 300);
    // Small numbers are read further.
    for (char& byte : bytes) byte = random() % 4 == 0 ? byte : byte & 3;
    ASSERT_TRUE(Rewritten(bytes) == bytes) << i;
    ASSERT_TRUE(Rewritten(header + bytes) == header + bytes) << i;
  }
}

TEST(ModelTest, MutantsAreWrittenAsTheyWereRead) {
  uint32_t seed = 0;
  for (const auto& [id, file] : Corpus()) {
    for (int i = 0; i < 20; ++i) {
      const std::string mutant = Mutant(file, ++seed);
      ASSERT_TRUE(Rewritten(mutant) == mutant) << id << ", seed " << seed;
    }
  }
}

TEST(MutateTest, TheSameSeedGivesTheSameMutantAndAnotherAnother) {
  const std::string file = SmallestValidFile();
  std::set<std::string> mutants;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const std::string mutant = Mutant(file, seed);
    EXPECT_EQ(mutant, Mutant(file, seed));
    EXPECT_NE(mutant, file);
    mutants.insert(mutant);
  }
  EXPECT_GT(mutants.size(), 600u);
}

// As long as nobody changes an operator: a crash can be made again by its seed.
TEST(MutateTest, MutantsAreTheSameOnEveryMachine) {
  const std::string file("GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
  uint64_t hash = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    for (const char byte : Mutant(file, seed)) {
      hash = hash * 31 + static_cast<uint8_t>(byte);
    }
  }
  EXPECT_EQ(hash, 13540837332906149704u);
}

TEST(MutateTest, NoMutantIsLargerThanItMayBe) {
  uint32_t seed = 0;
  for (const auto& [id, file] : Corpus()) {
    for (const size_t more : {0, 1, 40}) {
      const size_t max_size = file.size() + more;
      std::string buffer = file;
      buffer.resize(max_size);
      // The sanitizer sees what is written behind it.
      std::vector<uint8_t> data(buffer.begin(), buffer.end());
      const size_t size =
          gguf_mutate(data.data(), file.size(), max_size, ++seed);
      EXPECT_LE(size, max_size) << id << ", seed " << seed;
      EXPECT_EQ(size > 0, max_size > 0) << id << ", seed " << seed;
    }
  }
}

TEST(MutateTest, WhatIsLargerThanItMayBeIsCut) {
  std::string file = SmallestValidFile();
  auto* const data = reinterpret_cast<uint8_t*>(&file[0]);
  for (uint32_t seed = 0; seed < 100; ++seed) {
    EXPECT_LE(gguf_mutate(data, file.size(), 10, seed), 10u);
  }
}

TEST(MutateTest, NothingAtAllBecomesAFile) {
  size_t files = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    files += Mutant("", seed).rfind("GGUF", 0) == 0;
  }
  EXPECT_GT(files, 500u);
}

// Magic, version and counts are there, and the counts are possible.
bool HasReadableHeader(const std::string& file) {
  const std::set<std::string> broken = RulesBroken(AsBytes(file));
  for (const char* rule :
       {"header-magic", "header-version-known", "header-counts-fit"}) {
    if (broken.count(rule) != 0) return false;
  }
  return file.size() >= 24;
}

TEST(MutateTest, MostMutantsOfValidFilesHaveAReadableHeader) {
  size_t mutants = 0, readable = 0;
  uint32_t seed = 0;
  for (const std::string& file : ValidFiles()) {
    for (int i = 0; i < 20; ++i) {
      readable += HasReadableHeader(Mutant(file, ++seed));
      ++mutants;
    }
  }
  EXPECT_GE(readable, mutants * 60 / 100);
  std::printf("%zu of %zu headers are readable\n", readable, mutants);
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
    gguf_explain(Data(file), file.size(), kMostBytes, ++seed, names,
                 sizeof names);
    for (const absl::string_view name :
         absl::StrSplit(names, ' ', absl::SkipEmpty())) {
      chosen.emplace(name);
    }
  }
  // Of files without a header there are few.
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

// The kit's table of tensor types, by what the operators make of it.
TEST(OperatorTest, TensorsOfAllLivingTypesAreMadeAndFitTheirBlocks) {
  const size_t op = OperatorNamed("tensor-add");
  std::set<uint32_t> made, alive;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const std::string file = Changed(op, FileOf(3), seed);
    if (file.empty()) continue;
    EXPECT_THAT(RulesBroken(AsBytes(file)),
                Each(AnyOf("tensor-type-in-spec", "weights-not-constant")))
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
                    broken.count("weights-finite") != 0)
            << type.name << ", seed " << seed;
      }
    }
  }
}

// A file with every kind of value, in one layout.
std::string RichFile(uint32_t version, bool big) {
  GgufBuilder b(version, big);
  b.String("general.architecture", "test").U32("k.u32", 0x01020304);
  b.Key("k.f32", 6, b.New().U32(0x3F800000)).Key("k.bool", 7, b.New().U8(1));
  b.Key("k.u16s", 9, b.New().U32(2).Length(2).U16(1).U16(0x0203));
  b.Key("k.strings", 9, b.New().U32(8).Length(2).String("a").String("bc"));
  b.Key("k.nest", 9, b.New().U32(9).Length(1).U32(4).Length(1).U32(7));
  b.Tensor("w", {32, 2}, 8).Tensor("v", {3}, 24);
  return b.Build();
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
    const size_t op =
        OperatorNamed(seed % 2 == 0 ? "endian-flip" : "version-convert");
    const std::string changed = Changed(op, file, seed);
    if (expected.count(changed) == 0) continue;
    reached.insert(changed);
    file = changed;
  }
  EXPECT_EQ(reached.size(), expected.size());
}

TEST(CrossOverTest, MixesTheKeysAndTheTensorsOfTwoFiles) {
  const std::string a = RichFile(3, false), b = RichFile(1, true);
  size_t accepted = 0, with_more = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::vector<uint8_t> out(kMostBytes);
    const size_t size = gguf_cross_over(Data(a), a.size(), Data(b), b.size(),
                                        out.data(), out.size(), seed);
    const std::string mixed(out.begin(), out.begin() + size);
    const File file = Parsed(mixed);
    accepted += file.progress == Progress::kTensors;
    with_more += file.tensors.size() > 2;
  }
  EXPECT_GT(accepted, 300u);
  EXPECT_GT(with_more, 200u);
}

TEST(CrossOverTest, IsDeterministicAndNeverTooLarge) {
  const std::vector<std::string> files = ValidFiles();
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const std::string& a = files[seed % files.size()];
    const std::string& b = files[seed * 7 % files.size()];
    const size_t max_size = seed % (a.size() + 100);
    std::vector<uint8_t> out(max_size), again(max_size);
    const auto cross = [&](std::vector<uint8_t>& to) {
      return gguf_cross_over(Data(a), a.size(), Data(b), b.size(), to.data(),
                             to.size(), seed);
    };
    ASSERT_LE(cross(out), max_size);
    cross(again);
    ASSERT_EQ(out, again);
  }
}

// Mutants of mutants of the smallest valid file, eight deep.
TEST(ReachTest, MutationsAloneBreakEveryRuleOfTheContainer) {
  constexpr uint32_t kBudget = 30000;
  constexpr size_t kRoom = 70000;  // The longest key has 65535 bytes.
  std::set<std::string> unbroken = BreakableRules();
  ASSERT_GT(unbroken.size(), 40u);
  const std::string smallest = SmallestValidFile();
  std::string file;
  uint32_t seed = 0;
  for (; seed < kBudget && !unbroken.empty(); ++seed) {
    file = Mutant(seed % 8 == 0 ? smallest : file, seed, kRoom);
    for (const std::string& rule : RulesBroken(AsBytes(file))) {
      unbroken.erase(rule);
    }
  }
  EXPECT_THAT(unbroken, IsEmpty());
  std::printf("%u mutants break all rules\n", seed);
}

}  // namespace
}  // namespace gguf
