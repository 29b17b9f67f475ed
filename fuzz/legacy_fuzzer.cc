// For any file of a legacy (pre-GGUF) format, what validate_fuzzer states for
// all files.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "fuzz/check_file.h"
#include "fuzz/legacy_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gguf::CheckFile(gguf::Bytes(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  const absl::string_view file(reinterpret_cast<const char*>(data), size);
  const std::string mutant = seed % 8 == 0 ? std::string(file) : gguf::MutateLegacy(file, seed);
  if (mutant == file || mutant.size() > max_size) {
    return LLVMFuzzerMutate == nullptr ? size : LLVMFuzzerMutate(data, size, max_size);
  }
  return mutant.copy(reinterpret_cast<char*>(data), max_size);
}
