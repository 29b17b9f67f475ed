// How values are written: str(), repr() and JSON.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/base/text.h"
#include "conformance/jinja/builtins.h"

namespace gguf::jinja {

using absl::string_view;

string_view TypeName(const Value& value) {
  static constexpr string_view kNames[] = {// Of each Kind.
                                           "NoneType",
                                           "Undefined",
                                           "NoneType",
                                           "bool",
                                           "int",
                                           "float",
                                           "int",
                                           "str",
                                           "list",
                                           "tuple",
                                           "range",
                                           "dict_items",
                                           "generator",
                                           "dict",
                                           "Namespace",
                                           "function",
                                           "builtin_function_or_method",
                                           "Macro",
                                           "LoopContext"};
  return kNames[static_cast<size_t>(value.kind)];
}

std::string FloatText(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific);
  const string_view text(buffer, end.ptr - buffer);
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(buffer + e + (text[e + 1] == '+' ? 2 : 1), end.ptr, exponent);
  if (exponent < -4 || exponent >= 16) {
    return absl::StrFormat("%se%+03d", text.substr(0, e), exponent);
  }
  const int digits = static_cast<int>(absl::c_count_if(text.substr(0, e), absl::ascii_isdigit));
  return absl::StrFormat("%.*f", std::max(digits - 1 - exponent, 1), value);
}

namespace {

// Ranges of characters that repr() escapes.
constexpr uint32_t kEscaped[][2] = {
    {0, 0x1f},        {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},   {0x61c, 0x61c},
    {0x6dd, 0x6dd},   {0x70f, 0x70f},     {0x1680, 0x1680},   {0x180e, 0x180e}, {0x2000, 0x200f},
    {0x2028, 0x202f}, {0x205f, 0x206f},   {0x3000, 0x3000},   {0xd800, 0xf8ff}, {0xfeff, 0xfeff},
    {0xfff9, 0xfffb}, {0xe0001, 0xe007f}, {0xf0000, 0x10ffff}};

std::string QuoteAsPython(string_view text) {
  const bool has_single = absl::StrContains(text, '\''), has_double = absl::StrContains(text, '"');
  std::string quoted(1, has_single && !has_double ? '"' : '\'');
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code = NextCodePoint(text, &at);
    const bool is_escaped = absl::c_any_of(
        kEscaped, [&](const uint32_t(&range)[2]) { return range[0] <= code && code <= range[1]; });
    if (code == '\\' || code == static_cast<uint32_t>(quoted[0])) {
      quoted += {'\\', static_cast<char>(code)};
    } else if (code == '\n' || code == '\r' || code == '\t') {
      quoted += code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t";
    } else if (is_escaped) {
      absl::StrAppend(&quoted, code < 0x100     ? absl::StrFormat("\\x%02x", code)
                               : code < 0x10000 ? absl::StrFormat("\\u%04x", code)
                                                : absl::StrFormat("\\U%08x", code));
    } else {
      quoted.append(&text[begin], at - begin);
    }
  }
  return quoted + quoted[0];
}

// Writes values as Python or as JSON.
class Writer {
 public:
  Writer(Machine* m, std::string* out) : m_(*m), out_(out) {}

  bool is_json = false, is_ascii = false, has_lines = false, sorts_keys = false;
  std::string indent;
  string_view comma = ", ", colon = ": ";

  void Write(const Value& value) {
    const Machine::Level level(&m_);
    if (!m_.Work(1)) return;
    if (value.is_none()) return Put(is_json ? "null" : "None");
    if (value.is_string() && m_.Work(value.size / 2)) {
      return Put(!is_json ? QuoteAsPython(value.text())
                          : Json(std::string(value.text()))
                                .dump(-1, ' ', is_ascii, Json::error_handler_t::replace));
    }
    if (value.is(Kind::kHuge)) return (void)m_.Unknown("integers beyond 64 bits");
    if (value.is(Kind::kInteger)) return Put(absl::StrCat(value.integer));
    if (value.is(Kind::kBoolean)) {
      return Put(value.integer != 0 ? (is_json ? "true" : "True") : (is_json ? "false" : "False"));
    }
    if (value.is_number() && (!is_json || std::isfinite(value.real)))
      return Put(FloatText(value.real));
    if (value.is_number())
      return Put(std::isnan(value.real) ? "NaN" : value.real < 0 ? "-Infinity" : "Infinity");
    if (value.is_sequence()) return WriteList(value);
    if (value.is_dict()) return WriteDict(value);
    if (value.is(Kind::kRange) && !is_json) return (void)m_.Unknown("the text of a range");
    if (is_json) {
      m_.Raise(absl::StrCat("Object of type ", TypeName(value), " is not JSON serializable"));
    } else if (value.is(Kind::kView) || value.is(Kind::kNamespace)) {
      Put(value.is(Kind::kView) ? "dict_items(" : "<Namespace ");
      value.is(Kind::kView) ? WriteList(value) : WriteDict(value);
      Put(value.is(Kind::kView) ? ")" : ">");
    } else {  // Python adds the address.
      Put(value.is_undefined() ? "Undefined" : absl::StrCat("<", TypeName(value), ">"));
    }
  }

 private:
  void Put(string_view part) { m_.Append(part, out_); }

  // Writes items with what is around them.
  template <class List, class WriteItem>
  void WriteItems(const List& list, string_view begin, string_view end, WriteItem write) {
    Put(begin);
    ++depth_;
    for (const auto& item : list) {
      if (m_.failed()) return;
      if (&item != &*list.begin()) Put(comma);
      BreakLine();
      write(item);
    }
    --depth_;
    if (!list.empty()) BreakLine();
    Put(end);
  }

  void BreakLine() {
    if (has_lines) Put("\n");
    for (size_t i = 0; has_lines && i < depth_ && !m_.failed(); ++i) Put(indent);
  }

  void WriteList(const Value& value) {
    const std::vector<Value>& items = value.list->items;
    const bool is_tuple = value.is(Kind::kTuple) && !is_json;
    const string_view end = !is_tuple ? "]" : items.size() == 1 ? ",)" : ")";
    WriteItems(items, is_tuple ? "(" : "[", end, [&](const Value& item) { Write(item); });
  }

  void WriteDict(const Value& value) {
    auto entries = value.dict->entries;
    if (sorts_keys) {
      absl::c_stable_sort(
          entries, [&](const auto& a, const auto& b) { return m_.Compare("<", a.first, b.first); });
    }
    WriteItems(entries, "{", "}", [&](const auto& entry) {
      const Value& key = entry.first;
      const bool is_quoted = is_json && !key.is_string();
      if (is_quoted && !key.is_number() && !key.is_none()) {
        m_.Raise(absl::StrCat("keys must be str, int, float, bool or None, not ", TypeName(key)));
      }
      if (is_quoted) Put("\"");
      Write(key);
      if (is_quoted) Put("\"");
      Put(colon);
      Write(entry.second);
    });
  }

  Machine& m_;
  std::string* const out_;
  size_t depth_ = 0;
};

}  // namespace

std::string Machine::Repr(const Value& value) {
  std::string text;
  Writer(this, &text).Write(value);
  return text;
}

bool Machine::AppendText(const Value& value, std::string* out) {
  if (value.is_string()) return Append(value.text(), out);
  if (!value.is_undefined()) Writer(this, out).Write(value);
  return !failed();
}

Value Machine::ToText(const Value& value) {
  std::string text;
  if (value.is_string()) return value;
  return AppendText(value, &text) ? MakeString(text) : Value();
}

Value ToJson(Call& c) {
  std::string out;
  Writer writer(&c.m, &out);
  writer.is_json = true;
  writer.is_ascii = c.Flag(0);
  writer.has_lines = c.Has(1);
  writer.sorts_keys = c.Flag(3);
  if (writer.has_lines) {
    const Value one(string_view(" ")),
        margin = c.args[1].is_string() ? c.args[1] : c.m.Binary("*", one, c.args[1]);
    writer.indent = std::string(margin.text());
    writer.comma = ",";
  }
  if (c.Has(2)) {
    const std::vector<Value>& pair = c.m.Items(c.args[2]);
    if (pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      return c.m.Raise("separators must be two strings");
    writer.comma = pair[0].text();
    writer.colon = pair[1].text();
  }
  writer.Write(c.self);
  return c.m.MakeString(out);
}

}  // namespace gguf::jinja
