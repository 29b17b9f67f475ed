// A recursive-descent parser that emits postfix code and checks types.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/expr_parser.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "parser/core/tensor_type.h"

namespace gguf {
namespace {

const char* Name(ExprType type) {
  switch (type) {
    case ExprType::kInt:
      return "a number";
    case ExprType::kBool:
      return "a truth value";
    case ExprType::kText:
      return "a text";
  }
  return "";
}

struct Binary {
  const char* sign;
  int level;  // A higher one binds tighter.
  OpCode code;
  bool swapped;  // a > b is b < a.
  ExprType operands;
  ExprType result;
};

// A longer operator precedes its prefixes.
constexpr Binary kBinaries[] = {
    {"||", 0, OpCode::kOr, false, ExprType::kBool, ExprType::kBool},
    {"&&", 1, OpCode::kAnd, false, ExprType::kBool, ExprType::kBool},
    {"==", 2, OpCode::kEqual, false, ExprType::kInt, ExprType::kBool},
    {"!=", 2, OpCode::kUnequal, false, ExprType::kInt, ExprType::kBool},
    {"<=", 2, OpCode::kLessOrEqual, false, ExprType::kInt, ExprType::kBool},
    {">=", 2, OpCode::kLessOrEqual, true, ExprType::kInt, ExprType::kBool},
    {"<", 2, OpCode::kLess, false, ExprType::kInt, ExprType::kBool},
    {">", 2, OpCode::kLess, true, ExprType::kInt, ExprType::kBool},
    {"+", 3, OpCode::kAdd, false, ExprType::kInt, ExprType::kInt},
    {"-", 3, OpCode::kSubtract, false, ExprType::kInt, ExprType::kInt},
    {"*", 4, OpCode::kMultiply, false, ExprType::kInt, ExprType::kInt},
    {"/", 4, OpCode::kDivide, false, ExprType::kInt, ExprType::kInt},
    {"%", 4, OpCode::kRemainder, false, ExprType::kInt, ExprType::kInt},
};
constexpr int kLevels = 5;

class Parser {
 public:
  Parser(absl::string_view source, bool has_index, const SymbolTypes& symbols)
      : source_(source), has_index_(has_index), symbols_(symbols) {}

  ParsedExpr Run(ExprType wanted) {
    Expect(Choice(), wanted, 0);
    Skip();
    if (at_ < source_.size()) Fail(at_, "unexpected text after the expression");
    if (MostOnStack() > kMostOnStack) Fail(0, "the expression is too deep");
    return std::move(parsed_);
  }

 private:
  bool failed() const { return !parsed_.error.empty(); }

  ExprType Fail(size_t column, absl::string_view why) {
    if (!failed()) {
      parsed_.error = std::string(why);
      parsed_.column = column;
    }
    at_ = source_.size();
    return ExprType::kInt;
  }

  void Expect(ExprType found, ExprType wanted, size_t column) {
    if (found == wanted || failed()) return;
    Fail(column, absl::StrCat(Name(wanted), " is wanted, not ", Name(found)));
  }

  // Skips spaces; returns the column of the next token.
  size_t Skip() {
    while (at_ < source_.size() && source_[at_] == ' ') ++at_;
    return at_;
  }
  bool Next(absl::string_view sign) {
    if (source_.substr(Skip(), sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  void Need(absl::string_view sign) {
    if (!Next(sign)) Fail(at_, absl::StrCat("'", sign, "' is expected"));
  }
  absl::string_view Word() {
    const size_t begin = Skip();
    while (at_ < source_.size() &&
           (absl::ascii_isalnum(source_[at_]) || source_[at_] == '_')) {
      ++at_;
    }
    return source_.substr(begin, at_ - begin);
  }

  void Emit(OpCode code, int64_t number = 0, absl::string_view text = "") {
    parsed_.code.push_back({code, number, std::string(text)});
  }

  ExprType Choice() {
    const size_t begin = Skip();
    const ExprType first = BinaryOf(0);
    if (!Next("?")) return first;
    Expect(first, ExprType::kBool, begin);
    const ExprType yes = Choice();
    Need(":");
    const size_t third = Skip();
    Expect(Choice(), yes, third);
    Emit(OpCode::kSelect);
    return yes;
  }

  const Binary* NextBinary(int level) {
    for (const Binary& binary : kBinaries) {
      if (!Next(binary.sign)) continue;
      if (binary.level == level) return &binary;
      at_ -= absl::string_view(binary.sign).size();
      return nullptr;
    }
    return nullptr;
  }

  ExprType BinaryOf(int level) {
    if (level == kLevels) return Unary();
    const size_t left_column = Skip();
    const size_t left_code = parsed_.code.size();
    ExprType left = BinaryOf(level + 1);
    while (const Binary* binary = NextBinary(level)) {
      if (left == ExprType::kText) return CompareText(*binary);
      const size_t right_code = parsed_.code.size();
      const size_t right_column = Skip();
      const ExprType right = BinaryOf(level + 1);
      // Truth values may also be compared for equality.
      const bool equality =
          binary->code == OpCode::kEqual || binary->code == OpCode::kUnequal;
      const ExprType operands = equality ? left : binary->operands;
      Expect(left, operands, left_column);
      Expect(right, operands, right_column);
      auto& code = parsed_.code;
      if (binary->swapped) {
        std::rotate(code.begin() + left_code, code.begin() + right_code,
                    code.end());
      }
      Emit(binary->code);
      left = binary->result;
      if (level == 2) break;  // a < b < c is an error.
    }
    return left;
  }

  // After `text ==`, the only place of a text literal.  Its operation is the
  // last.
  ExprType CompareText(const Binary& binary) {
    const size_t column = at_;
    if (binary.code != OpCode::kEqual && binary.code != OpCode::kUnequal) {
      return Fail(column, "texts have no order");
    }
    const std::string literal = Literal();
    if (failed()) return ExprType::kBool;
    ParsedOp& op = parsed_.code.back();
    if (op.code == OpCode::kTypeIs) {
      std::optional<int64_t> id;
      for (uint32_t type = 0; type < 256; ++type) {
        const TensorTypeInfo* info = FindTensorType(type);
        if (info != nullptr && literal == info->name) id = type;
      }
      if (!id) return Fail(column, "unknown tensor type");
      op.number = *id;
    } else {
      op.text = literal;
    }
    if (binary.code == OpCode::kUnequal) Emit(OpCode::kNot);
    return ExprType::kBool;
  }

  std::string Literal() {
    Need("\"");
    const size_t end = source_.find('"', at_);
    if (end == absl::string_view::npos) {
      Fail(at_, "unterminated text");
      return "";
    }
    const absl::string_view text = source_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(text);
  }

  ExprType Unary() {
    const size_t begin = Skip();
    if (source_.substr(at_, 2) != "!=" && Next("!")) {
      Expect(Unary(), ExprType::kBool, begin + 1);
      Emit(OpCode::kNot);
      return ExprType::kBool;
    }
    if (Next("-")) {
      Expect(Unary(), ExprType::kInt, begin + 1);
      Emit(OpCode::kNegate);
      return ExprType::kInt;
    }
    if (Next("(")) {
      const ExprType type = Choice();
      Need(")");
      return type;
    }
    const absl::string_view word = Word();
    if (word.empty()) return Fail(begin, "a value is expected");
    if (absl::ascii_isdigit(word[0])) {
      int64_t number = 0;
      if (!absl::SimpleAtoi(word, &number)) return Fail(begin, "not a number");
      Emit(OpCode::kNumber, number);
      return ExprType::kInt;
    }
    if (word == "true" || word == "false") {
      Emit(OpCode::kNumber, word == "true");
      return ExprType::kBool;
    }
    if (word == "i") {
      if (!has_index_)
        return Fail(begin, "a block index is not available here");
      Emit(OpCode::kIndex);
      return ExprType::kInt;
    }
    if (Next("(")) {
      const ExprType type = Function(word, begin);
      Need(")");
      return type;
    }
    return Symbol(word, begin);
  }

  ExprType Function(absl::string_view name, size_t begin);

  const SymbolType* FindSymbol(absl::string_view name, size_t column) {
    const auto found = symbols_.find(std::string(name));
    if (found != symbols_.end()) return &found->second;
    Fail(column, absl::StrCat("unknown symbol ", name));
    return nullptr;
  }

  ExprType Symbol(absl::string_view name, size_t begin) {
    const SymbolType* symbol = FindSymbol(name, begin);
    if (symbol == nullptr) return ExprType::kInt;
    if (symbol->type == ExprType::kText) {
      Emit(OpCode::kTextIs, symbol->id);
    } else if (Next("[")) {
      if (!symbol->per_block) {
        return Fail(begin, absl::StrCat(name, " has one value only"));
      }
      const size_t column = Skip();
      Expect(Choice(), ExprType::kInt, column);
      Need("]");
      Emit(OpCode::kElement, symbol->id);
    } else if (symbol->per_block) {
      Emit(OpCode::kNumber, 0);
      Emit(OpCode::kElement, symbol->id);
    } else {
      Emit(OpCode::kScalar, symbol->id);
    }
    return symbol->type;
  }

  std::string TensorName() {
    const size_t column = Skip();
    std::string name = Literal();
    if (!has_index_ && name.find("%d") != std::string::npos) {
      Fail(column, "a block index is not available here");
    }
    return name;
  }

  int MostOnStack() const;

  const absl::string_view source_;
  bool has_index_;
  const SymbolTypes& symbols_;
  size_t at_ = 0;
  ParsedExpr parsed_;
};

ExprType Parser::Function(absl::string_view name, size_t begin) {
  if (name == "present" || name == "absent") {
    Emit(OpCode::kPresent, 0, TensorName());
    if (name == "absent") Emit(OpCode::kNot);
    return ExprType::kBool;
  }
  if (name == "type") {
    Emit(OpCode::kTypeIs, 0, TensorName());
    return ExprType::kText;
  }
  if (name == "ne") {
    const std::string tensor = TensorName();
    Need(",");
    const size_t column = Skip();
    int64_t dim = 0;
    if (!absl::SimpleAtoi(Word(), &dim) || dim > 3) {
      return Fail(column, "a dimension, 0 to 3, is expected");
    }
    Emit(OpCode::kNe, dim, tensor);
    return ExprType::kInt;
  }
  if (name == "set" || name == "is_array") {
    const size_t column = Skip();
    const SymbolType* symbol = FindSymbol(Word(), column);
    if (symbol == nullptr) return ExprType::kBool;
    Emit(name == "set" ? OpCode::kIsSet : OpCode::kIsArray, symbol->id);
    return ExprType::kBool;
  }
  if (name == "min" || name == "max") {
    Expect(Choice(), ExprType::kInt, begin);
    Need(",");
    Expect(Choice(), ExprType::kInt, begin);
    Emit(name == "min" ? OpCode::kMin : OpCode::kMax);
    return ExprType::kInt;
  }
  if (name == "any_block") {
    const size_t op = parsed_.code.size();
    Emit(OpCode::kAnyBlock);
    const bool had_index = has_index_;
    has_index_ = true;
    Expect(Choice(), ExprType::kBool, begin);
    has_index_ = had_index;
    parsed_.code[op].number =
        static_cast<int64_t>(parsed_.code.size() - op - 1);
    return ExprType::kBool;
  }
  return Fail(begin, absl::StrCat("unknown function ", name));
}

int Parser::MostOnStack() const {
  int most = 0;
  int now = 0;
  for (const ParsedOp& op : parsed_.code) {
    if (op.code <= OpCode::kNe) {
      now += op.code != OpCode::kElement;
    } else if (op.code >= OpCode::kAdd) {
      now -= op.code == OpCode::kSelect ? 2 : 1;
    }
    most = std::max(most, now);
  }
  return most;
}

}  // namespace

ParsedExpr ParseExpr(absl::string_view source, ExprType wanted, bool has_index,
                     const SymbolTypes& symbols) {
  return Parser(source, has_index, symbols).Run(wanted);
}

}  // namespace gguf
