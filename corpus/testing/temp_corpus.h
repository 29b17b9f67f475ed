// TempCorpus: a small corpus in a temporary folder of a test.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_TESTING_TEMP_CORPUS_H_
#define GGUF_CORPUS_TESTING_TEMP_CORPUS_H_

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "corpus/language/image.h"
#include "gtest/gtest.h"

namespace gguf::corpus {

class TempCorpus {
 public:
  // Creates a corpus with the flags A and B.
  TempCorpus()
      : root_(std::filesystem::path(
                  absl::StrCat(testing::TempDir(), "/",
                               testing::UnitTest::GetInstance()->current_test_info()->name(),
                               "/corpus"))
                  .lexically_normal()
                  .string()) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(cases());
    Add("flags.tsv", "Flag\tMeaning\nA\tmeans a\nB\tmeans b\n");
    Add("README.md", "For readers.\n\n## A case\n\nFor writers.\n");
    Add("manifest.schema.json", "{}\n");
  }

  std::string root() const { return root_; }
  std::string cases() const { return root_ + "/cases"; }

  // Adds a case; `text` is its statements and the other lines.
  void AddCase(absl::string_view id, absl::string_view text) {
    Add(absl::StrCat("cases/", id, ".gguft"), text);
  }

  // Adds a file below the root.
  void Add(absl::string_view name, absl::string_view text) {
    const std::string path = absl::StrCat(root_, "/", name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    Image image;
    image.Append(text);
    ASSERT_TRUE(WriteImage(image, path).ok()) << path;
  }

 private:
  const std::string root_;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_TESTING_TEMP_CORPUS_H_
