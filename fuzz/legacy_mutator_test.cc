// Tests that mutants of legacy files are different, and readable as far as the
// mutation allows.
//
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/legacy_mutator.h"

#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "fuzz/kit/corpus_files.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"

namespace gguf {
namespace {

TEST(LegacyMutatorTest, MutantsKeepTheLayout) {
  constexpr uint32_t kMutants = 40;
  const auto cases = CorpusFiles("corpus/cases", 4096);
  ASSERT_TRUE(cases.ok()) << cases.status();
  int files = 0, whole = 0, mutants = 0;
  for (const auto& [id, bytes] : *cases) {
    if (!absl::StartsWith(id, "legacy/valid-")) continue;
    std::set<std::string> different;
    for (uint32_t seed = 0; seed < kMutants; ++seed) {
      const std::string mutant = MutateLegacy(bytes, seed);
      EXPECT_EQ(mutant, MutateLegacy(bytes, seed));
      different.insert(mutant);
      Diagnostics unused(0);
      const File file = Parse(AsBytes(mutant), Limits(), &unused);
      whole += file.legacy && !file.stop;
      ++mutants;
    }
    // A file without tensors has little to change.
    EXPECT_GT(different.size(), kMutants / 4) << id;
    ++files;
  }
  EXPECT_GT(files, 10);
  EXPECT_GT(whole, mutants / 10);
  EXPECT_LT(whole, mutants * 9 / 10);
}

TEST(LegacyMutatorTest, OtherFilesStayAsTheyAre) {
  for (const char* file : {"", "GGUF", "no model", "tjgg"}) {
    EXPECT_EQ(MutateLegacy(file, 1), file);
  }
}

}  // namespace
}  // namespace gguf
