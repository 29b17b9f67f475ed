// Writes the rows of tensor_types.tsv as C++: tensor_types.inc of
// tensor_type.h.
//
//   tensor_types_compiler TABLE.tsv
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace {

enum Column { kName, kGguf, kQnt0, kRwkv101 = 6, kElements, kBytes, kRemoved };
enum { kInSpec = 10, kScale = 12, kAt, kCount, kOverflows, kFields, kColumns };

using Row = std::vector<std::string>;

std::vector<Row> ReadRows(const char* path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    rows.push_back(absl::StrSplit(line, '\t'));
    const std::string& id = rows.back()[kGguf];
    if (rows.back().size() != kColumns ||
        (rows.size() > 1 && id != "-" && id != absl::StrCat(rows.size() - 2))) {
      std::fprintf(stderr, "%s: %s: missing column, or ids without order\n",
                   path, line.c_str());
      std::exit(1);
    }
  }
  rows.erase(rows.begin());  // The header.
  return rows;
}

std::string Or(const std::string& cell, const char* if_none) {
  return cell == "-" ? if_none : cell;
}

std::string Bool(const std::string& cell) {
  return cell == "yes" ? "true" : "false";
}

// "f16" -> "ScaleFormat::kF16"
std::string Scale(std::string cell) {
  cell = Or(cell, "none");
  cell[0] = absl::ascii_toupper(cell[0]);
  return "ScaleFormat::k" + absl::StrReplaceAll(cell, {{"_half", "Half"}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::string enumerators, fields, rows;
  int gguf = 0, legacy = 0;
  for (const Row& row : ReadRows(argv[1])) {
    const bool is_gguf = row[kGguf] != "-";
    const std::string id = absl::StrCat(is_gguf ? gguf++ : 0x10000 + legacy++);
    if (row[kRemoved] == "-") {
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
    std::vector<std::string> legacy_ids(&row[kQnt0], &row[kRwkv101] + 1);
    for (std::string& cell : legacy_ids) cell = Or(cell, "-1");
    absl::StrAppend(
        &rows, "    {", id, ", \"", row[kName], "\", ", row[kElements], ", ",
        row[kBytes], ", ", Bool(row[kElements] == "1" ? "no" : "yes"), ", ",
        row[kRemoved] == "-" ? "nullptr" : "\"" + row[kRemoved] + "\"", ", ",
        Bool(row[kInSpec]), ", {", absl::StrJoin(legacy_ids, ", "), "}, ", runs,
        ", {", Scale(row[kScale]), ", ", Or(row[kAt], "0"), ", ",
        Or(row[kCount], "0"), ", ", Bool(row[kOverflows]), "}},\n");
  }
  std::printf(
      "enum class TensorType : uint32_t {\n%s  kFirstOld = 0x10000,\n};\n\n%s\n"
      "inline constexpr TensorTypeInfo kTensorTypes[] = {\n%s};\n"
      "inline constexpr uint32_t kGgufTensorTypes = %d;\n",
      enumerators.c_str(), fields.c_str(), rows.c_str(), gguf);
  return 0;
}
