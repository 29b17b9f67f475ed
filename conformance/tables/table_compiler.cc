// Compiles a table of facts into C++ constants, or reports the invalid cell.
//
//   table_compiler ids ARCHITECTURES SYMBOLS
//   table_compiler architectures ARCHITECTURES SYMBOLS
//   table_compiler symbols ARCHITECTURES SYMBOLS
//   table_compiler header ARCHITECTURES SYMBOLS TABLE.tsv HEADER ROW NAME
//       [HEADER...]
//   table_compiler table ARCHITECTURES SYMBOLS TABLE.tsv HEADER ROW NAME
//
// `header` writes HEADER with the struct ROW, its enums and the declaration of
// NAME, a Table<ROW>; the last headers are those of tables that declare enums.
// The columns of a table are described in README.md.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "conformance/tables/cell_writer.h"
#include "conformance/tables/expr_writer.h"
#include "conformance/tables/tsv.h"
#include "conformance/tables/vocabulary.h"

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
      "%s#include \"conformance/tables/architectures.h\"\n\n"
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
    std::printf("    {%s, %u, %d},\n",
                CppString(words.architectures()[i]).c_str(), groups,
                words.first_builds()[i]);
  }
  std::printf(
      "};\nconst uint16_t kArchitectures = %zu;\n\n}  // namespace gguf\n",
      words.architectures().size());
}

void WriteHeader(const Tsv& table, const std::string& path,
                 const std::string& row_type, const std::string& name,
                 std::vector<std::string> includes) {
  std::string guard = "GGUF_";
  for (const char c : path) {
    guard += absl::ascii_isalnum(c) ? absl::ascii_toupper(c) : '_';
  }
  guard += '_';
  includes.insert(includes.end(),
                  {"conformance/tables/expr.h", "conformance/tables/table.h"});
  std::sort(includes.begin(), includes.end());
  std::string enums, members;
  for (const Column& column : ReadColumns(table)) {
    enums += EnumOf(column);
    const std::string type = MemberType(column);
    if (type.empty()) continue;
    absl::StrAppend(&members, "  ", type, " ", column.name, ";\n");
  }
  std::printf(
      "// The rows of %s, which describes them.\n%s#ifndef %s\n#define "
      "%s\n\n#include <cstdint>\n\n",
      table.path.c_str(), kIntroduction, guard.c_str(), guard.c_str());
  for (const std::string& include : includes) {
    std::printf("#include \"%s\"\n", include.c_str());
  }
  std::printf(
      "\nnamespace gguf {\n\n%sstruct %s {\n%s};\n\n"
      "extern const Table<%s> %s;\n\n}  // namespace gguf\n\n#endif\n",
      enums.c_str(), row_type.c_str(), members.c_str(), row_type.c_str(),
      name.c_str());
}

// Writes the rows of each architecture, as begins and indexes.
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
                const std::string& definitions, const std::string& rows,
                const std::vector<std::set<int>>& architectures,
                const Vocabulary& words, const std::string& header) {
  std::printf("%s#include \"%s\"\n\nnamespace gguf {\nnamespace {\n\n",
              kIntroduction, header.c_str());
  std::printf("%s", definitions.c_str());
  std::printf("const %s kRows[] = {\n%s};\n", row_type.c_str(), rows.c_str());
  WriteIndex(architectures, words.architectures().size());
  std::printf(
      "\n}  // namespace\n\nconst Table<%s> %s = {kRows, %zu, kIndex, "
      "kBegins};\n\n}  // namespace gguf\n",
      row_type.c_str(), name.c_str(), architectures.size());
}

// Checks the cell of a column without a member.
void CheckCell(const Cell& cell, const Column& column, size_t row) {
  if (column.type == "index" && cell.text != absl::StrCat(row)) {
    cell.Fail(absl::StrCat(row, " is expected: the number of the row"));
  }
}

void CompileTable(const Tsv& table, const std::string& header,
                  const std::string& row_type, const std::string& name,
                  const Vocabulary& words) {
  CellWriter cells(words);
  const std::vector<Column> columns = ReadColumns(table);
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
      } else if (!MemberType(columns[c]).empty()) {
        members.push_back(cells.Write(row[c], columns[c]));
      } else {
        CheckCell(row[c], columns[c], architectures.size());
      }
    }
    const std::set<int> all = {-1};  // For a table without that column.
    for (const int one : these.empty() ? all : these) {
      if (!key.empty() && !seen[key].insert(one).second) {
        row[0].Fail("duplicate row");
      }
    }
    architectures.push_back(std::move(these));
    absl::StrAppend(&rows, "    {", absl::StrJoin(members, ", "), "},\n");
  }
  if (table.rows.size() > 0xffff) table.header[0].Fail("too many rows");
  WriteTable(row_type, name, cells.Definitions(), rows, architectures, words,
             header);
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
    const bool is_sign = absl::ConsumePrefix(&key, "sign(");
    if ((is_length || is_sign) && !absl::ConsumeSuffix(&key, ")")) {
      row[3].Fail("no )");
    }
    if (type.type == ExprType::kText && !row[4].text.empty()) {
      row[4].Fail("a text has no default");
    }
    absl::StrAppend(&rows, "    {Symbol::", EnumName(row[0].text), ", ",
                    general ? "true" : "false", ", ", CppString(row[0].text),
                    ", static_cast<ExprType>(", static_cast<int>(type.type),
                    "), ", type.per_block ? "true" : "false", ", ",
                    is_length ? "KeyPart::kLength"
                    : is_sign ? "KeyPart::kSign"
                              : "KeyPart::kValue",
                    ", ", CppString(key), ", ",
                    exprs.Add(row[4], type.type, type.per_block), "},\n");
    architectures.push_back(std::move(these));
  }
  if (const Cell* cycle = FindCycle(table, words)) {
    cycle->Fail("the symbol is defined by itself");
  }
  WriteTable("SymbolRow", "kSymbolRows", exprs.Definitions(), rows,
             architectures, words, "conformance/tables/symbols.h");
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
  } else if (args[0] == "header" && args.size() >= 7) {
    WriteHeader(ReadTsv(args[3]), args[4], args[5], args[6],
                {args.begin() + 7, args.end()});
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
