// Recognizes words by expressions and by the tables of types.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_words.h"

#include "absl/strings/match.h"
#include "conformance/model/loose_file_name.h"
#include "conformance/model/regex.h"
#include "conformance/tables/file_types.h"
#include "parser/core/tensor_type.h"
#include "re2/re2.h"

namespace gguf {

bool IsSizeLabel(absl::string_view word) {
  static const RE2& label =
      *new RE2(R"((?:[0-9]+x)?(?:[0-9]+\.)?[0-9]+[A-Za-z])", RE2::Latin1);
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

}  // namespace gguf
