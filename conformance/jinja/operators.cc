// The operators of expressions.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/jinja/builtins.h"

namespace gguf::jinja {

using absl::string_view;

// Numbers.

namespace {

constexpr double kTwo63 = 9223372036854775808.0;

// Computes in 64 bits; returns false if that is not enough.
bool Compute(string_view op, int64_t a, int64_t b, int64_t* result) {
  if (op == "+") return !__builtin_add_overflow(a, b, result);
  if (op == "-") return !__builtin_sub_overflow(a, b, result);
  if (op == "*") return !__builtin_mul_overflow(a, b, result);
  *result = 0;
  if (b == -1) return op == "%" || !__builtin_sub_overflow(0, a, result);
  const bool is_below = a % b != 0 && (a < 0) != (b < 0);
  *result = op == "%" ? a % b + (is_below ? b : 0) : a / b - is_below;
  return true;
}

double Compute(string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "//") return std::floor(a / b);
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace

Value Machine::Huge(double value, double digits) {
  if (digits > static_cast<double>(options_.largest_value)) {
    return Fail(Failure::kTooLarge, "makes an integer of too many digits", digits);
  }
  // Nearer to zero, the result is an integer that is not known exactly.
  if (std::abs(value) < kTwo63 || !std::isfinite(value)) return Unknown("integers beyond 64 bits");
  return Value(value, Kind::kHuge);
}

Value Machine::Power(const Value& a, const Value& b) {
  const double base = a.number(), exponent = b.number(), power = std::pow(base, exponent);
  if (base == 0 && exponent < 0) return Raise("0.0 cannot be raised to a negative power");
  if (a.is(Kind::kFloat) || b.is(Kind::kFloat) || exponent < 0) {
    if (std::isnan(power) && base < 0) return Unknown("complex numbers");
    return std::isfinite(power) ? Value(power) : Raise("Numerical result out of range");
  }
  if (!(std::abs(power) < kTwo63)) return Huge(power, exponent * std::log10(std::abs(base)));
  int64_t result = 1;
  // The power of 0, 1 and -1 depends on the parity alone.
  const int64_t times =
      std::abs(base) <= 1 ? std::min<int64_t>(b.integer, 2 + b.integer % 2) : b.integer;
  for (int64_t i = 0; i < times; ++i) result *= a.integer;
  return Value(result);
}

Value Machine::Arithmetic(string_view op, const Value& a, const Value& b) {
  if (op == "**") return Power(a, b);
  if ((op[0] == '/' || op == "%") && b.number() == 0) return Raise("division by zero");
  const bool is_float = a.is(Kind::kFloat) || b.is(Kind::kFloat) || op == "/";
  int64_t exact = 0;
  if (a.is_integer() && b.is_integer() && op != "/" && Compute(op, a.integer, b.integer, &exact)) {
    return Value(exact);
  }
  const double result = Compute(op, a.number(), b.number());
  if (is_float) return Value(result);
  return Huge(result, std::log10(std::abs(a.number())) + std::log10(std::abs(b.number())));
}

// Binary and prefix operators.

Value Machine::Repeat(const Value& value, double times) {
  const size_t size = value.is_string() ? value.size : value.list->items.size();
  const double total = static_cast<double>(size) * std::max(times, 0.0);
  if (!Room(total, 0)) return Value();
  if (value.is_string()) {
    std::string text(value.text().substr(0, static_cast<size_t>(std::min<double>(size, total))));
    while (text.size() < total) text.append(text, 0, static_cast<size_t>(total) - text.size());
    return MakeString(text);
  }
  std::vector<Value> items;
  for (size_t i = 0; i < total; ++i)
    items.push_back(i < size ? value.list->items[i] : items[i - size]);
  return MakeList(std::move(items), value.kind);
}

Value Machine::Binary(string_view op, const Value& a, const Value& b) {
  if (!Work(1)) return Value();
  if (op == "and" || op == "or") return Truth(a) == (op == "and") ? b : a;
  if (op == "~") {
    std::string text;
    return AppendText(a, &text) && AppendText(b, &text) ? MakeString(text) : Value();
  }
  if (a.is_undefined()) return RaiseUndefined(a);
  if (op == "%" && a.is_string()) return FormatPercent(this, a.text(), b);
  if (b.is_undefined()) return RaiseUndefined(b);
  if (a.is_number() && b.is_number()) return Arithmetic(op, a, b);
  const auto is_some = [](const Value& value) { return value.is_string() || value.is_sequence(); };
  if (op == "+" && a.kind == b.kind && a.is_string()) {
    const bool is_safe = a.form == Value::kSafe || b.form == Value::kSafe;
    std::string text;
    for (const Value& part : {a, b}) AppendText(is_safe ? CallFilter("e", part) : part, &text);
    Value sum = MakeString(text);
    if (is_safe) sum.form = Value::kSafe;
    return sum;
  }
  if (op == "+" && a.kind == b.kind && a.is_sequence()) {
    if (!Room(static_cast<double>(a.list->items.size() + b.list->items.size()), 0)) return Value();
    std::vector<Value> items = a.list->items;
    items.insert(items.end(), b.list->items.begin(), b.list->items.end());
    return MakeList(std::move(items), a.kind);
  }
  if (op == "+" && is_some(a)) {
    return Raise(absl::StrCat("can only concatenate ", TypeName(a), " (not \"", TypeName(b),
                              "\") to ", TypeName(a)));
  }
  if (op == "*" && is_some(a) && b.is_integer()) return Repeat(a, b.number());
  if (op == "*" && is_some(b) && a.is_integer()) return Repeat(b, a.number());
  return Raise(absl::StrCat("unsupported operand type(s) for ", op, ": '", TypeName(a), "' and '",
                            TypeName(b), "'"));
}

Value Machine::Prefix(string_view op, const Value& a) {
  if (!Work(1)) return Value();
  if (op == "not") return Value(!Truth(a));
  if (a.is_undefined()) return RaiseUndefined(a);
  if (a.is(Kind::kFloat)) return Value(op == "-" ? -a.real : a.real);
  if (a.is_number()) return Arithmetic(op, Value(int64_t{0}), a);
  return Raise(absl::StrCat("bad operand type for unary ", op, ": '", TypeName(a), "'"));
}

bool Machine::Truth(const Value& value) {
  if (value.is_integer()) return value.integer != 0;
  if (value.is_number()) return value.real != 0;
  if (value.is_string()) return value.size != 0;
  if (value.is_dict()) return !value.dict->entries.empty();
  if (value.has_list()) return value.is(Kind::kGenerator) || !value.list->items.empty();
  return value.kind > Kind::kNone;
}

// Comparisons.

bool Machine::Equal(const Value& a, const Value& b) {
  const Level level(this);
  if (!Work(1)) return false;
  if (a.is_integer() && b.is_integer()) return a.integer == b.integer;
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.kind != b.kind) return false;
  if (a.is_string()) return a.size == b.size && Work(a.size / 16) && a.text() == b.text();
  if (a.is_dict()) {
    if (a.dict->entries.size() != b.dict->entries.size()) return false;
    return absl::c_all_of(a.dict->index, [&](const auto& each) {
      const Value* other = b.dict->Find(each.first);
      return other != nullptr && Equal(a.dict->entries[each.second].second, *other);
    });
  }
  if (!a.is_sequence() && !a.is(Kind::kRange)) return a.is_undefined() || a.data == b.data;
  return absl::c_equal(a.list->items, b.list->items,
                       [&](const Value& x, const Value& y) { return Equal(x, y); });
}

// Returns whether a < b; the same for other operators.
bool Machine::Order(string_view op, const Value& a, const Value& b) {
  const Level level(this);
  if (!Work(1)) return false;
  const auto holds = [&](const auto& x, const auto& y) {
    return op == "<" ? x < y : op == "<=" ? x <= y : op == ">" ? x > y : x >= y;
  };
  if (a.is_integer() && b.is_integer()) return holds(a.integer, b.integer);
  if (a.is_number() && b.is_number()) return holds(a.number(), b.number());
  if (a.is_string() && b.is_string()) {
    return Work(std::min(a.size, b.size) / 16) && holds(a.text(), b.text());
  }
  if (a.kind == b.kind && a.is_sequence()) {
    const std::vector<Value>&x = a.list->items, &y = b.list->items;
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (!Equal(x[i], y[i])) return !failed() && Order(op, x[i], y[i]);
    }
    return holds(x.size(), y.size());
  }
  if (a.is_undefined() || b.is_undefined()) RaiseUndefined(a.is_undefined() ? a : b);
  Raise(absl::StrCat("'", op, "' not supported between instances of '", TypeName(a), "' and '",
                     TypeName(b), "'"));
  return false;
}

bool Machine::Contains(const Value& container, const Value& value) {
  if (container.is_dict()) return container.dict->Find(KeyText(value)) != nullptr && !failed();
  if (container.is_string()) {
    if (value.is_string()) {
      return FindText(this, container.text(), value.text()) != string_view::npos;
    }
    Raise(absl::StrCat("'in <string>' requires string as left operand, not ", TypeName(value)));
  } else if (!container.has_list() && !container.is_undefined()) {
    Raise(absl::StrCat("argument of type '", TypeName(container), "' is not iterable"));
  }
  return absl::c_any_of(Items(container), [&](const Value& item) { return Equal(item, value); });
}

bool Machine::Compare(string_view op, const Value& a, const Value& b) {
  if (failed()) return false;
  if (op == "==") return Equal(a, b);
  if (op == "!=") return !Equal(a, b);
  if (op == "in") return Contains(b, a);
  return op == "not in" ? !Contains(b, a) : Order(op, a, b);
}

// Slices.

Value Machine::Slice(const Value& base, const Value& begin, const Value& end, const Value& step) {
  if (!Work(1)) return Value();
  if (base.is_undefined()) return RaiseUndefined(base);
  if (!base.is_string() && !base.is_sequence() && !base.is(Kind::kRange)) {
    return Raise(absl::StrCat("'", TypeName(base), "' object has no slices"));
  }
  for (const Value& part : {begin, end, step}) {
    if (!part.is_integer() && !part.is_none()) return Raise("slice indices must be integers");
  }
  const auto size = static_cast<int64_t>(Length(base));
  const int64_t by = step.is_none() ? 1 : std::clamp(step.integer, -size - 1, size + 1);
  if (by == 0) return Raise("slice step cannot be zero");
  const int64_t least = by < 0 ? -1 : 0, most = by < 0 ? size - 1 : size;
  const auto bound = [&](const Value& part, int64_t otherwise) {
    if (part.is_none()) return otherwise;
    return std::clamp(part.integer < 0 ? part.integer + size : part.integer, least, most);
  };
  const int64_t from = bound(begin, by < 0 ? most : least), to = bound(end, by < 0 ? least : most);
  if (base.is_string() && by == 1) {
    if (!Work(base.size / 16)) return Value();
    const string_view rest = base.text().substr(SizeOf(from, base.text()));
    return Value(rest.substr(0, SizeOf(std::max<int64_t>(to - from, 0), rest)));
  }
  const std::vector<Value>& items = Items(base);
  std::vector<Value> taken;
  for (int64_t at = from; !failed() && (by < 0 ? at > to : at < to) && Work(1); at += by) {
    taken.push_back(items[at]);
  }
  if (!base.is_string()) return MakeList(std::move(taken), base.kind);
  std::string text;
  for (const Value& character : taken) Append(character.text(), &text);
  return MakeString(text);
}

}  // namespace gguf::jinja
