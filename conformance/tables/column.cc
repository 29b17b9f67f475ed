// Parses header lines and maps them to C++ types.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/column.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/tables/expr_writer.h"
#include "conformance/tables/vocabulary.h"

namespace gguf {
namespace {

// Strips "outer(" and ")" from the text.
bool Unwrap(absl::string_view outer, absl::string_view* text) {
  return absl::ConsumePrefix(text, absl::StrCat(outer, "(")) &&
         absl::ConsumeSuffix(text, ")");
}

// Parses "Enum(a|b)", or "Enum" for an enum declared elsewhere.
void ReadEnum(absl::string_view text, Column* column) {
  column->enum_name = std::string(text.substr(0, text.find('(')));
  if (!Unwrap(column->enum_name, &text)) return;
  column->declares = true;
  column->words = absl::StrSplit(text, '|');
}

void ReadType(absl::string_view type, const Tsv& table, size_t index,
              Column* column) {
  column->type = std::string(type);
  if (Unwrap("names", &type)) {
    column->type = "names";
    column->enum_name = std::string(type);
    column->declares = true;
    for (const auto& row : table.rows) column->words.push_back(row[index].text);
  } else if (Unwrap("set", &type)) {
    column->type = "set";
    ReadEnum(type, column);
  } else if (absl::ascii_isupper(type[0])) {
    column->type = "word";
    ReadEnum(type, column);
  }
}

}  // namespace

std::vector<Column> ReadColumns(const Tsv& table) {
  std::vector<Column> columns;
  std::map<std::string, std::vector<std::string>> enums;
  for (const Cell& cell : table.header) {
    const std::vector<std::string> parts =
        absl::StrSplit(cell.text, absl::MaxSplits(':', 1));
    if (parts.size() != 2 || parts[1].empty()) {
      cell.Fail("name:type is expected");
    }
    absl::string_view name = parts[0];
    Column column;
    column.cell = cell;
    column.is_key = absl::ConsumeSuffix(&name, "!");
    column.name = std::string(name);
    ReadType(parts[1], table, columns.size(), &column);
    std::vector<std::string>& words = enums[column.enum_name];
    if (column.declares) {
      words = column.words;
    } else {
      column.words = words;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string MemberType(const Column& column) {
  static const auto& types = *new std::map<absl::string_view, std::string>{
      {"bool", "Expr"},
      {"bool[i]", "Expr"},
      {"dims", "Dims"},
      {"dims[i]", "Dims"},
      {"flag", "bool"},
      {"int", "Expr"},
      {"int[i]", "Expr"},
      {"names", "const char*"},
      {"number", "int32_t"},
      {"symbol", "Symbol"},
      {"text", "const char*"},
      {"tensor_types", "uint64_t"},
      {"texts", "Texts"},
      {"value_types", "TypeSet"},
      {"architectures", ""},
      {"comment", ""},
      {"index", ""}};
  if (column.type == "word") return column.enum_name;
  if (column.type == "set")
    return absl::StrCat("EnumSet<", column.enum_name, ">");
  const auto known = types.find(column.type);
  if (known == types.end()) {
    column.cell.Fail(absl::StrCat("unknown column type '", column.type, "'"));
  }
  return known->second;
}

std::string EnumOf(const Column& column) {
  if (!column.declares) return "";
  std::string members, words;
  for (const std::string& word : column.words) {
    absl::StrAppend(&members, "  ", EnumName(word), ",\n");
    absl::StrAppend(&words, "      ", CppString(word), ",\n");
  }
  return absl::StrCat("enum class ", column.enum_name, " : uint8_t {\n",
                      members, "};\ntemplate <>\nstruct EnumWords<",
                      column.enum_name,
                      "> {\n  static constexpr const char* kWords[] = {\n",
                      words, "  };\n};\n\n");
}

}  // namespace gguf
