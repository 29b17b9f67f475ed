// Writes expressions as C++ constants.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/expr_writer.h"

#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gguf {

std::string CppString(absl::string_view text) {
  return absl::StrCat("\"", absl::CEscape(text), "\"");
}

std::string ExprWriter::Add(const Cell& cell, ExprType type, bool has_index) {
  if (cell.text.empty()) return "{nullptr, 0, \"\"}";
  return AddText(cell, 0, cell.text, type, has_index);
}

std::string ExprWriter::AddText(const Cell& cell, size_t offset,
                                absl::string_view text, ExprType type,
                                bool has_index) {
  // Checked each time: the same text may be invalid in another column.
  const ParsedExpr parsed = ParseExpr(text, type, has_index, symbols_);
  if (!parsed.error.empty()) cell.Fail(parsed.error, offset + parsed.column);
  std::string& expr = exprs_[std::string(text)];
  if (!expr.empty()) return expr;
  expr = absl::StrCat("{kCode + ", ops_, ", ", parsed.code.size(), ", ",
                      CppString(text), "}");
  for (const ParsedOp& op : parsed.code) {
    absl::StrAppend(&code_, "    {static_cast<OpCode>(",
                    static_cast<int>(op.code), "), ", op.number, ", ",
                    op.text.empty() ? "\"\"" : CppString(op.text), "},\n");
    ++ops_;
  }
  return expr;
}

std::string ExprWriter::AddDims(const Cell& cell, bool has_index) {
  constexpr absl::string_view kAnyShape = "elements ";
  if (cell.text.empty()) return "{nullptr, 0, false}";
  const std::string& text = cell.text;
  const bool any_shape = absl::StartsWith(text, kAnyShape);
  size_t begin = any_shape ? kAnyShape.size() : 0;
  if (text.size() < begin + 2 || text[begin] != '[' || text.back() != ']') {
    cell.Fail("[dimension, ...] is expected");
  }
  std::vector<std::string> initializers;
  ++begin;
  int depth = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    const bool last = at + 1 == text.size();
    if (text[at] == ')' || (text[at] == ']' && !last)) --depth;
    if (!last && (text[at] != ',' || depth > 0)) continue;
    while (text[begin] == ' ') ++begin;
    const absl::string_view dim(text.data() + begin, at - begin);
    initializers.push_back(
        dim == "any" ? "{nullptr, 0, \"any\"}"
                     : AddText(cell, begin, dim, ExprType::kInt, has_index));
    begin = at + 1;
  }
  if (initializers.size() > 4) cell.Fail("a tensor has 4 dimensions at most");
  std::string& list = lists_[text];
  if (!list.empty()) return list;
  list = absl::StrCat("{kDims + ", dims_written_, ", ", initializers.size(),
                      any_shape ? ", true}" : ", false}");
  for (const std::string& initializer : initializers) {
    absl::StrAppend(&dims_, "    ", initializer, ",\n");
    ++dims_written_;
  }
  return list;
}

std::string ExprWriter::Definitions() const {
  std::string out;
  if (ops_ > 0) {
    absl::StrAppend(&out, "const Op kCode[] = {\n", code_, "};\n");
  }
  if (dims_written_ > 0) {
    absl::StrAppend(&out, "const Expr kDims[] = {\n", dims_, "};\n");
  }
  return out;
}

namespace {

// Returns the words of an expression that are symbols.
std::set<std::string> SymbolsIn(absl::string_view text,
                                const SymbolTypes& symbols) {
  std::set<std::string> found;
  std::string word;
  for (const char c : absl::StrCat(text, " ")) {
    if (absl::ascii_isalnum(c) || c == '_') {
      word += c;
      continue;
    }
    if (symbols.count(word) > 0) found.insert(word);
    word.clear();
  }
  return found;
}

}  // namespace

// Combines all rows of a symbol, which is slightly stricter than needed.
const Cell* FindCycle(const Tsv& symbols, const Vocabulary& words) {
  std::set<std::string> settled;
  while (true) {
    const size_t before = settled.size();
    const Cell* open = nullptr;
    std::set<std::string> waiting;
    for (const auto& row : symbols.rows) {
      for (const std::string& needed :
           SymbolsIn(row[4].text, words.symbols())) {
        if (settled.count(needed) > 0) continue;
        waiting.insert(row[0].text);
        open = &row[4];
      }
    }
    if (open == nullptr) return nullptr;
    for (const auto& row : symbols.rows) {
      if (waiting.count(row[0].text) == 0) settled.insert(row[0].text);
    }
    if (settled.size() == before) return open;
  }
}

}  // namespace gguf
