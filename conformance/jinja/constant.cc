// Classifies literal texts, and computes with constants of templates.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/constant.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {

Facts LiteralFacts(absl::string_view text) {
  // |sort(attribute="a.b,c") reads paths of several attributes.
  const std::vector<absl::string_view> steps = absl::StrSplit(text, absl::ByAnyChar(".,"));
  const auto any = [&](bool (*is_unsafe)(absl::string_view)) {
    return std::any_of(steps.begin(), steps.end(), is_unsafe);
  };
  // With fields, it is no name but may be a format.
  const bool has_fields = absl::StrContains(text, '{');
  const bool is_of_object = has_fields ? HasUnsafeField(text) : any(IsUnsafeOnObject);
  const Origin word = any(IsUnsafeSubscript) ? kUnsafeWord : is_of_object ? kObjectWord : kWord;
  return FactsOf(word, kWord);
}

// Arithmetic on constants of templates.

namespace {

using absl::string_view;

bool IsNumber(const Constant& c) { return c.kind == Constant::kNumber; }
bool HasSize(const Constant& c) { return c.kind == Constant::kText || c.kind == Constant::kList; }

// Marks a value that was computed from these as exact if they are.
Constant From(Constant value, absl::Span<const Constant* const> sources) {
  value.exact = absl::c_all_of(sources, [](const Constant* source) { return source->exact; });
  return value;
}

Constant SomeNumber() {
  Constant c;
  c.kind = Constant::kSomeNumber;
  c.facts = NumberFacts();
  return c;
}

// Converts to text like `~` and `|join`: a whole number becomes its digits.
Constant AsText(const Constant& c) {
  if (c.kind == Constant::kText) return c;
  if (IsNumber(c) && std::abs(c.number) < 1e15 && c.number == std::floor(c.number)) {
    return From(Constant::Text(absl::StrCat(static_cast<int64_t>(c.number))), {&c});
  }
  return Constant::Sized(Constant::kText, 0);
}

Constant Repeat(const Constant& value, const Constant& number) {
  const double times = std::max(number.number, 0.0);
  if (value.size == 0) return value;
  if (value.is_known_text() && value.size * times <= kLongestText) {
    std::string text;
    for (int i = 0; i < static_cast<int>(times); ++i) text += value.text;
    return From(Constant::Text(text), {&value, &number});
  }
  return Constant::Sized(value.kind, value.size * times);
}

// Returns the largest number in a text, such as the width in {:>80}.
double LargestNumber(string_view text) {
  double largest = 0, number = 0;
  for (const char c : text) {
    number = absl::ascii_isdigit(c) ? 10 * number + (c - '0') : 0;
    largest = std::max(largest, number);
  }
  return largest;
}

// Replaces {}, {N} or %s with the texts, in order.  If the format has more than
// that, only its width is known.
Constant Fill(const Constant& format, absl::Span<const Constant> arguments, bool percent) {
  if (!format.is_known_text()) return Constant::Sized(Constant::kText, 0);
  const Constant unknown = Constant::Sized(Constant::kText, LargestNumber(format.text));
  string_view rest = format.text;
  Constant filled = From(Constant::Text(""), {&format});
  size_t next = 0;
  while (filled.whole) {
    const size_t at = rest.find(percent ? '%' : '{');
    filled = Concat(filled, From(Constant::Text(rest.substr(0, at)), {&format}));
    if (absl::StrContains(rest.substr(0, at), '}')) filled.exact = false;
    if (at == string_view::npos) return filled;
    rest.remove_prefix(at + 1);
    const size_t end = percent ? rest.find('s') : rest.find('}');
    if (end == string_view::npos) return unknown;
    size_t index = next++;
    const string_view field = rest.substr(0, end);
    if (!field.empty() && (percent || !absl::SimpleAtoi(field, &index))) {
      return unknown;
    }
    if (index >= arguments.size()) return unknown;
    filled = Concat(filled, arguments[index]);
    rest.remove_prefix(end + 1);
  }
  return filled;
}

Constant Join(const Constant& list, absl::Span<const Constant> arguments) {
  if (list.kind != Constant::kList) {
    const bool is_same = list.kind == Constant::kText && arguments.empty();
    return is_same ? list : Constant::Sized(Constant::kText, 0);
  }
  const Constant by = arguments.empty() ? Constant::Text("") : arguments[0];
  if (!list.whole || !by.is_known_text()) {
    return Constant::Sized(Constant::kText, list.size);
  }
  Constant text = Constant::Text(absl::StrJoin(list.items, by.text));
  text.exact = list.exact && (arguments.empty() || by.exact);
  return text;
}

// Reverses the bytes of a text, or a list.
Constant Reverse(Constant value) {
  std::reverse(value.text.begin(), value.text.end());
  std::reverse(value.items.begin(), value.items.end());
  return value;
}

Constant Replace(const Constant& value, absl::Span<const Constant> arguments) {
  if (arguments.size() < 2 || !arguments[0].is_known_text() || !arguments[1].is_known_text() ||
      arguments[0].text.empty()) {
    return Constant::Sized(Constant::kText, value.size);
  }
  Constant text =
      Constant::Text(absl::StrReplaceAll(value.text, {{arguments[0].text, arguments[1].text}}));
  text.exact = arguments.size() == 2 && value.exact && arguments[0].exact && arguments[1].exact;
  return text;
}

// Returns whether an argument of the filter or method is a number of characters
// or elements to pad to, or by.
bool IsPadding(string_view name, size_t arguments) {
  // batch(n) alone does not pad.
  if (name == "batch") return arguments >= 2;
  static constexpr string_view kPaddings[] = {"center", "ljust",  "rjust", "zfill",
                                              "indent", "tojson", "slice", "expandtabs"};
  return absl::c_linear_search(kPaddings, name);
}

Constant Pad(string_view name, absl::Span<const Constant> arguments) {
  double width = 0;
  for (const Constant& argument : arguments) {
    if (IsNumber(argument)) width = std::max(width, argument.number);
  }
  const bool is_list = name == "batch" || name == "slice";
  return Constant::Sized(is_list ? Constant::kList : Constant::kText, width);
}

Constant TransformText(string_view name, const Constant& value,
                       absl::Span<const Constant> arguments) {
  if (name == "replace") return Replace(value, arguments);
  Constant text = value;
  if (name == "lower") {
    text = Constant::Text(absl::AsciiStrToLower(value.text));
  } else if (name == "upper") {
    text = Constant::Text(absl::AsciiStrToUpper(value.text));
  } else if (name == "trim" || name == "strip") {
    text = Constant::Text(absl::StripAsciiWhitespace(value.text));
  } else if (name != "string") {
    for (const string_view same : {"safe", "escape", "e", "list"}) {
      if (name != same) continue;
      text.exact = false;
      return text;
    }
    return Constant::Sized(Constant::kText, 0);
  }
  text.exact = value.exact && arguments.empty();
  return text;
}

Constant TransformList(string_view name, const Constant& value) {
  if (name == "list") return value;
  const bool is_first = name == "first";
  if (!value.whole || value.items.empty() || (!is_first && name != "last")) {
    return {};
  }
  return From(Constant::Text(is_first ? value.items.front() : value.items.back()), {&value});
}

}  // namespace

Constant Constant::Number(double number) {
  Constant c;
  c.kind = kNumber;
  c.number = number;
  c.facts = NumberFacts();
  return c;
}

Constant Constant::Parse(string_view literal) {
  const std::string digits = absl::StrReplaceAll(literal, {{"_", ""}});
  const char kind = digits.size() > 2 ? absl::ascii_tolower(digits[1]) : '0';
  const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
  double number = 0;
  if (base == 10) {
    if (!absl::SimpleAtod(digits, &number)) number = 0;
    Constant decimal = Number(number);
    decimal.exact = absl::c_all_of(digits, absl::ascii_isdigit);
    return decimal;
  }
  for (const char c : string_view(digits).substr(2)) {
    const bool is_decimal = absl::ascii_isdigit(c);
    number = number * base + (is_decimal ? c - '0' : absl::ascii_tolower(c) - 'a' + 10);
  }
  return Number(number);
}

Constant Constant::Text(string_view text) {
  Constant c = Sized(kText, static_cast<double>(text.size()));
  c.whole = text.size() <= kLongestText;
  if (c.whole) c.text = std::string(text);
  return c;
}

Constant Constant::Literal(string_view text) {
  Constant c = Text(text);
  c.exact = c.whole && absl::c_all_of(text, [](char byte) {
              return absl::ascii_isprint(byte) || byte == '\n' || byte == '\t';
            });
  return c;
}

Constant Constant::Sized(Kind kind, double size) {
  Constant c;
  c.kind = kind;
  c.size = size;
  return c;
}

Constant Constant::List(absl::Span<const Constant> items, size_t count) {
  Constant list = Sized(kList, static_cast<double>(count));
  size_t bytes = 0;
  list.whole = count == items.size() && count <= kMostItems;
  for (const Constant& item : items) {
    list.whole = list.whole && item.is_known_text();
    bytes += item.text.size();
  }
  list.whole = list.whole && bytes <= kLongestText;
  if (!list.whole) return list;
  list.exact = true;
  for (const Constant& item : items) {
    list.exact = list.exact && item.exact;
    list.items.push_back(item.text);
  }
  return list;
}

Constant Constant::Absent() {
  Constant absent = Unknown({});
  absent.exact = true;
  return absent;
}

Constant Constant::Unknown(const Facts& facts) { return Constant().With(facts); }

Constant Constant::With(const Facts& other) const {
  Constant same = *this;
  same.facts = other;
  return same;
}

Copies CopiesOf(absl::Span<const Constant> values) {
  Copies copies;
  for (const Constant& value : values) copies.Add(value.copies);
  return copies;
}

Constant Add(const Constant& a, const Constant& b) {
  if (IsNumber(a) && IsNumber(b)) {
    return From(Constant::Number(a.number + b.number), {&a, &b});
  }
  if (a.kind == Constant::kText || b.kind == Constant::kText) {
    return Concat(a, b);
  }
  if (IsNumber(a) || IsNumber(b)) return SomeNumber();
  if (a.kind != Constant::kList || b.kind != Constant::kList) return {};
  Constant list = Constant::Sized(Constant::kList, a.size + b.size);
  list.whole = a.whole && b.whole && list.size <= kMostItems;
  if (!list.whole) return list;
  list.items = a.items;
  list.items.insert(list.items.end(), b.items.begin(), b.items.end());
  return From(std::move(list), {&a, &b});
}

Constant Concat(const Constant& a, const Constant& b) {
  const Constant left = AsText(a), right = AsText(b);
  if (left.whole && right.whole) {
    return From(Constant::Text(absl::StrCat(left.text, right.text)), {&left, &right});
  }
  return Constant::Sized(Constant::kText, left.size + right.size);
}

Constant Multiply(const Constant& a, const Constant& b) {
  if (IsNumber(a) && IsNumber(b)) {
    return From(Constant::Number(a.number * b.number), {&a, &b});
  }
  if (HasSize(a) && IsNumber(b)) return Repeat(a, b);
  if (IsNumber(a) && HasSize(b)) return Repeat(b, a);
  return {};
}

Constant Power(const Constant& a, const Constant& b) {
  if (!IsNumber(a) || !IsNumber(b)) return {};
  return Constant::Number(std::pow(a.number, b.number));
}

Constant Subtract(const Constant& a, const Constant& b) {
  if (!IsNumber(a) || !IsNumber(b)) return SomeNumber();
  return From(Constant::Number(a.number - b.number), {&a, &b});
}

Constant Modulo(const Constant& a, const Constant& b) {
  if (a.kind != Constant::kText) return {};
  if (b.kind != Constant::kList) return Fill(a, {&b, 1}, true);
  std::vector<Constant> items;
  for (const std::string& item : b.items) items.push_back(Constant::Text(item));
  return Fill(a, items, true);
}

Constant Slice(const Constant& value, absl::Span<const Constant> parts) {
  const auto part = [&](size_t i, double otherwise) {
    const bool there = i < parts.size() && IsNumber(parts[i]) && !std::isnan(parts[i].number);
    return there ? parts[i].number : otherwise;
  };
  const double step = part(2, 1);
  if (!value.is_known_text() || (step != 1 && step != -1)) {
    return HasSize(value) ? Constant::Sized(value.kind, 0) : Constant();
  }
  bool exact = value.exact && parts.size() <= 3;
  for (const Constant& each : parts) exact = exact && each.exact;
  if (step == -1) {
    Constant reversed = Reverse(value);
    reversed.exact = exact && absl::c_count_if(parts, IsNumber) == 1;
    return reversed;
  }
  const auto clamp = [&](double at) {
    return std::clamp(at < 0 ? at + value.size : at, 0.0, value.size);
  };
  const auto begin = static_cast<size_t>(clamp(part(0, 0)));
  const auto end = static_cast<size_t>(clamp(part(1, value.size)));
  Constant text =
      Constant::Text(string_view(value.text).substr(begin, end > begin ? end - begin : 0));
  text.exact = exact;
  return text;
}

Constant Filter(string_view name, const Constant& value, absl::Span<const Constant> arguments) {
  if (IsPadding(name, arguments.size()) && absl::c_any_of(arguments, IsNumber)) {
    return Pad(name, arguments);
  }
  if (name == "join") return Join(value, arguments);
  if (name == "reverse") return Reverse(value);
  if (name == "format") return Fill(value, arguments, true);
  if (value.kind == Constant::kList) return TransformList(name, value);
  if (value.kind != Constant::kText) return {};
  if (!value.whole) return Constant::Sized(Constant::kText, 0);
  return TransformText(name, value, arguments);
}

Constant CallMethod(string_view name, const Constant& value, absl::Span<const Constant> arguments) {
  if (name == "format") return Fill(value, arguments, false);
  if (name != "join") return Filter(name, value, arguments);
  if (arguments.empty()) return {};
  return Join(arguments[0], {&value, 1});
}

}  // namespace gguf::jinja
