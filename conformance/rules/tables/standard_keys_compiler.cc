// Compiles the tables that need no expressions into C++ constants, or says
// which cell is wrong.
//
//   standard_keys_compiler keys KEYS.tsv ARCHITECTURES.tsv
//   standard_keys_compiler file_types FILE_TYPES.tsv
//   standard_keys_compiler spdx SPDX_IDS.tsv
//   standard_keys_compiler languages ISO_639.tsv
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/rules/tables/standard_keys.h"
#include "conformance/rules/tables/tsv.h"
#include "parser/tensor_type.h"
#include "parser/value_type.h"

namespace gguf {
namespace {

using Row = std::vector<Cell>;

constexpr uint32_t kNewestVersion = 3;
constexpr uint32_t kMostTypes = kArrayBit;

void Open(absl::string_view header) {
  std::printf(
      "// Written by standard_keys_compiler.cc.\n//\n"
      "// SPDX-License-Identifier: Apache-2.0\n\n"
      "#include \"conformance/rules/tables/%s\"\n\nnamespace gguf {\n\n",
      std::string(header).c_str());
}

void Close() { std::printf("\n}  // namespace gguf\n"); }

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", text, "\"");
}

void ExpectColumns(const Tsv& table, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const Cell& cell : table.header) found.push_back(cell.text);
  if (found != names) {
    table.header[0].Fail(
        absl::StrCat("the columns are ", absl::StrJoin(names, ", ")));
  }
}

// A cell of words with commas between them; none for "-".
std::vector<std::string> Words(const Cell& cell) {
  if (cell.text == "-") return {};
  return absl::StrSplit(cell.text, ',');
}

// Words, sorted, once each.
void ExpectOrder(const Cell& cell, const std::vector<std::string>& words) {
  if (std::adjacent_find(words.begin(), words.end(), std::greater_equal<>()) !=
      words.end()) {
    cell.Fail("the words are not in order, or one is there twice");
  }
}

TypeSet TypeNamed(const Cell& cell, absl::string_view name) {
  for (uint32_t id = 0; id < kMostTypes; ++id) {
    const ValueTypeInfo* type = FindValueType(id, kNewestVersion);
    if (type != nullptr && name == type->name) return TypeSet{1} << id;
  }
  cell.Fail(absl::StrCat("there is no type '", name, "'"));
}

// "count", or types such as "u32,arr[i32|bool]".
TypeSet Types(const Cell& cell) {
  constexpr TypeSet kArrays = ~TypeSet{0} << kArrayBit;
  TypeSet types = 0;
  for (const std::string& word : Words(cell)) {
    absl::string_view name = word;
    if (name == "count") {
      types |= TypeNamed(cell, "u32") | TypeNamed(cell, "u64");
    } else if (name == "scalar") {
      types |= ~kArrays & ~TypeNamed(cell, "arr");
    } else if (name == "array") {
      types |= kArrays;
    } else if (absl::ConsumePrefix(&name, "arr[") &&
               absl::ConsumeSuffix(&name, "]")) {
      for (const absl::string_view element : absl::StrSplit(name, '|')) {
        types |= TypeNamed(cell, element) << kArrayBit;
      }
    } else if (name == "arr") {
      cell.Fail("an array says of what: arr[u32]");
    } else {
      types |= TypeNamed(cell, name);
    }
  }
  return types;
}

std::string List(const std::vector<std::string>& words, std::string* lists) {
  if (words.empty()) return "{nullptr, 0}";
  static int number = 0;
  const std::string name = absl::StrCat("kWords", ++number);
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(Quoted(word));
  absl::StrAppend(lists, "constexpr absl::string_view ", name, "[] = {\n    ",
                  absl::StrJoin(quoted, ",\n    "), "};\n");
  return absl::StrCat("{", name, ", ", words.size(), "}");
}

// The reading and its list of words.
std::string Readers(const Cell& cell, const std::set<std::string>& known,
                    std::string* lists) {
  absl::string_view text = cell.text;
  const auto reading = [&](absl::string_view name,
                           const std::vector<std::string>& words) {
    ExpectOrder(cell, words);
    return absl::StrCat("Reading::", name, ", ", List(words, lists));
  };
  if (text == "-") return reading("kNever", {});
  if (text == "@loader") return reading("kAlways", {});
  if (text == "vocabulary") return reading("kVocabulary", {});
  if (text == "shards") return reading("kShards", {});
  if (text == "adapters") return reading("kAdapters", {});
  if (text == "imatrices") return reading("kImatrices", {});
  if (text == "projectors") return reading("kProjectors", {});
  if (absl::ConsumePrefix(&text, "tokenizer:")) {
    return reading("kTokenizers", absl::StrSplit(text, ','));
  }
  const bool all_but = absl::ConsumePrefix(&text, "@loader,");
  std::vector<std::string> names = absl::StrSplit(text, ',');
  for (std::string& name : names) {
    if (all_but) {
      if (name[0] != '-')
        cell.Fail(absl::StrCat("'", name, "' is one of @loader already"));
      name = name.substr(1);
    }
    if (known.count(name) == 0) {
      cell.Fail(absl::StrCat("there is no architecture '", name, "'"));
    }
  }
  return reading(all_but ? "kAllBut" : "kOnlyArchitectures", names);
}

// Format, values of the specification, values of the loader, array length.
std::string Values(const Cell& cell, std::string* lists) {
  static const std::set<std::string> kFormats = {"url",  "doi",      "uuid",
                                                 "spdx", "language", "size"};
  absl::string_view text = cell.text;
  std::string format = "Any";
  std::vector<std::string> spec, loader;
  uint32_t length = 0;
  if (absl::ConsumePrefix(&text, "format ")) {
    if (kFormats.count(std::string(text)) == 0) {
      cell.Fail(absl::StrCat("there is no format '", text, "'"));
    }
    format = std::string(text);
    format[0] = absl::ascii_toupper(format[0]);
  } else if (absl::ConsumePrefix(&text, "spec ")) {
    spec = absl::StrSplit(text, '|');
  } else if (absl::ConsumePrefix(&text, "llama.cpp ")) {
    loader = absl::StrSplit(text, '|');
  } else if (absl::ConsumePrefix(&text, "length ")) {
    if (!absl::SimpleAtoi(text, &length)) cell.Fail("the length is no number");
  } else if (text != "-") {
    cell.Fail("neither a format, values, a length nor -");
  }
  return absl::StrCat("ValueFormat::k", format, ", ", List(spec, lists), ", ",
                      List(loader, lists), ", ", length);
}

std::string Status(const Row& row, const std::set<std::string>& patterns) {
  static const std::set<std::string> kStatuses = {
      "current", "retired", "misspelt", "unread", "superseded"};
  const Cell &status = row[6], &successor = row[7];
  if (kStatuses.count(status.text) == 0) {
    status.Fail(absl::StrCat("there is no status '", status.text, "'"));
  }
  const bool has_successor = successor.text != "-";
  if (has_successor == (status.text == "current")) {
    successor.Fail("a key has a successor if it is not current, and only then");
  }
  // One with an architecture's own name stands for {arch}.
  const std::string general = absl::StrCat(
      "{arch}.", successor.text.substr(successor.text.find('.') + 1));
  if (has_successor && patterns.count(successor.text) == 0 &&
      patterns.count(general) == 0) {
    successor.Fail(absl::StrCat("there is no key '", successor.text, "'"));
  }
  std::string name = status.text;
  name[0] = absl::ascii_toupper(name[0]);
  return absl::StrCat("KeyStatus::k", name, ", ",
                      Quoted(has_successor ? successor.text : ""));
}

void CompileKeys(Tsv keys, const Tsv& architectures) {
  ExpectColumns(keys, {"key", "spec", "loader", "readers", "writer", "values",
                       "status", "successor"});
  std::set<std::string> known, patterns;
  for (const Row& row : architectures.rows) known.insert(row[0].text);
  for (const Row& row : keys.rows) {
    if (!patterns.insert(row[0].text).second) row[0].Fail("duplicate row");
  }
  std::sort(keys.rows.begin(), keys.rows.end(),
            [](const Row& a, const Row& b) { return a[0].text < b[0].text; });
  std::string lists, rows;
  for (const Row& row : keys.rows) {
    const TypeSet loader = Types(row[2]);
    if ((loader == 0) != (row[3].text == "-")) {
      row[3].Fail("a key is read as some type by somebody, or by neither");
    }
    absl::StrAppend(&rows, "    {", Quoted(row[0].text), ", ", Types(row[1]),
                    "u, ", row[1].text == "count" ? "true" : "false", ", ",
                    loader, "u, ", Readers(row[3], known, &lists), ", ",
                    Types(row[4]), "u, ", Values(row[5], &lists), ", ",
                    Status(row, patterns), "},\n");
  }
  Open("standard_keys.h");
  std::printf("namespace {\n\n%s\n}  // namespace\n\n", lists.c_str());
  std::printf("const StandardKey kStandardKeys[] = {\n%s};\n", rows.c_str());
  std::printf("const size_t kStandardKeyCount = %zu;\n", keys.rows.size());
  Close();
}

uint32_t TensorTypeNamed(const Cell& cell, absl::string_view name) {
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (name == type.name) return type.id;
  }
  cell.Fail(absl::StrCat("there is no tensor type '", name, "'"));
}

void CompileFileTypes(const Tsv& table) {
  static const std::set<std::string> kStatuses = {"spec", "newer", "removed"};
  ExpectColumns(table, {"id", "name", "types", "status"});
  Open("file_types.h");
  std::printf("const FileType kFileTypes[] = {\n");
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (row[0].text != absl::StrCat(i)) row[0].Fail("the next id is expected");
    uint64_t types = 0;
    for (const std::string& name : Words(row[2])) {
      types |= uint64_t{1} << TensorTypeNamed(row[2], name);
    }
    std::string status = row[3].text;
    if (kStatuses.count(status) == 0) row[3].Fail("no such status");
    status[0] = absl::ascii_toupper(status[0]);
    std::printf("    {%s, %lluull, FileType::k%s},\n",
                Quoted(row[1].text).c_str(),
                static_cast<unsigned long long>(types), status.c_str());
  }
  std::printf("};\nconst uint32_t kFileTypeCount = %zu;\n", table.rows.size());
  Close();
}

void WriteWords(absl::string_view name, std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  const std::string array(name);
  std::printf("const absl::string_view %s[] = {\n", array.c_str());
  for (const std::string& word : words)
    std::printf("    \"%s\",\n", word.c_str());
  std::printf("};\nconst size_t %sCount = %zu;\n\n", array.c_str(),
              words.size());
}

void CompileSpdx(const Tsv& table) {
  ExpectColumns(table, {"id", "kind"});
  std::vector<std::string> licences, exceptions;
  std::set<std::string> seen;
  for (const Row& row : table.rows) {
    const std::string id = absl::AsciiStrToLower(row[0].text);
    if (!seen.insert(id).second) row[0].Fail("duplicate row");
    if (row[1].text == "license") {
      licences.push_back(id);
    } else if (row[1].text == "exception") {
      exceptions.push_back(id);
    } else {
      row[1].Fail("neither license nor exception");
    }
  }
  Open("spdx_ids.h");
  WriteWords("kSpdxLicenses", licences);
  WriteWords("kSpdxExceptions", exceptions);
  Close();
}

void CompileLanguages(const Tsv& table) {
  ExpectColumns(table, {"three", "two"});
  std::set<std::string> three, two;
  std::string rows;
  for (const Row& row : table.rows) {
    if (row[0].text.size() != 3) row[0].Fail("three letters are expected");
    if (!three.insert(row[0].text).second) row[0].Fail("duplicate row");
    if (*three.rbegin() != row[0].text) row[0].Fail("out of order");
    const bool has_two = row[1].text != "-";
    if (has_two && row[1].text.size() != 2) row[1].Fail("two letters or -");
    if (has_two) two.insert(row[1].text);
    absl::StrAppend(&rows, "    {\"", row[0].text, "\", \"",
                    has_two ? row[1].text : "", "\"},\n");
  }
  Open("iso_639.h");
  std::printf("const Language kLanguages[] = {\n%s};\n", rows.c_str());
  std::printf("const size_t kLanguageCount = %zu;\n\n", table.rows.size());
  WriteWords("kTwoLetterLanguages", {two.begin(), two.end()});
  Close();
}

int Main(const std::vector<std::string>& args) {
  if (args.size() < 2) return 2;
  const Tsv table = ReadTsv(args[1]);
  if (args[0] == "keys" && args.size() == 3) {
    CompileKeys(table, ReadTsv(args[2]));
  } else if (args[0] == "file_types") {
    CompileFileTypes(table);
  } else if (args[0] == "spdx") {
    CompileSpdx(table);
  } else if (args[0] == "languages") {
    CompileLanguages(table);
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
