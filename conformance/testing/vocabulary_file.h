// VocabularyFile: makes small files with a vocabulary, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_VOCABULARY_FILE_H_
#define GGUF_CONFORMANCE_TESTING_VOCABULARY_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

// Returns a llama file with this tokenizer model and these tokens.
GgufBuilder VocabularyFile(absl::string_view model, const std::vector<std::string>& tokens);

// Add keys of the vocabulary: `name` follows "tokenizer.ggml.".
void AddStrings(absl::string_view name, const std::vector<std::string>& values, GgufBuilder* file);
void AddI32s(absl::string_view name, const std::vector<int32_t>& values, GgufBuilder* file);
void AddF32s(absl::string_view name, const std::vector<uint32_t>& bits, GgufBuilder* file);
void AddBytes(absl::string_view name, const std::vector<uint8_t>& values, GgufBuilder* file);
void AddBool(absl::string_view name, bool value, GgufBuilder* file);

// Returns "<0x00>" to "<0xFF>".
std::vector<std::string> ByteTokenTexts();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_VOCABULARY_FILE_H_
