// For any bytes, their disassembly assembles to the same bytes, however many
// numbers it may contain.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/disassemble.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace corpus = gguf::corpus;
  gguf::Choice choice(data, size);
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text = corpus::Print(
      corpus::Disassemble(bytes, choice.OneIn(2) ? corpus::kMostNumbers : choice.Below(200)));
  const auto read = corpus::ReadText(text, nullptr);
  gguf::Require(read.ok());
  const auto image = corpus::Assemble(read->document);
  gguf::Require(image.ok() && image->size() == size && image->ToString() == bytes);
  return 0;
}
