// Prints which share of the tokens of vocabularies each pre-tokenizer cuts:
//   bazel run //conformance/model:pre_tokenizers -- FILE...
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_format.h"
#include "conformance/base/bytes.h"
#include "conformance/model/model.h"
#include "conformance/model/pre_tokenizer_fit.h"
#include "conformance/model/token_shapes.h"
#include "conformance/tables/table.h"
#include "parser/parse.h"

namespace {

// Prints a line for each splitting: the file, the splitting, whether it fits, the number of tokens,
// the share that is cut, and a merge that makes one of them.
void PrintShares(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  gguf::Diagnostics found(0);
  const gguf::Model model(gguf::Parse(gguf::AsBytes(bytes), {}, &found));
  const gguf::KeyValue* merges = model.FindKey("tokenizer.ggml.merges");
  if (merges == nullptr || merges->element_type == nullptr) return;
  const gguf::TokenShapes tokens(model.file, *merges, merges->length);
  const std::vector<gguf::Splitting> fitting = gguf::FittingSplittings(tokens);
  for (size_t i = 0; i < std::size(gguf::EnumWords<gguf::Splitting>::kWords); ++i) {
    const auto splitting = static_cast<gguf::Splitting>(i);
    const gguf::CutTokens cut = gguf::FindCutTokens(tokens, splitting);
    std::cout << absl::StrFormat(
        "%s\t%s\t%s\t%u\t%.4f\t%s\n", path, gguf::WordOf(splitting),
        absl::c_linear_search(fitting, splitting) ? "fits" : "", tokens.tokens(),
        100.0 * static_cast<double>(cut.count) / std::max<double>(1, tokens.tokens()),
        cut.first == nullptr ? "" : std::string(cut.first->merge));
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) PrintShares(argv[i]);
  return std::cout.flush() ? 0 : 1;
}
