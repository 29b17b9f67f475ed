// Tests that hostile files cost no more time than others, and that no limit
// turns a rule off.
//
// SPDX-License-Identifier: Apache-2.0

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kStringType = 8, kArrayType = 9, kF32Type = 6;

FileReport Check(const std::string& bytes, const Limits& limits = {}, const Work& work = {}) {
  return Validate({AsBytes(bytes), "f.gguf"}, *Profile::Find("safety"), {limits}, {}, work);
}

bool HasFinding(const FileReport& report, absl::string_view rule) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& finding) { return finding.diagnostic.rule->id == rule; });
}

// Names that absl::Hash maps to one value.  Multiplying by zero, it drops the
// last sixteen bytes.
std::string CollidingName(uint32_t i) {
  const std::string number = absl::StrCat(i);
  return "\x44\x73\x70\x03\x2e\x8a\x19\x13" + std::string(16 - number.size(), 'x') + number;
}

// Names that break the same rules, but do not collide.
std::string PlainName(uint32_t i) {
  const std::string number = absl::StrCat(i);
  return "\x44\x73\x70\x03\x2e\x8a\x19\x14" + std::string(16 - number.size(), 'x') + number;
}

using NameOf = std::string (*)(uint32_t i);

std::string Keys(uint32_t count, NameOf name) {
  GgufBuilder b;
  for (uint32_t i = 0; i < count; ++i) b.U32(name(i), 0);
  return b.Build();
}

std::string Tensors(uint32_t count, NameOf name) {
  GgufBuilder b;
  b.String("general.architecture", "llama");
  for (uint32_t i = 0; i < count; ++i) b.Tensor(name(i), {1}, 0);
  return b.Build();
}

ByteWriter Tokens(uint32_t count, NameOf name) {
  ByteWriter tokens;
  tokens.U32(kStringType).Length(count);
  for (uint32_t i = 0; i < count; ++i) tokens.String(name(i));
  return tokens;
}

std::string Vocabulary(uint32_t count, NameOf name) {
  GgufBuilder b;
  b.String("tokenizer.ggml.model", "llama");
  b.Key("tokenizer.ggml.tokens", kArrayType, Tokens(count, name));
  return b.Build();
}

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

// Returns the least time that the check of each file takes.  They take turns,
// so that a machine that is slow for a while is slow for all of them.
std::vector<double> SecondsOf(const std::vector<std::string>& files) {
  std::vector<double> best(files.size(), 1e9);
  for (int round = 0; round < 15; ++round) {
    for (size_t i = 0; i < files.size(); ++i) {
      const double begin = CpuSeconds();
      Check(files[i]);
      best[i] = std::min(best[i], CpuSeconds() - begin);
    }
  }
  return best;
}

// Returns how many times as long the check of one file takes as that of
// another.
double RatioOf(const std::string& a, const std::string& b) {
  const std::vector<double> seconds = SecondsOf({a, b});
  return seconds[0] / seconds[1];
}

TEST(BoundsTest, CollidingNamesCostNoMoreThanOthers) {
  const struct {
    const char* what;
    std::string (*build)(uint32_t count, NameOf name);
  } kTables[] = {{"keys", Keys}, {"tensors", Tensors}, {"tokens", Vocabulary}};
  for (const auto& table : kTables) {
    const std::vector<double> seconds =
        SecondsOf({table.build(3000, CollidingName), table.build(12000, CollidingName),
                   table.build(12000, PlainName)});
    const double small = seconds[0], large = seconds[1], plain = seconds[2];
    RecordProperty(table.what, absl::StrCat(large / small, " ", large / plain));
    EXPECT_LT(large, 5 * small) << table.what;
    EXPECT_LT(large, 2 * plain) << table.what;
  }
}

TEST(BoundsTest, AVocabularyOfFiveMillionTokensIsJudged) {
  GgufBuilder b;
  b.String("tokenizer.ggml.model", "llama");
  b.Key("tokenizer.ggml.tokens", kArrayType,
        Tokens(5000000, [](uint32_t i) { return absl::StrCat("t", i / 2); }));
  b.Key("tokenizer.ggml.scores", kArrayType, ByteWriter().U32(kF32Type).Length(10).Zeros(40));
  b.U32("tokenizer.ggml.bos_token_id", 5000000);
  const FileReport report = Check(b.Build());
  EXPECT_EQ(report.incomplete, "");
  EXPECT_TRUE(HasFinding(report, "token-arrays-long-enough"));
  EXPECT_TRUE(HasFinding(report, "tokens-unique"));
  EXPECT_TRUE(HasFinding(report, "token-ids-in-range"));
}

// A million tokens with their types and merges, under keys with this prefix.
std::string MillionTokens(absl::string_view prefix) {
  constexpr uint32_t kCount = 1000000, kI32Type = 5;
  GgufBuilder b;
  b.String("general.architecture", "llama").String("tokenizer.ggml.model", "gpt2");
  b.Key(absl::StrCat(prefix, "tokens"), kArrayType,
        Tokens(kCount, [](uint32_t i) { return absl::StrCat("t", i); }));
  b.Key(absl::StrCat(prefix, "token_type"), kArrayType,
        ByteWriter().U32(kI32Type).Length(kCount).Zeros(uint64_t{4} * kCount));
  b.Key(absl::StrCat(prefix, "merges"), kArrayType,
        Tokens(kCount, [](uint32_t i) { return absl::StrCat("t", i, " t", i / 2); }));
  return b.Build();
}

// Returns the peak memory, in bytes, of a process that checks the file.
int64_t PeakOf(const std::string& bytes) {
  malloc_trim(0);  // What is free and resident would hide what the check takes.
  const pid_t pid = fork();
  if (pid == 0) {
    Validate({AsBytes(bytes), "f.gguf"}, *Profile::Find("upload"), {});
    _exit(0);
  }
  rusage usage = {};
  int status = 1;
  EXPECT_EQ(wait4(pid, &status, 0, &usage), pid);
  EXPECT_EQ(status, 0);
  return int64_t{usage.ru_maxrss} * 1024;
}

TEST(BoundsTest, AMillionTokensTakeLessThan16MebibytesOfMemory) {
  const std::string indexed = MillionTokens("tokenizer.ggml."), ignored = MillionTokens("x.");
  const int64_t taken = PeakOf(indexed) - PeakOf(ignored);
  RecordProperty("bytes", absl::StrCat(taken));
  EXPECT_GT(taken, 4 << 20);
  EXPECT_LT(taken, 16 << 20);
}

TEST(BoundsTest, TokensBeyondTheLimitLeaveTheFileIncomplete) {
  Limits limits;
  limits.tokens = 3;
  EXPECT_EQ(Check(Vocabulary(3, PlainName), limits).incomplete, "");
  EXPECT_EQ(Check(Vocabulary(4, PlainName), limits).incomplete, "the limit of 3 tokens");
}

TEST(BoundsTest, TheShardsOfAModelShareTheLimits) {
  const std::string bytes = Tensors(2, PlainName);
  std::vector<ShardFile> files;
  const std::string names[] = {"m-00001-of-00003.gguf", "m-00002-of-00003.gguf",
                               "m-00003-of-00003.gguf"};
  for (const std::string& name : names) files.push_back({{AsBytes(bytes), name}});
  CheckOptions options;
  options.limits.tensors = 3;
  const auto reports = ValidateSet(files, *Profile::Find("safety"), options);
  EXPECT_EQ(reports[1].incomplete, "");
  EXPECT_EQ(reports[2].incomplete,
            "the limit of 1048576 keys and 3 tensors in all shards of a model");
}

std::string WithTemplate(absl::string_view text) {
  GgufBuilder b;
  return b.String("tokenizer.chat_template", text).Build();
}

std::string Repeat(absl::string_view text, size_t times) {
  std::string repeated;
  for (size_t i = 0; i < times; ++i) absl::StrAppend(&repeated, text);
  return repeated;
}

TEST(BoundsTest, RecursiveLoopsWithManyVariablesCostNoMoreThanOthers) {
  const auto loop = [](size_t count) {
    return WithTemplate(absl::StrCat("{% for a", Repeat(",a", count), " in x recursive %}",
                                     Repeat("{{a}}", count), "{% endfor %}"));
  };
  EXPECT_LT(RatioOf(loop(20000), loop(5000)), 8);
}

// Assignments that contain copies of each other, or of other variables.
TEST(BoundsTest, CyclesOfAssignmentsCostNoMoreThanOthers) {
  const auto assignments = [](absl::string_view source) {
    constexpr int kCount = 900, kCopies = 8;
    std::string text = "{% set n = namespace() %}{% for a in range(9999) %}";
    for (int i = 0; i < kCount; ++i) {
      absl::StrAppend(&text, "{% set n.x", i, " = ''");
      for (int j = 1; j <= kCopies; ++j) {
        absl::StrAppend(&text, " ~ n.", source, (i + j) % kCount);
      }
      absl::StrAppend(&text, " %}");
    }
    absl::StrAppend(&text, "{% endfor %}");
    return WithTemplate(text);
  };
  EXPECT_LT(RatioOf(assignments("x"), assignments("y")), 5);
}

TEST(BoundsTest, TooManyTemplatesLeaveTheFileIncomplete) {
  GgufBuilder b;
  for (int i = 0; i < 1001; ++i) {
    b.String(absl::StrCat("tokenizer.chat_template.", i), "{{ x.__class__ }}");
  }
  const FileReport report = Check(b.Build());
  EXPECT_TRUE(HasFinding(report, "template-attributes-safe"));
  EXPECT_TRUE(std::any_of(
      report.not_checked.begin(), report.not_checked.end(), [](const FileReport::NotChecked& each) {
        return absl::string_view(each.rule->id) == "template-attributes-safe" &&
               each.why.view() == "the chat templates exceed the limit on their number or size";
      }));
}

std::string ManyEntries() {
  GgufBuilder b;
  b.String("general.architecture", "llama");
  b.String("tokenizer.ggml.model", "llama");
  b.Key("tokenizer.ggml.tokens", kArrayType, Tokens(2000000, PlainName));
  for (uint32_t i = 0; i < 200000; ++i) b.Tensor(PlainName(i), {1}, 0);
  return b.Build();
}

// Returns how many seconds the check of a file goes on after it should end.
double SecondsLate(const std::string& bytes, double limit,
                   const std::function<bool()>& interrupted) {
  Limits limits;
  limits.seconds = limit;
  Work work;
  work.interrupted = interrupted;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const FileReport report = Check(bytes, limits, work);
  EXPECT_THAT(report.incomplete, HasSubstr(interrupted ? "interrupted" : "the limit of"));
  return std::chrono::duration<double>(Clock::now() - begin).count() - limit;
}

TEST(BoundsTest, TheTimeLimitAndAnInterruptEndACheck) {
  const std::string a_template = WithTemplate(Repeat("{% set x = y[x] %}", 1 << 20));
  for (const std::string& bytes : {ManyEntries(), a_template}) {
    EXPECT_LT(SecondsLate(bytes, 0.01, nullptr), 1);
    int asked = 0;
    EXPECT_LT(SecondsLate(bytes, 0, [&] { return ++asked > 100; }), 1);
  }
}

}  // namespace
}  // namespace gguf
