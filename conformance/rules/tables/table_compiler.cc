// Compiles a table of facts into C++ constants, or says which cell is wrong.
//
//   table_compiler ids ARCHITECTURES SYMBOLS
//   table_compiler architectures ARCHITECTURES SYMBOLS
//   table_compiler symbols ARCHITECTURES SYMBOLS
//   table_compiler table ARCHITECTURES SYMBOLS TABLE.tsv HEADER ROW NAME
//
// The columns of a table are described in README.md.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/rules/tables/expr_writer.h"
#include "conformance/rules/tables/tsv.h"
#include "conformance/rules/tables/vocabulary.h"

namespace gguf {
namespace {

constexpr char kIntroduction[] =
    "// Written by table_compiler.cc.\n//\n"
    "// SPDX-License-Identifier: Apache-2.0\n\n";

void WriteIds(const Vocabulary& words) {
  std::printf(
      "%s#ifndef GGUF_CONFORMANCE_RULES_TABLES_IDS_H_\n"
      "#define GGUF_CONFORMANCE_RULES_TABLES_IDS_H_\n\n"
      "#include <cstdint>\n\nnamespace gguf {\n\n",
      kIntroduction);
  std::printf("// Rows of symbols.tsv.\nenum class Symbol : uint16_t {\n");
  for (const auto& [name, type] : words.symbols()) {
    std::printf("  %s,\n", EnumName(name).c_str());
  }
  std::printf("};\nconstexpr int kSymbols = %zu;\n\n", words.symbols().size());
  std::printf("// Groups of architectures.tsv.\nenum class Group {\n");
  for (const auto& [name, members] : words.groups()) {
    std::printf("  %s,\n", EnumName(name).c_str());
  }
  std::printf("};\n\n}  // namespace gguf\n\n#endif\n");
}

void WriteArchitectures(const Vocabulary& words) {
  std::printf(
      "%s#include \"conformance/rules/tables/architectures.h\"\n\n"
      "namespace gguf {\n\n"
      "const ArchitectureRow kArchitectureRows[] = {\n",
      kIntroduction);
  for (size_t i = 0; i < words.architectures().size(); ++i) {
    uint32_t groups = 0;
    uint32_t bit = 1;
    for (const auto& [name, members] : words.groups()) {
      if (members.count(i) > 0) groups |= bit;
      bit <<= 1;
    }
    std::printf("    {%s, %u},\n", CppString(words.architectures()[i]).c_str(),
                groups);
  }
  std::printf(
      "};\nconst uint16_t kArchitectures = %zu;\n\n}  // namespace gguf\n",
      words.architectures().size());
}

// The rows of each architecture, as begins and indexes.
void WriteIndex(const std::vector<std::set<int>>& architectures, size_t count) {
  std::string begins;
  std::string index;
  int written = 0;
  for (size_t a = 0; a <= count; ++a) {
    absl::StrAppend(&begins, written, ", ");
    for (size_t row = 0; row < architectures.size(); ++row) {
      if (architectures[row].count(a) == 0) continue;
      absl::StrAppend(&index, row, ", ");
      if (++written % 20 == 0) absl::StrAppend(&index, "\n    ");
    }
  }
  std::printf("const uint16_t kIndex[] = {\n    %s};\n", index.c_str());
  std::printf("const uint32_t kBegins[] = {%s%d};\n", begins.c_str(), written);
}

void WriteTable(const std::string& row_type, const std::string& name,
                const ExprWriter& exprs, const std::string& rows,
                const std::vector<std::set<int>>& architectures,
                const Vocabulary& words, const std::string& header) {
  std::printf("%s#include \"%s\"\n\nnamespace gguf {\nnamespace {\n\n",
              kIntroduction, header.c_str());
  std::printf("%s", exprs.Definitions().c_str());
  std::printf("const %s kRows[] = {\n%s};\n", row_type.c_str(), rows.c_str());
  WriteIndex(architectures, words.architectures().size());
  std::printf(
      "\n}  // namespace\n\nconst Table<%s> %s = {kRows, %zu, kIndex, "
      "kBegins};\n\n}  // namespace gguf\n",
      row_type.c_str(), name.c_str(), architectures.size());
}

// "word(a|b)" -> {a, b}
std::vector<std::string> Words(absl::string_view type) {
  const size_t open = type.find('(');
  return absl::StrSplit(type.substr(open + 1, type.size() - open - 2), '|');
}

int Choose(const std::vector<std::string>& words, absl::string_view word,
           const Cell& cell) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    cell.Fail(
        absl::StrCat("'", word, "' is none of ", absl::StrJoin(words, ", ")));
  }
  return static_cast<int>(found - words.begin());
}

// The C++ text of a cell in a column of this type; `member` is the row's.
std::string CellText(const Cell& cell, absl::string_view type,
                     const std::string& member, const Vocabulary& words,
                     ExprWriter* exprs) {
  if (type == "text") return CppString(cell.text);
  if (type == "symbol") {
    if (words.symbols().count(cell.text) == 0) {
      cell.Fail(absl::StrCat("unknown symbol ", cell.text));
    }
    return "Symbol::" + EnumName(cell.text);
  }
  if (type == "number") {
    int64_t number;
    if (!absl::SimpleAtoi(cell.text, &number)) cell.Fail("this is no number");
    return absl::StrCat(number);
  }
  if (absl::StartsWith(type, "words(")) {
    uint32_t mask = 0;
    for (const absl::string_view word :
         absl::StrSplit(cell.text, ',', absl::SkipEmpty())) {
      mask |= 1u << Choose(Words(type), word, cell);
    }
    return absl::StrCat(mask);
  }
  if (absl::StartsWith(type, "word(")) {
    return absl::StrCat("static_cast<decltype(", member, ")>(",
                        Choose(Words(type), cell.text, cell), ")");
  }
  const bool has_index = absl::ConsumeSuffix(&type, "[i]");
  if (type == "bool") return exprs->Add(cell, ExprType::kBool, has_index);
  if (type == "int") return exprs->Add(cell, ExprType::kInt, has_index);
  if (type == "dims") return exprs->AddDims(cell, has_index);
  cell.Fail(
      absl::StrCat("the header gives the column the unknown type ", type));
}

struct Column {
  std::string name;
  std::string type;
  bool is_key;  // Rows that agree in all of these are duplicates.
};

std::vector<Column> Columns(const Tsv& table) {
  std::vector<Column> columns;
  for (const Cell& cell : table.header) {
    const std::vector<std::string> parts =
        absl::StrSplit(cell.text, absl::MaxSplits(':', 1));
    if (parts.size() != 2) cell.Fail("name:type is expected");
    absl::string_view name = parts[0];
    const bool is_key = absl::ConsumeSuffix(&name, "!");
    columns.push_back({std::string(name), parts[1], is_key});
  }
  return columns;
}

void CompileTable(const Tsv& table, const std::string& header,
                  const std::string& row_type, const std::string& name,
                  const Vocabulary& words) {
  ExprWriter exprs(words.symbols());
  const std::vector<Column> columns = Columns(table);
  std::string rows;
  std::vector<std::set<int>> architectures;
  std::map<std::string, std::set<int>> seen;  // Key columns -> architectures.
  for (const auto& row : table.rows) {
    std::string key;
    std::vector<std::string> members;
    std::set<int> these;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].is_key) absl::StrAppend(&key, row[c].text, "\t");
      if (columns[c].type == "architectures") {
        these = words.Architectures(row[c]);
      } else if (columns[c].type != "comment") {
        members.push_back(CellText(
            row[c], columns[c].type,
            absl::StrCat(row_type, "::", columns[c].name), words, &exprs));
      }
    }
    for (const int one : these) {
      if (!seen[key].insert(one).second) row[0].Fail("duplicate row");
    }
    architectures.push_back(std::move(these));
    absl::StrAppend(&rows, "    {", absl::StrJoin(members, ", "), "},\n");
  }
  if (table.rows.size() > 0xffff) table.header[0].Fail("too many rows");
  WriteTable(row_type, name, exprs, rows, architectures, words, header);
}

void CompileSymbols(const Tsv& table, const Vocabulary& words) {
  ExprWriter exprs(words.symbols());
  std::string rows;
  std::vector<std::set<int>> architectures;
  std::map<std::string, std::set<int>> seen;
  for (const auto& row : table.rows) {
    const SymbolType& type = words.symbols().at(row[0].text);
    const bool general = row[1].text == "*";
    if (!general && seen.count(row[0].text) == 0) {
      row[1].Fail("the first row of a symbol is for *");
    }
    std::set<int> these = words.Architectures(row[1]);
    for (const int one : these) {
      std::string key = row[0].text;
      if (general) key += " *";
      if (!seen[key].insert(one).second) row[0].Fail("duplicate row");
    }
    seen[row[0].text];
    absl::string_view key = row[3].text;
    const bool is_length = absl::ConsumePrefix(&key, "length(");
    if (is_length && !absl::ConsumeSuffix(&key, ")")) row[3].Fail("no )");
    if (type.type == ExprType::kText && !row[4].text.empty()) {
      row[4].Fail("a text has no default");
    }
    absl::StrAppend(&rows, "    {Symbol::", EnumName(row[0].text), ", ",
                    general ? "true" : "false", ", ", CppString(row[0].text),
                    ", static_cast<ExprType>(", static_cast<int>(type.type),
                    "), ", type.per_block ? "true" : "false", ", ",
                    is_length ? "true" : "false", ", ", CppString(key), ", ",
                    exprs.Add(row[4], type.type, type.per_block), "},\n");
    architectures.push_back(std::move(these));
  }
  if (const Cell* cycle = FindCycle(table, words)) {
    cycle->Fail("the symbol is defined by itself");
  }
  WriteTable("SymbolRow", "kSymbolRows", exprs, rows, architectures, words,
             "conformance/rules/tables/symbols.h");
}

int Main(const std::vector<std::string>& args) {
  if (args.size() < 3) return 2;
  const Tsv symbols = ReadTsv(args[2]);
  const Vocabulary words(ReadTsv(args[1]), symbols);
  if (args[0] == "ids") {
    WriteIds(words);
  } else if (args[0] == "architectures") {
    WriteArchitectures(words);
  } else if (args[0] == "symbols") {
    CompileSymbols(symbols, words);
  } else if (args[0] == "table" && args.size() == 7) {
    CompileTable(ReadTsv(args[3]), args[4], args[5], args[6], words);
  } else {
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  return gguf::Main(std::vector<std::string>(argv + 1, argv + argc));
}
