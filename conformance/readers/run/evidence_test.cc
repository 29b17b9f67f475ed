// Commands, and the bytes that evidence marks.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/readers/run/runner.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/testing/temp_corpus.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

TEST(RunCommandTest, NamesNoPathOfThisMachine) {
  corpus::Case a_case;
  a_case.id = "header/invalid-x";
  Reader reader;
  reader.command = {"/opt/bin/my reader", "--fast", "{path}"};
  reader.sanitizer = "asan";
  reader.reject_exit = {2, 3};
  EXPECT_EQ(RunCommand(reader, "", a_case),
            "ggufcheck readers run --cmd ''\\''/path/to/my reader'\\'' --fast {path}' --sanitizer "
            "asan --reject-exit 2,3 header/invalid-x");
  reader.name = "mine";
  reader.listed = true;
  EXPECT_EQ(RunCommand(reader, "/home/me/cases", a_case),
            "ggufcheck readers run --reader mine --cases /path/to/cases header/invalid-x");
}

class EvidenceTest : public testing::Test {
 protected:
  EvidenceTest() {
    corpus_.AddCase("t/valid-base",
                    "title \"b\"\ngguf 3\nkv \"a\" u32 7\n"
                    "tensor \"w\" F32 [1] data { f32 1 }\n"
                    "=== expect\nupload none\n");
    corpus_.AddCase("t/valid-changed",
                    "title \"c\"\nwhy \"it matters\"\n"
                    "base \"t/valid-base\"\nedit kv \"a\" value u32 8\n"
                    "=== expect\nupload none\n");
    corpus_.AddCase("t/invalid-end",
                    "title \"e\"\nbase \"t/valid-base\"\ncut -1\n"
                    "=== expect\nupload 0x60+0 error file-complete\n");
  }

  // Returns the only mark of a case, as "offset+length rule".
  std::string MarkOf(const char* id, Difference difference) {
    const corpus::Case a_case = corpus::LoadCase(corpus_.cases(), id).value();
    record_ = CaseRecord();
    record_.difference = std::move(difference);
    AddEvidence(a_case, corpus_.cases(), "text", corpus::Assemble(a_case.document).value(), "repro",
                &record_);
    std::string marks;
    for (const Mark& mark : record_.marks) {
      absl::StrAppend(&marks, mark.offset, "+", mark.length, " ", mark.rule);
    }
    return marks;
  }

  corpus::TempCorpus corpus_;
  CaseRecord record_;
};

TEST_F(EvidenceTest, MisreadEntriesAreMarked) {
  EXPECT_EQ(MarkOf("t/valid-changed", {"kv[a]", "8", "7", "L2", "a"}), "24+17 kv[a]");
  EXPECT_EQ(record_.why, "it matters");
  EXPECT_EQ(record_.hex.substr(0, 8), "47475546");
  EXPECT_EQ(MarkOf("t/valid-changed", {"tensor[w].dims", "", "", "L3", "w"}),
            "41+33 tensor[w].dims");
  EXPECT_EQ(MarkOf("t/valid-changed", {"tensor[w].data", "", "", "L4", "w"}),
            "96+4 tensor[w].data");
}

TEST_F(EvidenceTest, FindingsAndChangesAreMarked) {
  EXPECT_EQ(MarkOf("t/invalid-end", {"verdict", "reject", "accept", "L1", ""}),
            "96+0 file-complete");
  EXPECT_EQ(MarkOf("t/valid-changed", {"verdict", "accept", "reject", "L1", ""}),
            "37+1 differs from t/valid-base");
  EXPECT_EQ(MarkOf("t/valid-base", {"verdict", "accept", "reject", "L1", ""}), "");
}

}  // namespace
}  // namespace gguf::readers
