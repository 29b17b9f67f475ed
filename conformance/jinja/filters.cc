// The filters of Jinja2.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/jinja/builtins.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

Value Hint(string_view text) { return Value::Undefined(Value::kHint, text); }

// Calls a method of str, on a value that is one.
template <const char* const& name>
Value TextMethod(Call& c) {
  return c.machine.CallMethod(name, c.self, c.all);
}

// Attributes of the elements of a list.

// item.a.0.b; in `path`, parts that are digits are indices.
Value Follow(Call& c, Value item, const Value& path) {
  if (!path.is_string()) return path.kind <= Kind::kNone ? item : c.machine.Subscript(item, path);
  for (const string_view part : absl::StrSplit(path.text(), '.')) {
    int64_t index = 0;
    const bool is_index = !part.empty() && absl::c_all_of(part, absl::ascii_isdigit) &&
                          absl::SimpleAtoi(part, &index);
    item = c.machine.Subscript(item, is_index ? Value(index) : Value(part));
  }
  return item;
}

Value IgnoreCase(Call& c, const Value& value) {
  return value.is_string() ? c.machine.CallMethod("lower", value) : value;
}

// What elements are compared by: with commas in `path`, a list.
Value SortKey(Call& c, const Value& item, const Value& path, bool is_exact) {
  if (!path.is_string() || !absl::StrContains(path.text(), ',')) {
    const Value key = Follow(c, item, path);
    return is_exact ? key : IgnoreCase(c, key);
  }
  std::vector<Value> keys;
  for (const string_view part : absl::StrSplit(path.text(), ',')) {
    keys.push_back(SortKey(c, item, Value(part), is_exact));
  }
  return c.machine.MakeList(std::move(keys));
}

using Keyed = std::vector<std::pair<Value, Value>>;  // Key, item.

void SortByKey(Call& c, bool is_reverse, Keyed* items) {
  absl::c_stable_sort(*items, [&](const auto& a, const auto& b) {
    return is_reverse ? c.machine.Compare("<", b.first, a.first)
                      : c.machine.Compare("<", a.first, b.first);
  });
}

Keyed WithKeys(Call& c, const Value& path, bool is_exact) {
  Keyed items;
  for (const Value& item : c.machine.Iterate(c.self)->items) {
    if (!c.machine.Work(1)) break;
    items.emplace_back(SortKey(c, item, path, is_exact), item);
  }
  return items;
}

Value ItemsOf(Call& c, const Keyed& keyed, Kind kind = Kind::kList) {
  std::vector<Value> items;
  for (const auto& each : keyed) items.push_back(each.second);
  return c.machine.MakeList(std::move(items), kind);
}

Value Sort(Call& c) {  // reverse, case_sensitive, attribute
  Keyed items = WithKeys(c, c.args[2], c.Flag(1));
  SortByKey(c, c.Flag(0), &items);
  return ItemsOf(c, items);
}

template <bool is_max>
Value Extreme(Call& c) {  // case_sensitive, attribute
  const Keyed items = WithKeys(c, c.args[1], c.Flag(0));
  if (items.empty()) return Hint("No aggregated item, sequence was empty.");
  const auto* best = &items[0];
  for (const auto& item : items) {
    if (c.machine.Compare(is_max ? ">" : "<", item.first, best->first)) best = &item;
  }
  return best->second;
}

Value Unique(Call& c) {  // case_sensitive, attribute
  Keyed kept;
  const Value seen = c.machine.MakeDict();
  for (const auto& item : WithKeys(c, c.args[1], c.Flag(0))) {
    const size_t before = seen.dict->entries.size();
    c.machine.SetItem(seen.dict, item.first, item.second);
    if (seen.dict->entries.size() > before) kept.push_back(item);
  }
  return ItemsOf(c, kept, Kind::kGenerator);
}

Value GroupBy(Call& c) {  // attribute, default, case_sensitive
  Keyed items = WithKeys(c, c.args[0], c.Flag(2));
  for (auto& [key, item] : items) {
    if (key.is_undefined() && c.Has(1)) key = c.Flag(2) ? c.args[1] : IgnoreCase(c, c.args[1]);
  }
  SortByKey(c, false, &items);
  std::vector<Value> groups;
  for (size_t begin = 0, end = 0; begin < items.size() && !c.machine.failed(); begin = end) {
    std::vector<Value> group;
    for (; end < items.size() && c.machine.Compare("==", items[begin].first, items[end].first);
         ++end)
      group.push_back(items[end].second);
    end = std::max(end, begin + 1);
    Value name = Follow(c, items[begin].second, c.args[0]);
    if (name.is_undefined() && c.Has(1)) name = c.args[1];
    groups.push_back(
        c.machine.MakeList({name, c.machine.MakeList(std::move(group))}, Kind::kTuple));
    groups.back().form = 1;
  }
  return c.machine.MakeList(std::move(groups));
}

Value DictSort(Call& c) {  // case_sensitive, by, reverse
  const string_view by = c.Text(1, "key");
  if (by != "key" && by != "value")
    return c.machine.Raise("You can only sort by either \"key\" or \"value\"");
  Keyed items;
  const Value pairs = c.machine.CallMethod("items", c.self);
  for (const Value& pair : c.machine.Iterate(pairs)->items) {
    const Value& key = pair.list->items[by == "value"];
    items.emplace_back(c.Flag(0) ? key : IgnoreCase(c, key), pair);
  }
  SortByKey(c, c.Flag(2), &items);
  return ItemsOf(c, items);
}

// map(name, ...), map(attribute=, default=)
Value Map(Call& c) {
  if (!c.machine.Truth(c.self)) return c.machine.MakeList({}, Kind::kGenerator);
  Value attribute(Kind::kMissing), otherwise(Kind::kMissing);
  for (const auto& [name, value] : c.all.named) {
    if (name == "attribute") attribute = value;
    if (name == "default") otherwise = value;
  }
  const bool has_name = !c.all.values.empty();
  if (!has_name && attribute.is(Kind::kMissing))
    return c.machine.Raise("map requires a filter argument");
  if (has_name && !c.all.values[0].is_string()) return c.machine.Raise("No filter of this name.");
  std::vector<Value> items;
  for (const Value& item : c.machine.Iterate(c.self)->items) {
    if (!c.machine.Work(1)) break;
    if (has_name) {
      items.push_back(c.machine.CallFilter(c.all.values[0].text(), item,
                                           {c.all.values.subspan(1), c.all.named}));
      continue;
    }
    items.push_back(Follow(c, item, attribute));
    if (items.back().is_undefined() && !otherwise.is(Kind::kMissing)) items.back() = otherwise;
  }
  return c.machine.MakeList(std::move(items), Kind::kGenerator);
}

// select(test, ...), selectattr(attribute, test, ...) and their opposites.
template <bool wanted, bool has_attribute>
Value Select(Call& c) {
  std::vector<Value> items;
  if (has_attribute && c.all.values.empty())
    return c.machine.Raise("Missing parameter for attribute name");
  const absl::Span<const Value> values = c.all.values.subspan(has_attribute);
  for (const Value& item :
       c.machine.Truth(c.self) ? c.machine.Iterate(c.self)->items : std::vector<Value>()) {
    if (!c.machine.Work(1)) break;
    Value value = has_attribute ? Follow(c, item, c.all.values[0]) : item;
    if (!values.empty())
      value = c.machine.CallTest(values[0].text(), value, {values.subspan(1), c.all.named});
    if (c.machine.Truth(value) == wanted) items.push_back(item);
  }
  return c.machine.MakeList(std::move(items), Kind::kGenerator);
}

// Numbers.

Value ToFloat(Call& c) {  // default
  double number = 0;
  if (c.self.is_number()) return Value(c.self.number());
  if (c.self.is_undefined()) return c.machine.RaiseUndefined(c.self);
  if (c.self.is_string() && absl::SimpleAtod(StripLeft(StripRight(c.self.text())), &number))
    return Value(number);
  return c.args[0].is(Kind::kMissing) ? Value(0.0) : c.args[0];
}

Value ToInteger(Call& c) {  // default, base
  Value number = c.self;
  if (c.self.is_undefined()) return c.machine.RaiseUndefined(c.self);
  const int64_t base = c.Integer(1, 10);
  if (c.self.is_string()) {
    std::string text = absl::StrReplaceAll(StripLeft(StripRight(c.self.text())), {{"_", ""}});
    int64_t integer = 0;
    const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
    const string_view prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "  ";
    if (absl::AsciiStrToLower(text.substr(std::min(sign, text.size()), 2)) == prefix)
      text.erase(sign, 2);
    char* end = nullptr;
    errno = 0;
    integer = std::strtoll(text.c_str(), &end, static_cast<int>(base));
    if (!text.empty() && *end == '\0' && errno == 0 && absl::ascii_isalnum(text.back()))
      return Value(integer);
    number = c.machine.CallFilter("float", c.self);
    if (number.real == 0) number = Value(Kind::kNone);
    double parsed = 0;
    if (!absl::SimpleAtod(StripLeft(StripRight(c.self.text())), &parsed))
      number = Value(Kind::kNone);
    else
      number = Value(parsed);
  }
  if (number.is_integer()) return Value(number.integer);
  if (number.is(Kind::kHuge)) return number;
  if (number.is(Kind::kFloat) && std::isfinite(number.real)) {
    const double whole = std::trunc(number.real);
    return std::abs(whole) < 9e18 ? Value(static_cast<int64_t>(whole)) : Value(whole, Kind::kHuge);
  }
  return c.args[0].is(Kind::kMissing) ? Value(int64_t{0}) : c.args[0];
}

Value Round(Call& c) {  // precision, method
  const string_view method = c.Text(1, "common");
  const int64_t precision = c.Integer(0);
  if (method != "common" && method != "ceil" && method != "floor")
    return c.machine.Raise("method must be common, ceil or floor");
  if (c.self.is_undefined()) return c.machine.RaiseUndefined(c.self);
  if (!c.self.is_number())
    return c.machine.Raise(
        absl::StrCat("type ", TypeName(c.self), " doesn't define __round__ method"));
  const double number = c.self.number(), power = std::pow(10, precision);
  if (method != "common") {
    const double whole = method == "ceil" ? std::ceil(number * power) : std::floor(number * power);
    return Value(whole / power);
  }
  if (c.self.is_integer() && precision >= 0) return Value(c.self.integer);
  if (c.self.is_integer())
    return Value(static_cast<int64_t>(std::nearbyint(number * power) / power));
  if (precision < 0) return Value(std::nearbyint(number * power) / power);
  // Rounds the decimal number, as Python does.
  double rounded = number;
  if (precision < 20)
    (void)absl::SimpleAtod(absl::StrFormat("%.*f", static_cast<int>(precision), number), &rounded);
  return Value(rounded);
}

Value Sum(Call& c) {  // attribute, start
  Value sum = c.args[1].is(Kind::kMissing) ? Value(int64_t{0}) : c.args[1];
  for (const Value& item : c.machine.Iterate(c.self)->items) {
    if (c.machine.failed()) break;
    sum = c.machine.Binary("+", sum, Follow(c, item, c.args[0]));
  }
  return sum;
}

// Parts of lists.

Value Batch(Call& c) {  // linecount, fill_with
  std::vector<Value> rows, row;
  const int64_t size = c.Integer(0);
  const std::vector<Value>& items = c.machine.Iterate(c.self)->items;
  for (size_t i = 0; i < items.size() && c.machine.Work(1); ++i) {
    row.push_back(items[i]);
    const bool is_last = i + 1 == items.size();
    if (is_last && c.Has(1) && c.machine.Room(static_cast<double>(std::max<int64_t>(size, 0)))) {
      while (static_cast<int64_t>(row.size()) < size) row.push_back(c.args[1]);
    }
    if (is_last || static_cast<int64_t>(row.size()) == size)
      rows.push_back(c.machine.MakeList(std::exchange(row, {})));
  }
  return c.machine.MakeList(std::move(rows), Kind::kGenerator);
}

Value Slices(Call& c) {  // slices, fill_with
  const std::vector<Value>& items = c.machine.Iterate(c.self)->items;
  const int64_t count = c.Integer(0), size = static_cast<int64_t>(items.size());
  if (count == 0) return c.machine.Raise("integer division or modulo by zero");
  std::vector<Value> slices;
  for (int64_t i = 0, at = 0; i < count && c.machine.Work(1); ++i) {
    const int64_t end = at + size / count + (i < size % count);
    std::vector<Value> slice(items.begin() + at, items.begin() + end);
    if (c.Has(1) && i >= size % count) slice.push_back(c.args[1]);
    slices.push_back(c.machine.MakeList(std::move(slice)));
    at = end;
  }
  return c.machine.MakeList(std::move(slices), Kind::kGenerator);
}

Value First(Call& c) {
  if (c.self.is(Kind::kGenerator) && !c.self.list->is_consumed && !c.self.list->items.empty()) {
    const Value first = c.self.list->items[0];
    c.self.list->items.erase(c.self.list->items.begin());
    return first;
  }
  const std::vector<Value>& items = c.machine.Iterate(c.self)->items;
  return items.empty() ? Hint("No first item, sequence was empty.") : items[0];
}

Value Last(Call& c) {
  if (c.self.is(Kind::kGenerator)) return c.machine.Raise("'generator' object is not reversible");
  const std::vector<Value>& items = c.machine.Iterate(c.self)->items;
  return items.empty() ? Hint("No last item, sequence was empty.") : items.back();
}

Value Reverse(Call& c) {
  if (c.self.is_string())
    return c.machine.Slice(c.self, Value(Kind::kNone), Value(Kind::kNone), Value(int64_t{-1}));
  std::vector<Value> items = c.machine.Iterate(c.self)->items;
  absl::c_reverse(items);
  return c.machine.MakeList(std::move(items),
                            c.self.is(Kind::kGenerator) ? Kind::kList : Kind::kGenerator);
}

// Texts.

Value Join(Call& c) {  // d, attribute
  std::string text;
  const Value between =
      c.args[0].is(Kind::kMissing) ? Value(string_view("")) : c.machine.ToText(c.args[0]);
  const std::vector<Value>& items = c.machine.Iterate(c.self)->items;
  for (size_t i = 0; i < items.size() && !c.machine.failed(); ++i) {
    if (i > 0) c.machine.AppendText(between, &text);
    c.machine.AppendText(Follow(c, items[i], c.args[1]), &text);
  }
  return c.machine.MakeString(text);
}

Value Safe(Value text) {
  text.form = Value::kSafe;
  return text;
}

Value ForceEscape(Call& c) {
  static constexpr string_view kNames[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
  std::string text;
  for (const char& each : c.self.text()) {
    const size_t found = string_view("&<>'\"").find(each);
    if (!c.machine.Append(found < 5 ? kNames[found] : string_view(&each, 1), &text)) break;
  }
  return Safe(c.machine.MakeString(text));
}

Value Escape(Call& c) { return c.self.form == Value::kSafe ? c.self : ForceEscape(c); }

Value Indent(Call& c) {  // width, first, blank
  if (!c.self.is_string()) return c.machine.Binary("+", c.self, Value(string_view("\n")));
  const Value width = c.args[0].is(Kind::kMissing) ? Value(int64_t{4}) : c.args[0];
  const Value margin =
      width.is_string() ? width : c.machine.Binary("*", Value(string_view(" ")), width);
  const Value text = c.machine.Binary("+", c.self, Value(string_view("\n")));
  const Value lines = c.machine.CallMethod("splitlines", text);
  std::string out;
  bool is_first = true;
  for (const Value& line : c.machine.Iterate(lines)->items) {
    if (!is_first) c.machine.Append("\n", &out);
    if (is_first ? c.Flag(1) : c.Flag(2) || line.size > 0) c.machine.Append(margin.text(), &out);
    c.machine.Append(line.text(), &out);
    is_first = false;
  }
  return c.machine.MakeString(out);
}

Value Title(Call& c) {
  std::string out;
  const string_view text = c.self.text();
  for (size_t at = 0; at < text.size() && !c.machine.failed();) {
    const bool is_between = absl::StrContains("-({[<", text[at]) || absl::ascii_isspace(text[at]);
    size_t end = at;
    while (end < text.size() &&
           (absl::StrContains("-({[<", text[end]) || absl::ascii_isspace(text[end])) == is_between)
      ++end;
    const string_view word = text.substr(at, end - at);
    const size_t first = CharacterOffset(word, 1);
    c.machine.AppendText(c.machine.CallMethod("upper", Value(word.substr(0, first))), &out);
    c.machine.AppendText(c.machine.CallMethod("lower", Value(word.substr(first))), &out);
    at = end;
  }
  return c.machine.MakeString(out);
}

Value Truncate(Call& c) {  // length, killwords, end, leeway
  const int64_t length = c.Integer(0, 255), leeway = c.Integer(3, 5);
  const string_view end = c.Text(2, "...");
  const int64_t kept = length - static_cast<int64_t>(CountCharacters(end));
  if (kept < 0 || leeway < 0)
    return c.machine.Raise(
        absl::StrCat("expected length >= ", CountCharacters(end), ", got ", length));
  if (static_cast<int64_t>(c.machine.Length(c.self)) <= length + leeway) return c.self;
  const Value none(Kind::kNone), part = c.machine.Slice(c.self, none, Value(kept), none);
  if (!part.is_string()) return c.machine.Raise("truncate needs a string");
  const string_view text = c.Flag(1) ? part.text() : part.text().substr(0, part.text().rfind(' '));
  return c.machine.Binary("+", Value(text), Value(end));
}

Value WordCount(Call& c) {
  size_t count = 0;
  bool is_inside = false;
  for (const char each : c.self.text()) {
    const bool is_word = absl::ascii_isalnum(each) || each == '_' || (each & 0x80) != 0;
    count += is_word && !is_inside;
    is_inside = is_word;
  }
  return Value(count);
}

constexpr Builtin kFilterRows[] = {
    {"abs", "",
     [](Call& c) {
       return c.self.is(Kind::kFloat)                      ? Value(std::abs(c.self.real))
              : c.self.is_number() && c.self.number() >= 0 ? c.machine.Prefix("+", c.self)
                                                           : c.machine.Prefix("-", c.self);
     }},
    {"attr", "!name",
     [](Call& c) {
       return c.self.is_dict() && !c.machine.Truth(c.machine.CallTest(
                                      "callable", c.machine.Attribute(c.self, c.Text(0))))
                  ? Value::Undefined(Value::kAttribute, c.Text(0), c.self.kind)
                  : c.machine.Attribute(c.self, c.Text(0));
     }},
    {"batch", "!linecount fill_with", Batch},
    {"capitalize", "", [](Call& c) { return c.machine.CallMethod("capitalize", c.self); }, true},
    {"center", "width",
     [](Call& c) {
       return c.machine.CallMethod("center", c.self, {{Value(c.Integer(0, 80))}, {}});
     },
     true},
    {"count", "", [](Call& c) { return Value(c.machine.Length(c.self)); }},
    {"d", "default_value boolean",
     [](Call& c) {
       return c.self.is_undefined() || (c.Flag(1) && !c.machine.Truth(c.self))
                  ? (c.args[0].is(Kind::kMissing) ? Value(string_view("")) : c.args[0])
                  : c.self;
     }},
    {"default", "default_value boolean",
     [](Call& c) { return c.machine.CallFilter("d", c.self, c.all); }},
    {"dictsort", "case_sensitive by reverse", DictSort},
    {"e", "", Escape, true},
    {"escape", "", Escape, true},
    {"filesizeformat", nullptr, nullptr},
    {"first", "", First},
    {"float", "default", ToFloat},
    {"forceescape", "", ForceEscape, true},
    {"format", nullptr,
     [](Call& c) {
       Value values = c.machine.MakeList({c.all.values.begin(), c.all.values.end()}, Kind::kTuple);
       if (!c.all.named.empty()) values = c.machine.MakeDict();
       for (const auto& [name, value] : c.all.named)
         c.machine.SetItem(values.dict, Value(name), value);
       return c.machine.Binary("%", c.self, values);
     },
     true},
    {"groupby", "!attribute default case_sensitive", GroupBy},
    {"indent", "width first blank", Indent},
    {"int", "default base", ToInteger},
    {"items", "",
     [](Call& c) {
       if (!c.self.is_dict() && !c.self.is_undefined())
         return c.machine.Raise("Can only get item pairs from a mapping.");
       Value items =
           c.self.is_undefined() ? c.machine.MakeList({}) : c.machine.CallMethod("items", c.self);
       items.kind = Kind::kGenerator;
       return items;
     }},
    {"join", "d attribute", Join},
    {"last", "", Last},
    {"length", "", [](Call& c) { return Value(c.machine.Length(c.self)); }},
    {"list", "", [](Call& c) { return c.machine.MakeList(c.machine.Iterate(c.self)->items); }},
    {"lower", "", [](Call& c) { return c.machine.CallMethod("lower", c.self); }, true},
    {"map", nullptr, Map},
    {"max", "case_sensitive attribute", Extreme<true>},
    {"min", "case_sensitive attribute", Extreme<false>},
    {"pprint", nullptr, nullptr},
    {"random", nullptr, nullptr},
    {"reject", nullptr, Select<false, false>},
    {"rejectattr", nullptr, Select<false, true>},
    {"replace", "!old !new count",
     [](Call& c) {
       return c.machine.CallMethod(
           "replace", c.self,
           {{c.machine.ToText(c.args[0]), c.machine.ToText(c.args[1]), Value(c.Integer(2, -1))},
            {}});
     },
     true},
    {"reverse", "", Reverse},
    {"round", "precision method", Round},
    {"safe", "", [](Call& c) { return Safe(c.self); }, true},
    {"select", nullptr, Select<true, false>},
    {"selectattr", nullptr, Select<true, true>},
    {"slice", "!slices fill_with", Slices},
    {"sort", "reverse case_sensitive attribute", Sort},
    {"string", "", [](Call& c) { return c.self; }, true},
    {"striptags", nullptr, nullptr},
    {"sum", "attribute start", Sum},
    {"title", "", Title, true},
    {"tojson", "ensure_ascii indent separators sort_keys", ToJson},
    {"trim", "chars",
     [](Call& c) {
       return c.machine.CallMethod(
           "strip", c.self,
           c.all.values.empty() && c.all.named.empty() ? Arguments() : Arguments{{c.args[0]}, {}});
     },
     true},
    {"truncate", "length killwords end leeway", Truncate},
    {"unique", "case_sensitive attribute", Unique},
    {"upper", "", [](Call& c) { return c.machine.CallMethod("upper", c.self); }, true},
    {"urlencode", nullptr, nullptr},
    {"urlize", nullptr, nullptr},
    {"wordcount", "", WordCount, true},
    {"wordwrap", nullptr, nullptr},
    {"xmlattr", nullptr, nullptr},
};

}  // namespace

const BuiltinTable kFilters = kFilterRows;

}  // namespace gguf::jinja
