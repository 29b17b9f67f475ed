// Checks how the messages of all findings in the corpus are written, and that what the rules say
// to do about a finding makes a sound file.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/catalogue.h"
#include "conformance/testing/message_style.h"
#include "corpus/language/case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using corpus::Case;

Diagnostic Saying(const std::string& message) {
  Diagnostic diagnostic;
  diagnostic.rule = FindRule("key-known");
  diagnostic.message = message;
  return diagnostic;
}

TEST(MessagesTest, FaultsAreSeen) {
  for (const char* message : {"missing key \"a.b\" (u32)", "1 of them", "\"a\" and so on"}) {
    EXPECT_EQ(StyleFault(Saying(message)), "no verb") << message;
  }
  for (const char* message : {"is 42", "is \"a, b\"", "are [8, 0]", "is 32 (BF16)", "is arr",
                              "is \"xx\" (the first of 2)"}) {
    EXPECT_EQ(StyleFault(Saying(message)), "only a value") << message;
  }
  EXPECT_EQ(StyleFault(Saying("has 1 weights that are NaN")), "1 weights");
  EXPECT_EQ(StyleFault(Saying("is 2, but there are 1 blocks")), "1 blocks");
  EXPECT_EQ(StyleFault(Saying("are [64, 32], but [n_embd, n_embd_k_gqa] is [64, 64]")),
            "a name of the source code, n_embd");
  for (const char* message :
       {"is empty", "is missing", "\"a.b\" is not ASCII", "is 42, not 2", "is 11 blocks too many",
        "is 8, not llama.expert_count", "is \"1 blocks, n_embd\", which is text"}) {
    EXPECT_EQ(StyleFault(Saying(message)), "") << message;
  }
}

TEST(MessagesTest, OfAllCasesAreSentences) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
  for (const std::string& id : ids) {
    const Case a_case = corpus::ReadCase(id, load(id).value(), load).value();
    const CaseFiles files = CaseFiles::Make(a_case, load).value();
    const FileReport report = CheckCase(a_case, files, "pedantic");
    for (const Finding& finding : report.findings) {
      const Diagnostic& d = finding.diagnostic;
      EXPECT_EQ(StyleFault(d), "")
          << id << ": " << d.rule->id << ": " << d.subject << " " << d.message;
    }
  }
}

// What a rule says to do, and how this changes a case that has a finding of the rule.
struct Repair {
  const char* rule;
  const char* id;
  const char* says;  // A part of Rule::repair, or of the message if it begins with "...".
  const char* edit;  // Statements, and lines of the front matter.
};

constexpr Repair kRepairs[] = {
    {"model-tensor-shapes", "model/invalid-shape-embedding-length", "Correct the hyperparameter",
     "edit kv \"gpt2.embedding_length\" value u32 8"},
    {"control-tokens-typed", "tokenizer/either-eos-token-normal", "write 3 as its type",
     "edit kv \"tokenizer.ggml.token_type\" value arr i32 [1 1 3 repeat 8 1 3]"},
    {"end-tokens-end-text", "tokenizer/either-eos-byte-token", "Write the id of the original",
     "edit kv \"tokenizer.ggml.eos_token_id\" value u32 2"},
    {"end-tokens-end-text", "tokenizer/either-eos-byte-token", "...; \"</s>\" is token 2",
     "edit kv \"tokenizer.ggml.eos_token_id\" value u32 2"},
    {"pre-tokenizer-present", "tokenizer/either-pre-missing", "the original model's pre-tokenizer",
     "kv \"tokenizer.ggml.pre\" str \"gpt-2\""},
    {"pre-tokenizer-present", "tokenizer/either-pre-empty", "the original model's pre-tokenizer",
     "edit kv \"tokenizer.ggml.pre\" value str \"gpt-2\""},
    {"architecture-present", "model/invalid-architecture-empty", "add the key",
     "edit kv \"general.architecture\" value str \"llama\""},
    {"quantization-version-present", "model/either-quantization-version-absent",
     "general.quantization_version as a u32 with the value 2",
     "kv \"general.quantization_version\" u32 2"},
    {"language-iso-639", "model/valid-language-code-that-was-withdrawn",
     "Write the code of the language", "edit kv \"general.languages\" value arr str [\"he\"]"},
    {"language-iso-639", "model/valid-language-code-that-was-withdrawn", "... is \"he\"",
     "edit kv \"general.languages\" value arr str [\"he\"]"},
    {"url-format", "model/valid-url-without-scheme", "Write the whole URL",
     "edit kv \"general.url\" value str \"https://example.org/tiny\""},
    {"file-type-known", "model/either-file-type-guessed", "the type that most tensors have",
     "edit kv \"general.file_type\" value u32 0"},
    {"file-type-matches-tensors", "model/valid-file-type-f16-of-f32",
     "the type that most tensors have", "edit kv \"general.file_type\" value u32 0"},
    {"file-type-matches-tensors", "model/valid-file-type-f16-of-f32", "leave the key out",
     "remove kv \"general.file_type\""},
    {"shard-set-complete", "shards/invalid-second-missing", "Fetch the missing files",
     "set \"shards/valid-second\" \"shards/valid-third\""},
    {"shard-set-number", "shards/invalid-copy-of-second",
     "of two with the same number, one is a copy, and the missing shard must be fetched",
     "file_name \"Tiny-1K-v1.0-F32-00002-of-00003.gguf\"\n"
     "set \"shards/valid-first\" \"shards/valid-third\""},
    {"shard-set-number", "shards/invalid-copy-of-second",
     "...; rename it to \"Tiny-1K-v1.0-F32-00002-of-00003.gguf\"",
     "file_name \"Tiny-1K-v1.0-F32-00002-of-00003.gguf\"\n"
     "set \"shards/valid-first\" \"shards/valid-third\""},
    {"rope-scaling-type-known", "model/invalid-rope-scaling-type-upper-case",
     "Write the type of the original model's configuration",
     "edit kv \"llama.rope.scaling.type\" value str \"yarn\""},
    {"rope-scaling-type-known", "model/invalid-rope-scaling-type-upper-case",
     "...; did you mean yarn?", "edit kv \"llama.rope.scaling.type\" value str \"yarn\""},
    {"tokenizer-model-known", "tokenizer/either-model-upper-case", "Correct the spelling",
     "edit kv \"tokenizer.ggml.model\" value str \"gpt2\""},
    {"tokenizer-model-known", "tokenizer/either-model-upper-case", "...; did you mean gpt2?",
     "edit kv \"tokenizer.ggml.model\" value str \"gpt2\""},
};

// Returns the text of the case with these lines.
std::string WithLines(std::string text, const std::string& lines) {
  for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
    const std::string word = absl::StrCat("\n", line.substr(0, line.find(' ')), " ");
    const bool is_front_matter = word == "\nset " || word == "\nfile_name ";
    const size_t begin = text.find(is_front_matter ? word : "\n=== expect");
    const size_t end = is_front_matter ? text.find('\n', begin + 1) : begin;
    text.replace(begin, end - begin, absl::StrCat("\n", line));
  }
  return text;
}

std::vector<Finding> FindingsIn(const std::string& id, const std::string& text) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const Case a_case = corpus::ReadCase(id, text, load).value();
  return CheckCase(a_case, CaseFiles::Make(a_case, load).value(), "pedantic").findings;
}

std::set<std::string> RulesOf(const std::vector<Finding>& findings) {
  std::set<std::string> rules;
  for (const Finding& finding : findings) rules.insert(finding.diagnostic.rule->id);
  return rules;
}

TEST(RepairsTest, MakeSoundFiles) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  for (const Repair& row : kRepairs) {
    SCOPED_TRACE(absl::StrCat(row.rule, " in ", row.id, ": ", row.says));
    const std::string text = load(row.id).value();
    const std::vector<Finding> before = FindingsIn(row.id, text);
    const auto is_of_rule = [&](const Finding& finding) {
      return finding.diagnostic.rule->id == absl::string_view(row.rule);
    };
    const auto found = std::find_if(before.begin(), before.end(), is_of_rule);
    ASSERT_NE(found, before.end());
    absl::string_view says = row.says;
    const bool is_message = absl::ConsumePrefix(&says, "...");
    EXPECT_THAT(is_message ? found->diagnostic.message : found->diagnostic.rule->repair,
                testing::HasSubstr(std::string(says)));

    const std::set<std::string> rules_before = RulesOf(before);
    const std::set<std::string> rules = RulesOf(FindingsIn(row.id, WithLines(text, row.edit)));
    EXPECT_EQ(rules.count(row.rule), 0u);
    for (const std::string& rule : rules) EXPECT_EQ(rules_before.count(rule), 1u) << rule;
  }
}

}  // namespace
}  // namespace gguf
