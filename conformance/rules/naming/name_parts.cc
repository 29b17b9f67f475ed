// Reads names by the convention, or else as publishers write them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_parts.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/model/file_name.h"
#include "conformance/model/loose_file_name.h"
#include "conformance/tables/file_types.h"
#include "parser/core/tensor_type.h"

namespace gguf {
namespace {

// Returns the tensor types that a word stands for; 0 if it is not known.
uint64_t TypesOfWord(absl::string_view encoding) {
  for (const FileType& row : kFileTypes) {
    if (absl::EqualsIgnoreCase(encoding, row.name)) return row.types;
  }
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (absl::EqualsIgnoreCase(encoding, type.name)) {
      return uint64_t{1} << type.id;
    }
  }
  return 0;
}

// The same for the words of publishers: "fp16", and mixes such as Q4_K_XL.
uint64_t TypesOfLooseEncoding(std::string encoding) {
  encoding = absl::AsciiStrToUpper(encoding);
  absl::string_view word = encoding;
  if (word == "FP16") return TypesOfWord("F16");
  if (word == "FP32") return TypesOfWord("F32");
  for (const char* mix : {"_XXL", "_XL", "_L"}) {
    if (TypesOfWord(word) == 0) absl::ConsumeSuffix(&word, mix);
  }
  return TypesOfWord(word);
}

}  // namespace

absl::string_view Text(const Model& model, absl::string_view key) {
  const KeyValue* kv = model.FindKey(key);
  return kv == nullptr ? "" : model.file.String(*kv).value_or("");
}

std::string Part(const Model& model, absl::string_view part) {
  const FileNameParts parts = model.name_parts()
                                  ? *model.name_parts()
                                  : ParseLooseFileName(model.file.name);
  for (const auto& [name, text] : parts) {
    if (name == part) return text;
  }
  return "";
}

std::string SizeIn(const Model& model) {
  const std::string label = Part(model, "SizeLabel");
  return IsSizeNotContext(label) ? label : "";
}

uint64_t TypesOfEncoding(const Model& model, absl::string_view encoding) {
  return model.name_parts() ? TypesOfWord(encoding)
                            : TypesOfLooseEncoding(std::string(encoding));
}

bool IsQuantized(uint64_t types) {
  constexpr uint64_t kFloats =
      uint64_t{1} << static_cast<uint32_t>(TensorType::kF32) |
      uint64_t{1} << static_cast<uint32_t>(TensorType::kF16) |
      uint64_t{1} << static_cast<uint32_t>(TensorType::kBF16) |
      uint64_t{1} << static_cast<uint32_t>(TensorType::kF64);
  return (types & ~kFloats) != 0;
}

}  // namespace gguf
