// Bytes that change while they are read: between parsing and a check, during a
// check, and in a file that another process rewrites.
//
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/input/open.h"
#include "conformance/model/model.h"
#include "conformance/model/tensor_data.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/check.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/validate.h"
#include "gtest/gtest.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

constexpr uint32_t kU8 = 0, kI32 = 5, kString = 8, kArray = 9;

// A unigram vocabulary with all data that is traversed more than once.
std::string UnigramModel(int tokens = 300) {
  GgufBuilder b;
  b.String("general.architecture", "llama");
  b.U32("llama.block_count", 2);
  b.Key("llama.attention.head_count", kArray, b.New().U32(kI32).Length(2).U32(4).U32(4));
  b.Key("k.nested", kArray, b.New().U32(kArray).Length(1).U32(kArray).Length(1).U32(kU8).Length(0));
  b.String("tokenizer.ggml.model", "t5");
  b.String("tokenizer.chat_template", "{% for m in messages %}{{ m }}");
  ByteWriter texts = b.New(), types = b.New(), charsmap = b.New();
  texts.U32(kString).Length(tokens);
  types.U32(kI32).Length(tokens);
  for (int i = 0; i < tokens; ++i) {
    texts.String(absl::StrCat("token", i));
    types.U32(1);
  }
  charsmap.U32(kU8).Length(2052).U32(1024).Zeros(2048);
  b.Key("tokenizer.ggml.tokens", kArray, texts);
  b.Key("tokenizer.ggml.token_type", kArray, types);
  b.Key("tokenizer.ggml.suppress_tokens", kArray, types);
  b.Key("tokenizer.ggml.added_tokens", kArray, texts);
  b.Key("tokenizer.ggml.merges", kArray, texts);
  b.Key("tokenizer.ggml.precompiled_charsmap", kArray, charsmap);
  b.Tensor("blk.0.attn_q.weight", {32, 2}, 0);
  return b.Build();
}

// Returns the model, and variants with one length or type too large.
std::vector<std::string> States(int tokens) {
  const std::string model = UnigramModel(tokens);
  std::vector<std::string> states = {model};
  const auto add = [&](uint64_t at, uint64_t number, size_t size) {
    states.push_back(model);
    std::memcpy(&states.back()[at], &number, size);
  };
  Diagnostics found(1);
  for (const KeyValue& kv : Parse(AsBytes(model), {}, &found).keys) {
    for (const uint64_t huge : {~uint64_t{0}, uint64_t{1} << 40}) {
      add(kv.key.where.begin, huge, 8);
      add(kv.value.begin, huge, 8);
      if (kv.length > 0) add(kv.value.begin + 4, huge, 8);
      if (kv.length > 0) add(kv.value.begin + 12, huge, 8);
    }
    if (kv.length == 0) continue;
    add(kv.value.begin, kString, 4);
    add(kv.value.begin, kArray, 4);
    add(kv.value.begin + 4, kv.length + 1, 8);
  }
  return states;
}

std::string TextOf(const FileReport& report) {
  std::string text = absl::StrCat(report.incomplete, "|", report.stopped);
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    absl::StrAppend(&text, "\n", diagnostic.rule->id, " ", diagnostic.subject, " ",
                    diagnostic.message);
  }
  return text;
}

std::string ReportOn(const Source& source) {
  return TextOf(Validate(source, *Profile::Find("pedantic"), {}));
}

// Writes one state after another until it is killed.
[[noreturn]] void Rewrite(const std::string& path, const std::vector<std::string>& states) {
  const int fd = open(path.c_str(), O_WRONLY);
  for (uint64_t i = 0;; ++i) {
    const std::string& state = states[i * 7 % states.size()];
    if (pwrite(fd, state.data(), state.size(), 0) < 0) _exit(1);
    constexpr timespec kRest = {0, 30'000'000};
    if (i % 500 == 0) nanosleep(&kRest, nullptr);
  }
}

// Calls run() while another thread sets eight bytes at a time to ones, and
// back.
template <class Function>
void WithScribbler(std::string* bytes, Function run) {
  std::atomic<bool> stop{false};
  std::thread scribbler([&] {
    const std::string whole = *bytes;
    for (uint64_t at = 0; !stop; at = (at + 61) % (whole.size() - 8)) {
      std::memset(&(*bytes)[at], 0xff, 8);
      std::this_thread::yield();
      std::memcpy(&(*bytes)[at], &whole[at], 8);
    }
  });
  run();
  stop = true;
  scribbler.join();
}

// Runs all checks, and calls change() after the requirements of each are met.
template <class Function>
void RunChecks(const CheckContext& context, Function change) {
  Diagnostics found(1);
  for (const Rule* rule : Catalogue()) {
    const Rule::Check check = CheckOf(*rule);
    if (check == nullptr || !IsAbout(*rule, context.model.file)) continue;
    Finder find(*rule, &found);
    try {
      const bool applies = WhyNot(*rule, context).empty();
      change();
      if (applies) check(context, find);
    } catch (const std::exception& error) {
      // Any result is acceptable: the file has changed.
    }
  }
}

TEST(ChangingFileTest, EveryCheckGoesByWhatTheParserRead) {
  std::string bytes = UnigramModel();
  for (uint64_t at = 0; at + 8 <= bytes.size(); at += 3) {
    const std::string before = bytes.substr(at, 8);
    Diagnostics found(1);
    Model model(Parse(AsBytes(bytes), {}, &found));
    CheckContext context{model};
    context.scans = ScanTensors(model.file, model.placement(), {})->tensors;
    bool is_changed = false;
    RunChecks(context, [&] {
      is_changed = !is_changed;
      bytes.replace(at, 8, is_changed ? std::string(8, '\xff') : before);
    });
    bytes.replace(at, 8, before);
  }
}

TEST(ChangingFileTest, BytesThatChangeAtAnyMomentAreSurvived) {
  std::string bytes = UnigramModel();
  CheckOptions options;
  options.stats = true;
  WithScribbler(&bytes, [&] {
    for (int i = 0; i < 2000; ++i) {
      try {
        Validate(AsBytes(bytes), *Profile::Find("pedantic"), options);
      } catch (const std::exception& error) {
      }
    }
  });
}

// Checks a file that another process rewrites.
void CheckChangingFile(int tokens) {
  const std::vector<std::string> states = States(tokens);
  std::set<std::string> reports;
  for (const std::string& state : states) {
    reports.insert(ReportOn({AsBytes(state), "changing"}));
  }
  const std::string path = testing::TempDir() + "changing";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(fd, states[0].data(), states[0].size()), static_cast<ssize_t>(states[0].size()));
  close(fd);
  const pid_t writer = fork();
  if (writer == 0) Rewrite(path, states);

  std::atomic<int> changed{0}, whole{0};
  const auto check = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end) {
      const auto input = Input::Open(path, ~uint64_t{0});
      ASSERT_TRUE(input.ok()) << input.status();
      std::string report;
      try {
        report = ReportOn(input->source());
      } catch (const std::exception& error) {
        report = error.what();
      }
      if (!input->WhyChanged().empty()) {
        ++changed;
        continue;
      }
      ++whole;
      EXPECT_EQ(reports.count(report), 1u) << report;
    }
  };
  std::thread other(check);
  check();
  other.join();
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  EXPECT_GT(changed, 0);
  testing::Test::RecordProperty("changed", changed);
  testing::Test::RecordProperty("whole", whole);
}

TEST(ChangingFileTest, EveryResultOfACopyIsThatOfOneStateOrIncomplete) { CheckChangingFile(300); }

TEST(ChangingFileTest, EveryResultOfAMappingIsThatOfOneStateOrIncomplete) {
  CheckChangingFile(1500);
}

}  // namespace
}  // namespace gguf
