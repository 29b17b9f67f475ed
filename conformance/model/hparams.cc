// Resolves symbols, evaluates expressions, and names what their values depend on.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/hparams.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"

namespace gguf {
namespace {

using Value = std::optional<int64_t>;

// A name that is too long for a key is not copied into a hundred keys.
constexpr size_t kLongestPrefix = 65535;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

Value LoadInteger(const uint8_t* at, const ValueTypeInfo& type, Endian endian) {
  if (type.kind != ValueKind::kUnsigned && type.kind != ValueKind::kSigned &&
      type.kind != ValueKind::kBool) {
    return std::nullopt;
  }
  const uint64_t bits = LoadUnsignedOfSize(at, type.size, endian);
  if (type.kind == ValueKind::kBool) return bits != 0;
  const uint32_t unused = 64 - 8 * type.size;
  if (type.kind == ValueKind::kSigned) {
    return static_cast<int64_t>(bits << unused) >> unused;
  }
  if (bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<int64_t>(bits);
}

// Bytes before the elements of an array: their type and number.
uint64_t ArrayHeader(const File& file) { return 4 + file.encoding.length_bytes; }

Value Combine(OpCode code, int64_t a, int64_t b) {
  int64_t result;
  switch (code) {
    case OpCode::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
      return result;
    case OpCode::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
      return result;
    case OpCode::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
      return result;
    case OpCode::kDivide:
      if (b == 0 || (a == kLeast && b == -1)) return std::nullopt;
      return a / b;
    case OpCode::kRemainder:
      if (b == 0 || (a == kLeast && b == -1)) return std::nullopt;
      return a % b;
    case OpCode::kMin:
      return std::min(a, b);
    case OpCode::kMax:
      return std::max(a, b);
    case OpCode::kEqual:
      return a == b;
    case OpCode::kUnequal:
      return a != b;
    case OpCode::kLess:
      return a < b;
    default:
      return a <= b;  // kLessOrEqual
  }
}

bool IsSquare(int64_t number) {
  if (number < 0 || number > int64_t{1} << 52) return false;
  const auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(number)));
  return root * root == number || (root + 1) * (root + 1) == number;
}

Value CombineUnknown(OpCode code, Value a, Value b) {
  if (code == OpCode::kAnd && (a == 0 || b == 0)) return 0;
  if (code == OpCode::kOr && (a == 1 || b == 1)) return 1;
  if (!a || !b) return std::nullopt;
  if (code == OpCode::kAnd) return 1;
  if (code == OpCode::kOr) return 0;
  return Combine(code, *a, *b);
}

}  // namespace

std::optional<int64_t> IntegerOf(const File& file, const KeyValue& kv, uint64_t i) {
  const uint8_t* const value = file.bytes.data() + kv.value.begin;
  if (kv.type->kind != ValueKind::kArray) {
    return LoadInteger(value, *kv.type, file.encoding.endian);
  }
  if (i >= kv.length) return std::nullopt;
  // Inside the file, since the parser has read the whole value.
  return LoadInteger(value + ArrayHeader(file) + i * kv.element_type->size, *kv.element_type,
                     file.encoding.endian);
}

std::optional<uint64_t> LengthOf(const KeyValue& kv) {
  if (kv.type->kind != ValueKind::kArray) return std::nullopt;
  return kv.length;
}

std::optional<double> FloatOf(const File& file, const KeyValue& kv) {
  if (kv.type->kind != ValueKind::kFloat) return std::nullopt;
  const uint64_t bits =
      LoadUnsignedOfSize(file.bytes.data() + kv.value.begin, kv.type->size, file.encoding.endian);
  return kv.type->size == 4 ? FloatFromBits(static_cast<uint32_t>(bits)) : DoubleFromBits(bits);
}

Hparams::Hparams(const File& file, const KeyIndex& keys, const TensorIndex& tensors)
    : file_(file), keys_(keys), tensors_(tensors) {
  const KeyValue* kv = keys_.Find("general.architecture");
  const auto name = kv != nullptr ? file.String(*kv) : std::nullopt;
  if (name) architecture_key_ = kv;
  SetArchitecture(name.value_or(""), FindArchitecture(name.value_or("")));
}

Hparams::Hparams(const File& file, const KeyIndex& keys, const TensorIndex& tensors,
                 absl::string_view architecture, int64_t most_blocks)
    : file_(file), keys_(keys), tensors_(tensors), most_blocks_(most_blocks) {
  SetArchitecture(architecture, FindArchitecture(architecture));
}

Hparams::Hparams(const File& file, const KeyIndex& keys, const TensorIndex& tensors,
                 uint16_t projector, absl::string_view prefix)
    : file_(file), keys_(keys), tensors_(tensors) {
  SetArchitecture(prefix, projector);
}

void Hparams::SetArchitecture(absl::string_view name, uint16_t architecture) {
  architecture_name_ = name;
  if (name.size() <= kLongestPrefix) prefix_ = name;
  architecture_ = architecture;
  for (const SymbolRow& row : kSymbolRows.Of(architecture_)) {
    const SymbolRow*& chosen = rows_[static_cast<int>(row.symbol)];
    if (chosen == nullptr || chosen->general) chosen = &row;
  }
}

const KeyValue* Hparams::Key(Symbol symbol) const {
  FoundKey& found = keys_of_[static_cast<int>(symbol)];
  if (!found.looked_up) {
    const absl::string_view pattern = Row(symbol).key;
    found = {true, pattern.empty() ? nullptr : keys_.Find(Expand(pattern))};
  }
  return found.kv;
}

std::string Hparams::Expand(absl::string_view pattern, int64_t i) const {
  std::string name;
  if (absl::ConsumePrefix(&pattern, "{arch}")) {
    name.reserve(prefix_.size() + pattern.size());
    absl::StrAppend(&name, prefix_);
  }
  size_t at;
  while ((at = pattern.find("%d")) != absl::string_view::npos) {
    absl::StrAppend(&name, pattern.substr(0, at), i);
    pattern.remove_prefix(at + 2);
  }
  absl::StrAppend(&name, pattern);
  return name;
}

std::optional<int64_t> Hparams::Get(Symbol symbol, int64_t i) const {
  if (i != 0) return Compute(symbol, i);
  Known& known = known_[static_cast<int>(symbol)];
  if (!known.computed) {
    known.value = Compute(symbol, 0);
    known.computed = true;
  }
  return known.value;
}

// A key of the wrong type gives no value: `otherwise` is for absent ones.
std::optional<int64_t> Hparams::Compute(Symbol symbol, int64_t i) const {
  if (assumed_ && assumed_->first == symbol) return assumed_->second;
  const SymbolRow& row = *rows_[static_cast<int>(symbol)];
  const KeyValue* kv = Key(symbol);
  if (kv == nullptr) {
    if (row.otherwise.empty()) return std::nullopt;
    return Evaluate(row.otherwise, i);
  }
  if (row.part == KeyPart::kLength) {
    const auto length = LengthOf(*kv);
    if (!length) return std::nullopt;
    return static_cast<int64_t>(*length);
  }
  if (row.part == KeyPart::kSign) {
    const std::optional<double> number = FloatOf(file_, *kv);
    if (!number) return std::nullopt;
    return std::isnan(*number) ? 2 : *number < 0 ? -1 : *number > 0;
  }
  if (row.part == KeyPart::kFloor) {
    constexpr double kEnd = int64_t{1} << 53;
    const std::optional<double> number = FloatOf(file_, *kv);
    if (!number || !(*number >= 0 && *number < kEnd)) return std::nullopt;
    return static_cast<int64_t>(*number);
  }
  if (!row.per_block && kv->type->kind == ValueKind::kArray) {
    return std::nullopt;
  }
  if (i < 0) return std::nullopt;
  const Value value = IntegerOf(file_, *kv, i);
  if (row.type == ExprType::kBool && value) return *value != 0;
  return value;
}

std::optional<absl::string_view> Hparams::Text(Symbol symbol) const {
  const KeyValue* kv = Key(symbol);
  if (kv == nullptr) return std::nullopt;
  return file_.String(*kv);
}

std::optional<int64_t> Hparams::Evaluate(const Expr& expr, int64_t i) const {
  return Run(expr.code, expr.size, i);
}

std::optional<int64_t> Hparams::Run(const Op* code, uint32_t size, int64_t i) const {
  Value stack[1 + kMostOnStack];  // The first represents an empty stack.
  Value* top = stack;
  for (const Op* op = code; op < code + size; ++op) {
    switch (op->code) {
      case OpCode::kElement:
        *top = *top ? Get(static_cast<Symbol>(op->number), **top) : std::nullopt;
        break;
      case OpCode::kAnyBlock:
        *++top = AnyBlock(op + 1, op->number);
        op += op->number;
        break;
      case OpCode::kNot:
        if (*top) *top = !**top;
        break;
      case OpCode::kNegate:
        *top = *top ? Combine(OpCode::kSubtract, 0, **top) : std::nullopt;
        break;
      case OpCode::kIsSquare:
        *top = *top ? Value(IsSquare(**top)) : std::nullopt;
        break;
      case OpCode::kSelect:
        top -= 2;
        *top = *top ? (**top != 0 ? top[1] : top[2]) : std::nullopt;
        break;
      default:
        if (op->code <= OpCode::kNe) {
          *++top = Push(*op, i);
        } else {
          --top;
          *top = CombineUnknown(op->code, top[0], top[1]);
        }
    }
  }
  return *top;
}

// Evaluates the operations that look something up.
std::optional<int64_t> Hparams::Push(const Op& op, int64_t i) const {
  switch (op.code) {
    case OpCode::kNumber:
      return op.number;
    case OpCode::kIndex:
      return i;
    case OpCode::kScalar:
      return Get(static_cast<Symbol>(op.number));
    case OpCode::kIsSet:
      return Key(static_cast<Symbol>(op.number)) != nullptr;
    case OpCode::kIsArray: {
      const KeyValue* kv = Key(static_cast<Symbol>(op.number));
      return kv != nullptr && kv->type->kind == ValueKind::kArray;
    }
    case OpCode::kTextIs: {
      const auto text = Text(static_cast<Symbol>(op.number));
      if (!text) return std::nullopt;
      return *text == op.text;
    }
    default:
      break;
  }
  const TensorInfo* tensor = tensors_.Find(
      absl::string_view(op.text).find('%') == absl::string_view::npos ? op.text
                                                                      : Expand(op.text, i));
  if (op.code == OpCode::kPresent) return tensor != nullptr;
  if (tensor == nullptr) return std::nullopt;
  if (op.code == OpCode::kTypeIs) return tensor->type.value == op.number;
  const uint64_t dim =  // kNe
      op.number < tensor->rank() ? tensor->dims[op.number] : 1;
  if (dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<int64_t>(dim);
}

std::optional<int64_t> Hparams::AnyBlock(const Op* code, uint32_t size) const {
  const Value blocks = Get(Symbol::kNLayerAll);
  if (!blocks || *blocks > kMostBlocks) return std::nullopt;
  bool unknown = false;
  for (int64_t i = 0; i < std::min(*blocks, most_blocks_); ++i) {
    const Value value = Run(code, size, i);
    if (value == 1) return 1;
    unknown |= !value;
  }
  if (unknown) return std::nullopt;
  return 0;
}

// Walks the operations of an expression.

namespace {

template <class T>
void AddOnce(T item, std::vector<T>* items) {
  if (std::find(items->begin(), items->end(), item) == items->end()) {
    items->push_back(std::move(item));
  }
}

struct Names {
  std::vector<std::string> keys;
  std::vector<std::string> tensors;
  std::vector<const Expr*> exprs;  // Of symbols without a key.
};

void AddName(const Hparams& hparams, const Op& op, Names* names) {
  switch (op.code) {
    case OpCode::kPresent:
    case OpCode::kTypeIs:
    case OpCode::kNe:
      AddOnce(Visible(hparams.Expand(absl::StrReplaceAll(op.text, {{"%d", "N"}}))),
              &names->tensors);
      break;
    case OpCode::kScalar:
    case OpCode::kElement:
    case OpCode::kIsSet:
    case OpCode::kIsArray:
    case OpCode::kTextIs: {
      const SymbolRow& row = hparams.Row(static_cast<Symbol>(op.number));
      if (*row.key != 0) {
        AddOnce(Visible(hparams.Expand(row.key)), &names->keys);
      } else {
        AddOnce(&row.otherwise, &names->exprs);
      }
      break;
    }
    default:
      break;
  }
}

// Returns "a, b and c".
std::string Listed(std::vector<std::string> all) {
  if (all.empty()) return "";
  const std::string last = std::move(all.back());
  all.pop_back();
  return absl::StrCat(absl::StrJoin(all, ", "), all.empty() ? "" : " and ", last);
}

}  // namespace

std::string NamesIn(const Hparams& hparams, const Expr& expr) {
  Names names;
  names.exprs.push_back(&expr);
  for (size_t next = 0; next < names.exprs.size(); ++next) {
    const Expr& here = *names.exprs[next];
    for (uint32_t i = 0; i < here.size; ++i) {
      AddName(hparams, here.code[i], &names);
    }
  }
  for (const std::string& tensor : names.tensors) {
    names.keys.push_back(absl::StrCat("the tensor ", tensor));
  }
  return Listed(std::move(names.keys));
}

std::string KeysBehind(const Hparams& hparams, std::vector<const Expr*> exprs, int64_t i) {
  std::vector<std::string> stated, absent;
  for (size_t next = 0; next < exprs.size(); ++next) {
    const Expr& here = *exprs[next];
    for (uint32_t at = 0; at < here.size; ++at) {
      const Op& op = here.code[at];
      if (op.code != OpCode::kScalar && op.code != OpCode::kElement) continue;
      const auto symbol = static_cast<Symbol>(op.number);
      const SymbolRow& row = hparams.Row(symbol);
      const std::string key = Visible(hparams.Expand(row.key));
      const KeyValue* kv = *row.key == 0 ? nullptr : hparams.Key(symbol);
      const auto value = hparams.Get(symbol, i);
      if (kv == nullptr || !value) {
        if (*row.key != 0) AddOnce(absl::StrCat(key, " (absent)"), &absent);
        AddOnce(&row.otherwise, &exprs);
      } else {
        const bool is_length = row.part == KeyPart::kLength;
        const bool is_element = kv->element_type != nullptr && !is_length;
        AddOnce(absl::StrCat(is_length ? "the length of " : "", key,
                             is_element ? absl::StrCat("[", i, "]") : "", " (", *value, ")"),
                &stated);
      }
    }
  }
  return Listed(std::move(stated.empty() ? absent : stated));
}

}  // namespace gguf
