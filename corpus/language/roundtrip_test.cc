// Tests that assemble(disassemble(x)) == x for any x.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/disassemble.h"
#include "corpus/language/image.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

// Converts through the text, as a user would.
void ExpectRoundTrip(const std::string& bytes, const std::string& what,
                     uint64_t most_numbers = kMostNumbers) {
  const std::string text = Print(Disassemble(bytes, most_numbers));
  const absl::StatusOr<Case> read = ReadText(text, nullptr);
  ASSERT_TRUE(read.ok()) << what << ": " << read.status().message();
  const absl::StatusOr<Image> image = Assemble(read->document);
  ASSERT_TRUE(image.ok()) << what << ": " << image.status().message() << "\n"
                          << text.substr(0, 4000);
  ASSERT_EQ(image->size(), bytes.size()) << what << "\n" << text.substr(0, 4000);
  // Not EXPECT_EQ: the files may be large.
  ASSERT_TRUE(image->ToString() == bytes) << what << "\n" << text.substr(0, 4000);
}

// Mutates as a fuzzer does: flips, cuts, insertions, repeated and foreign
// pieces.
std::string Mutate(std::string bytes, std::mt19937* random) {
  const auto pick = [&](size_t end) { return (*random)() % std::max<size_t>(end, 1); };
  const std::string numbers[] = {std::string(8, '\xff'),        std::string(8, '\0'),
                                 std::string("\1\0\0\0", 4),    std::string("\0\0\0\x80", 4),
                                 std::string(7, '\0') + "\x80", "GGUF"};
  for (size_t i = 1 + pick(4); i > 0; --i) {
    const size_t at = pick(bytes.size());
    switch (pick(5)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>((*random)());
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, numbers[pick(std::size(numbers))]);
        break;
      case 3: {
        const std::string& number = numbers[pick(std::size(numbers))];
        bytes.replace(at, number.size(), number);
        break;
      }
      default:
        bytes += bytes.substr(at, pick(64));
    }
  }
  return bytes;
}

std::vector<std::string> CaseFiles() {
  constexpr uint64_t kSmall = 1 << 20;
  const absl::StatusOr<std::vector<std::string>> ids = ListCases("corpus/cases");
  std::vector<std::string> files;
  if (!ids.ok()) return files;
  const Loader load = FolderLoader("corpus/cases");
  for (const std::string& id : *ids) {
    const absl::StatusOr<Case> read = ReadCase(id, *load(id), load);
    if (!read.ok()) continue;  // golden_test reports it.
    const absl::StatusOr<Image> image = Assemble(read->document);
    if (image.ok() && image->size() <= kSmall) {
      files.push_back(image->ToString());
    }
  }
  return files;
}

TEST(RoundTripTest, EveryCase) {
  const std::vector<std::string> files = CaseFiles();
  EXPECT_GT(files.size(), 300);
  for (size_t i = 0; i < files.size(); ++i) {
    ExpectRoundTrip(files[i], absl::StrCat("case ", i));
    ExpectRoundTrip(files[i], absl::StrCat("case ", i, " as bytes"), i % 100);
  }
}

TEST(RoundTripTest, MutatedCases) {
  constexpr int kTimes = 10;
  std::mt19937 random(1);
  for (const std::string& file : CaseFiles()) {
    if (file.size() > 4096) continue;
    for (int i = 0; i < kTimes; ++i) {
      const std::string mutated = Mutate(file, &random);
      ASSERT_NO_FATAL_FAILURE(ExpectRoundTrip(mutated, Print(Disassemble(file))));
    }
  }
}

TEST(RoundTripTest, RandomBytes) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    ASSERT_NO_FATAL_FAILURE(ExpectRoundTrip(bytes, "random bytes"));
  }
}

// The examples, and the files in the environment variable GGUFCHECK_FILES=a:b.
TEST(RoundTripTest, RealFiles) {
  std::vector<std::string> paths = {"corpus/examples/Example-1K-v1.0-F32.gguf",
                                    "corpus/examples/broken.gguf"};
  if (const char* const more = std::getenv("GGUFCHECK_FILES")) {
    for (const absl::string_view path : absl::StrSplit(more, ':')) {
      paths.emplace_back(path);
    }
  }
  std::mt19937 random(3);
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    ASSERT_TRUE(file.is_open()) << path;
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    ExpectRoundTrip(bytes, path);
    for (int i = 0; i < 10; ++i) {
      ExpectRoundTrip(Mutate(bytes, &random), path + " mutated");
    }
  }
}

}  // namespace
}  // namespace gguf::corpus
