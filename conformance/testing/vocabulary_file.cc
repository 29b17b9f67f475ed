// Makes files with a vocabulary.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/vocabulary_file.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gguf {
namespace {

constexpr uint32_t kU8 = 0, kI32 = 5, kF32 = 6, kBool = 7, kString = 8, kArray = 9;

std::string KeyOf(absl::string_view name) { return absl::StrCat("tokenizer.ggml.", name); }

// Adds an array of `values`; `append` writes each of them.
template <class Value, class Append>
void AddArray(absl::string_view name, uint32_t type, const std::vector<Value>& values,
              Append append, GgufBuilder* file) {
  ByteWriter array = file->New();
  array.U32(type).Length(values.size());
  for (const Value& value : values) append(value, &array);
  file->Key(KeyOf(name), kArray, array);
}

}  // namespace

GgufBuilder VocabularyFile(absl::string_view model, const std::vector<std::string>& tokens) {
  GgufBuilder file;
  file.String("general.architecture", "llama");
  file.String(KeyOf("model"), model);
  AddStrings("tokens", tokens, &file);
  return file;
}

void AddStrings(absl::string_view name, const std::vector<std::string>& values, GgufBuilder* file) {
  AddArray(
      name, kString, values, [](const std::string& value, ByteWriter* out) { out->String(value); },
      file);
}

void AddI32s(absl::string_view name, const std::vector<int32_t>& values, GgufBuilder* file) {
  AddArray(
      name, kI32, values,
      [](int32_t value, ByteWriter* out) { out->U32(static_cast<uint32_t>(value)); }, file);
}

void AddF32s(absl::string_view name, const std::vector<uint32_t>& bits, GgufBuilder* file) {
  AddArray(
      name, kF32, bits, [](uint32_t value, ByteWriter* out) { out->U32(value); }, file);
}

void AddBytes(absl::string_view name, const std::vector<uint8_t>& values, GgufBuilder* file) {
  AddArray(
      name, kU8, values, [](uint8_t value, ByteWriter* out) { out->U8(value); }, file);
}

void AddBool(absl::string_view name, bool value, GgufBuilder* file) {
  file->Key(KeyOf(name), kBool, file->New().U8(value ? 1 : 0));
}

std::vector<std::string> ByteTokenTexts() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) {
    texts.push_back(absl::StrFormat("<0x%02X>", byte));
  }
  return texts;
}

}  // namespace gguf
