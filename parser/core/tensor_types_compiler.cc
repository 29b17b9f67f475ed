// Generates C++ from the rows of tensor_types.tsv, for tensor_type.h.
//
//   tensor_types_compiler TABLE.tsv
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace {

enum { kName, kGguf, kQnt0, kElements = 7, kBytes, kRemoved, kInSpec };
enum { kScale = 12, kAt, kCount, kOverflows, kFields, kFirst, kColumns };

const char* Bool(bool value) { return value ? "true" : "false"; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  std::string enumerators, fields, rows;
  int gguf = -1, legacy = 0;  // The first line after comments is a header.
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    if (gguf < 0) {
      gguf = 0;
      continue;
    }
    const std::vector<std::string> row = absl::StrSplit(line, '\t');
    const bool is_gguf = row.size() == kColumns && row[kGguf] != "-";
    if (row.size() != kColumns ||
        (is_gguf && row[kGguf] != absl::StrCat(gguf))) {
      std::fprintf(stderr, "%s: wrong: %s\n", argv[1], line.c_str());
      return 1;
    }
    const int id = is_gguf ? gguf++ : 0x10000 + legacy++;
    const bool is_removed = row[kRemoved] != "-";
    if (!is_removed) {
      absl::StrAppend(&enumerators, "  k", row[kName], " = ", id, ",\n");
    }
    std::string runs = "{}";
    if (row[kFields] != "-") {
      runs = "kFieldsOf" + row[kName];
      absl::StrAppend(
          &fields, "inline constexpr NumberRun ", runs, "[] = {{",
          absl::StrReplaceAll(row[kFields], {{"x", ", "}, {" ", "}, {"}}),
          "}};\n");
    }
    const std::string ids = absl::StrJoin(&row[kQnt0], &row[kElements], ", ");
    absl::StrAppend(
        &rows, "    {", id, ", \"", row[kName], "\", ", row[kElements], ", ",
        row[kBytes], ", ", Bool(row[kElements] != "1"), ", ",
        is_removed ? absl::StrCat("\"", row[kRemoved], "\"") : "nullptr", ", ",
        Bool(row[kInSpec] == "yes"), ", {",
        absl::StrReplaceAll(ids, {{"-", "-1"}}), "}, ", runs,
        ", {ScaleFormat::k", row[kScale], ", ", row[kAt], ", ", row[kCount],
        ", ", Bool(row[kOverflows] == "yes"), "}, \"", row[kFirst], "\"},\n");
  }
  std::printf(
      "enum class TensorType : uint32_t {\n%s  kFirstOld = 0x10000,\n};\n\n%s\n"
      "inline constexpr TensorTypeInfo kTensorTypes[] = {\n%s};\n"
      "inline constexpr uint32_t kGgufTensorTypes = %d;\n",
      enumerators.c_str(), fields.c_str(), rows.c_str(), gguf);
  return 0;
}
