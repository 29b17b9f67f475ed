// Writes the cases model/valid-tiny-*: one for each architecture.
//
//   bazel run //conformance/golden:tiny_models
//   bazel run //conformance/golden:golden_test -- --update --filter='*-tiny-*'
//
// With `-- FOLDER`, writes the models of all architectures to files in FOLDER,
// to try a loader on them.
//
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
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
  return argc > 1 ? gguf::WriteModels(argv[1]) : gguf::WriteCases();
}
