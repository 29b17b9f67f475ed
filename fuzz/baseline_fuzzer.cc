// For any text, reading it as a baseline terminates, either with an error that
// names a line, or with lines that are unchanged after they are written and
// read again.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "conformance/check/baseline.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gguf::Baseline;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = Baseline::Parse(text, "b", Baseline::Reasons::kOptional);
  if (!read.ok()) {
    gguf::Require(absl::StartsWith(read.status().message(), "b:"));
    return 0;
  }
  const std::string written = read->Text();
  const auto again = Baseline::Parse(written, "b", Baseline::Reasons::kOptional);
  gguf::Require(again.ok() && again->Text() == written);
  return 0;
}
