// Writes the cases model/valid-tiny-*: one for each architecture.
//
//   bazel run //conformance/golden:tiny_models
//   bazel run //conformance/golden:golden_test -- --update --filter='*-tiny-*'
//
// With `-- FOLDER`, writes the models of all architectures to files in FOLDER,
// to try a loader on them.  With `-- --variants`, reads lines of
//
//   ARCHITECTURE  FILE  [KEY  VALUE]...
//
// with tabs between, and writes to each FILE the model that has these values
// (as in tiny_models.tsv) and the tensors that go with them, if it is small.
//
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/golden/golden.h"
#include "conformance/golden/tiny_case.h"
#include "conformance/testing/tiny_model.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

int WriteModels(const std::string& folder) {
  for (const std::string& name : TinyArchitectures()) {
    std::ofstream file(absl::StrCat(folder, "/", name, ".gguf"), std::ios::binary);
    if (!(file << MakeTinyModel(name).Build()).flush()) return 1;
  }
  return testing::Test::HasFailure() ? 1 : 0;
}

constexpr uint64_t kMostElements = 1 << 22;

// A file is small if its tensors are, also where a dimension is 0.
bool IsSmall(const TinyModel& model) {
  uint64_t elements = 0;
  for (const TinyTensor& tensor : model.tensors) {
    uint64_t product = 1;
    for (const uint64_t dim : tensor.dims) {
      if (dim > kMostElements) return false;
      product *= dim;
      if (product > kMostElements) return false;
    }
    elements += product;
  }
  return elements <= kMostElements;
}

int WriteVariants() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    TinyValues values;
    for (size_t i = 2; i + 1 < cells.size(); i += 2) values.emplace_back(cells[i], cells[i + 1]);
    const TinyModel model = MakeTinyModel(cells[0], values);
    if (!IsSmall(model)) continue;
    std::ofstream file(cells[1], std::ios::binary);
    if (!(file << model.Build()).flush()) return 1;
  }
  return 0;  // Some have no sensible tensors.
}

int WriteCases() {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  for (const std::string& name : TinyArchitectures()) {
    const std::string id = kTinyCasePrefix + name;
    const absl::StatusOr<std::string> old = load(id);
    const size_t expect = old.ok() ? old->find("=== expect\n") : 0;
    const std::string expectation =
        old.ok() && expect != std::string::npos ? old->substr(expect) : "=== expect\nupload ?\n";
    const std::string text = TinyCase(name) + expectation;
    if (old.ok() && text == *old) continue;
    std::ofstream file(absl::StrCat(CasesFolder(), "/", id, ".gguft"));
    if (!(file << text).flush()) {
      std::cerr << "cannot write " << id << "\n";
      return 1;
    }
    std::cout << "wrote " << id << "\n";
  }
  return testing::Test::HasFailure() ? 1 : 0;
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc <= 1) return gguf::WriteCases();
  return argv[1] == std::string("--variants") ? gguf::WriteVariants() : gguf::WriteModels(argv[1]);
}
