// Tests the guarantees of the mutator, over the corpus and random bytes: it
// loses nothing, is deterministic and respects the size limit.
//
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/kit/gguf_mutator.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fuzz/kit/corpus_files.h"
#include "fuzz/kit/mutator_inputs.h"
#include "gtest/gtest.h"
#include "parser/file.h"

namespace gguf {
namespace {

std::string RandomBytes(std::mt19937& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string Rewritten(const std::string& file) {
  std::string out(file.size(), '\0');
  out.resize(gguf_rewrite(Data(file), file.size(), reinterpret_cast<uint8_t*>(&out[0])));
  return out;
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
    // Small numbers let the reader continue.
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
  const std::string file = SmallValidFile();
  std::set<std::string> mutants;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const std::string mutant = Mutant(file, seed);
    EXPECT_EQ(mutant, Mutant(file, seed));
    EXPECT_NE(mutant, file);
    mutants.insert(mutant);
  }
  EXPECT_GT(mutants.size(), 600u);
}

// Fails if an operator changes, because then a seed no longer reproduces a
// crash.
TEST(MutateTest, MutantsAreTheSameOnEveryMachine) {
  const std::string file("GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
  uint64_t hash = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    for (const char byte : Mutant(file, seed)) {
      hash = hash * 31 + static_cast<uint8_t>(byte);
    }
  }
  EXPECT_EQ(hash, 14908402247812669136u);
}

TEST(MutateTest, NoMutantExceedsTheMaximum) {
  uint32_t seed = 0;
  for (const auto& [id, file] : Corpus()) {
    for (const size_t more : {0, 1, 40}) {
      const size_t max_size = file.size() + more;
      std::string buffer = file;
      buffer.resize(max_size);
      // The sanitizer detects writes past the end.
      std::vector<uint8_t> data(buffer.begin(), buffer.end());
      const size_t size = gguf_mutate(data.data(), file.size(), max_size, ++seed);
      EXPECT_LE(size, max_size) << id << ", seed " << seed;
      EXPECT_EQ(size > 0, max_size > 0) << id << ", seed " << seed;
    }
  }
}

TEST(MutateTest, OversizedFilesAreCut) {
  std::string file = SmallValidFile();
  auto* const data = reinterpret_cast<uint8_t*>(&file[0]);
  for (uint32_t seed = 0; seed < 100; ++seed) {
    EXPECT_LE(gguf_mutate(data, file.size(), 10, seed), 10u);
  }
}

TEST(MutateTest, EmptyInputBecomesAFile) {
  size_t files = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    files += Mutant("", seed).rfind("GGUF", 0) == 0;
  }
  EXPECT_GT(files, 500u);
}

TEST(CrossOverTest, MixesTheKeysAndTheTensorsOfTwoFiles) {
  const std::string a = RichFile(3, false), b = RichFile(1, true);
  size_t accepted = 0, with_more = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::vector<uint8_t> out(kMostBytes);
    const size_t size =
        gguf_cross_over(Data(a), a.size(), Data(b), b.size(), out.data(), out.size(), seed);
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
      return gguf_cross_over(Data(a), a.size(), Data(b), b.size(), to.data(), to.size(), seed);
    };
    ASSERT_LE(cross(out), max_size);
    cross(again);
    ASSERT_EQ(out, again);
  }
}

}  // namespace
}  // namespace gguf
