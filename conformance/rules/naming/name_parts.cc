// Reads names by the convention, or else as publishers write them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_parts.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/model/file_name.h"
#include "conformance/model/loose_file_name.h"
#include "conformance/model/regex.h"
#include "conformance/tables/file_types.h"
#include "parser/core/tensor_type.h"
#include "re2/re2.h"

namespace gguf {

bool IsSizeLabel(absl::string_view word) {
  static const RE2& label = *new RE2(R"((?:[0-9]+x)?(?:[0-9]+\.)?[0-9]+[A-Za-z])", RE2::Latin1);
  return Matches(label, word) && IsSizeNotContext(word);
}

bool IsVersion(absl::string_view word) {
  static const RE2& version = *new RE2(R"(v[0-9]+(?:\.[0-9]+)*)", RE2::Latin1);
  return Matches(version, word);
}

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

namespace {

// Returns the types for the words of publishers: "fp16", and mixes such as
// Q4_K_XL.
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
  const FileNameParts parts =
      model.name_parts() ? *model.name_parts() : ParseLooseFileName(model.file.name);
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
  return model.name_parts() ? TypesOfWord(encoding) : TypesOfLooseEncoding(std::string(encoding));
}

}  // namespace gguf
