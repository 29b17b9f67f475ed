// Whatever the bytes, their disassembly assembles to them.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "corpus/assemble.h"
#include "corpus/case.h"
#include "corpus/disassemble.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace corpus = gguf::corpus;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text = corpus::Print(corpus::Disassemble(bytes));
  const auto read = corpus::ReadText(text, nullptr);
  if (!read.ok()) __builtin_trap();
  const auto image = corpus::Assemble(read->document);
  if (!image.ok() || image->size() != size || image->ToString() != bytes) {
    __builtin_trap();
  }
  return 0;
}
