// Checks a file on disk, and then its bytes in memory.
//
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "conformance/check/gate.h"

namespace {

bool PrintFindings(const gguf::FileReport& report) {
  for (const gguf::Finding& finding : report.findings) {
    std::cout << report.path << ": " << finding.diagnostic.rule->id << "\n";
  }
  return true;  // Continue with the next file.
}

}  // namespace

int main(int, char** argv) {
  gguf::CheckOptions options;
  options.paths = {argv[1]};
  const auto inputs = gguf::CheckInputs::Open(&options);
  if (!inputs.ok()) return 1;
  auto gate = gguf::Gate::Open(options, *inputs);
  if (!gate.ok()) return 1;
  const gguf::GateResult result = gate->Check({PrintFindings, nullptr, nullptr});
  std::cout << gguf::Summary(result.totals) << "\n";

  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  PrintFindings(
      CheckSource({gguf::AsBytes(bytes), "memory.gguf"}, "memory.gguf", options, *inputs));
}
