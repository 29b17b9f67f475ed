// Parses header lines; checks and writes each type of cell.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/cell_writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/tables/build.h"
#include "conformance/tables/table.h"
#include "parser/core/tensor_type.h"
#include "parser/core/value_type.h"

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

// Splits a cell at its commas.
std::vector<std::string> ItemsOf(const Cell& cell) {
  return absl::StrSplit(cell.text, ',', absl::SkipEmpty());
}

std::string Enumerator(const Cell& cell, const Column& column,
                       const std::string& word) {
  const std::vector<std::string>& words = column.words;
  if (!words.empty() &&
      std::find(words.begin(), words.end(), word) == words.end()) {
    cell.Fail(
        absl::StrCat("'", word, "' is none of ", absl::StrJoin(words, ", ")));
  }
  return absl::StrCat(column.enum_name, "::", EnumName(word));
}

std::string WriteSet(const Cell& cell, const Column& column) {
  std::vector<std::string> members;
  for (const std::string& word : ItemsOf(cell)) {
    members.push_back(Enumerator(cell, column, word));
  }
  return absl::StrCat("{", absl::StrJoin(members, ", "), "}");
}

std::string WriteNumber(const Cell& cell) {
  int32_t number = 0;
  if (!absl::SimpleAtoi(cell.text, &number)) cell.Fail("not a number");
  return absl::StrCat(number);
}

std::string WriteBuild(const Cell& cell) {
  const std::optional<int32_t> build = ParseBuild(cell.text);
  if (!build) cell.Fail("a build (b1234), a release (v1.2.3) or - is expected");
  return absl::StrCat(*build);
}

std::string WriteFlag(const Cell& cell) {
  if (cell.text == "yes") return "true";
  if (cell.text != "no") cell.Fail("yes or no is expected");
  return "false";
}

std::string WriteTensorTypes(const Cell& cell) {
  uint64_t types = 0;
  for (const std::string& name : ItemsOf(cell)) {
    const auto all = AllTensorTypes();
    const auto type = std::find_if(
        all.begin(), all.end(),
        [&](const TensorTypeInfo& info) { return name == info.name; });
    if (type == all.end()) {
      cell.Fail(absl::StrCat("unknown tensor type '", name, "'"));
    }
    types |= uint64_t{1} << type->id;
  }
  return absl::StrCat(types, "u");
}

TypeSet ValueTypeNamed(const Cell& cell, absl::string_view name) {
  constexpr uint32_t kNewestVersion = 3;
  for (uint32_t id = 0; id < kArrayBit; ++id) {
    const ValueTypeInfo* type = FindValueType(id, kNewestVersion);
    if (type != nullptr && name == type->name) return TypeSet{1} << id;
  }
  cell.Fail(absl::StrCat("unknown type '", name, "'"));
}

// "count", or types such as "u32,arr[i32|bool]"; "-" for none.
std::string WriteValueTypes(const Cell& cell) {
  constexpr TypeSet kArrays = ~TypeSet{0} << kArrayBit;
  if (cell.text == "-") return "0";
  TypeSet types = 0;
  for (const std::string& item : ItemsOf(cell)) {
    absl::string_view name = item;
    if (name == "count") {
      types |= ValueTypeNamed(cell, "u32") | ValueTypeNamed(cell, "u64");
    } else if (name == "scalar") {
      types |= ~kArrays & ~ValueTypeNamed(cell, "arr");
    } else if (name == "array") {
      types |= kArrays;
    } else if (absl::ConsumePrefix(&name, "arr[") &&
               absl::ConsumeSuffix(&name, "]")) {
      for (const absl::string_view element : absl::StrSplit(name, '|')) {
        types |= ValueTypeNamed(cell, element) << kArrayBit;
      }
    } else if (name == "arr") {
      cell.Fail("an array needs an element type, such as arr[u32]");
    } else {
      types |= ValueTypeNamed(cell, name);
    }
  }
  return absl::StrCat(types, "u");
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
      {"build", "int32_t"},
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

std::string CellWriter::WriteTexts(const Cell& cell) {
  const std::vector<std::string> items = ItemsOf(cell);
  if (items.empty()) return "{nullptr, 0}";
  const size_t first = texts_written_;
  for (const std::string& item : items) {
    absl::StrAppend(&texts_, "    ", CppString(item), ",\n");
  }
  texts_written_ += items.size();
  return absl::StrCat("{kTexts + ", first, ", ", items.size(), "}");
}

std::string CellWriter::Write(const Cell& cell, const Column& column) {
  absl::string_view type = column.type;
  if (type == "text" || type == "names") return CppString(cell.text);
  if (type == "texts") return WriteTexts(cell);
  if (type == "number") return WriteNumber(cell);
  if (type == "flag") return WriteFlag(cell);
  if (type == "build") return WriteBuild(cell);
  if (type == "word") return Enumerator(cell, column, cell.text);
  if (type == "set") return WriteSet(cell, column);
  if (type == "tensor_types") return WriteTensorTypes(cell);
  if (type == "value_types") return WriteValueTypes(cell);
  if (type == "symbol") {
    if (vocabulary_.symbols().count(cell.text) == 0) {
      cell.Fail(absl::StrCat("unknown symbol ", cell.text));
    }
    return "Symbol::" + EnumName(cell.text);
  }
  const bool has_index = absl::ConsumeSuffix(&type, "[i]");
  if (type == "bool") return exprs_.Add(cell, ExprType::kBool, has_index);
  if (type == "int") return exprs_.Add(cell, ExprType::kInt, has_index);
  return exprs_.AddDims(cell, has_index);
}

std::string CellWriter::Definitions() const {
  std::string out = exprs_.Definitions();
  if (texts_written_ > 0) {
    absl::StrAppend(&out, "const char* const kTexts[] = {\n", texts_, "};\n");
  }
  return out;
}

}  // namespace gguf
