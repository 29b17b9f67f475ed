// The filters of Jinja2.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdlib>

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

// Calls the method of the same name.
template <const char* name>
Value Method(Call& c) {
  return c.m.CallMethod(name, c.self, c.all);
}
constexpr char kCapitalize[] = "capitalize", kLower[] = "lower", kUpper[] = "upper";

// Elements by their keys.

// Returns item.a.0.b; parts of the path that are digits are indices.
Value Follow(Call& c, Value item, const Value& path) {
  if (!path.is_string()) return path.kind <= Kind::kNone ? item : c.m.Subscript(item, path);
  for (const string_view part : absl::StrSplit(path.text(), '.')) {
    int64_t i = 0;
    const bool is_index = absl::c_all_of(part, absl::ascii_isdigit) && absl::SimpleAtoi(part, &i);
    item = c.m.Subscript(item, is_index ? Value(i) : Value(part));
  }
  return item;
}

struct Keyed {
  Value key, item;
};
using KeyedItems = std::vector<Keyed>;

Value SmallLetters(Call& c, const Value& value) {
  return value.is_string() ? c.m.CallMethod("lower", value) : value;
}

// The key is a list if the path has commas.
Value KeyOf(Call& c, const Value& item, const Value& path, bool is_exact) {
  if (!path.is_string() || !absl::StrContains(path.text(), ',')) {
    const Value key = Follow(c, item, path);
    return is_exact ? key : SmallLetters(c, key);
  }
  std::vector<Value> keys;
  for (const string_view part : absl::StrSplit(path.text(), ',')) {
    keys.push_back(KeyOf(c, item, Value(part), is_exact));
  }
  return c.m.MakeList(std::move(keys));
}

KeyedItems WithKeys(Call& c, const Value& path, bool is_exact) {
  KeyedItems items;
  for (const Value& item : c.m.Items(c.self)) {
    if (!c.m.Work(1)) break;
    items.push_back({KeyOf(c, item, path, is_exact), item});
  }
  return items;
}

void SortByKey(Call& c, bool is_reverse, KeyedItems* items) {
  absl::c_stable_sort(*items, [&](const Keyed& a, const Keyed& b) {
    return is_reverse ? c.m.Compare("<", b.key, a.key) : c.m.Compare("<", a.key, b.key);
  });
}

Value ItemsOf(Call& c, const KeyedItems& keyed, Kind kind = Kind::kList) {
  std::vector<Value> items;
  for (const Keyed& each : keyed) items.push_back(each.item);
  return c.m.MakeList(std::move(items), kind);
}

Value Sort(Call& c) {
  KeyedItems items = WithKeys(c, c.args[2], c.Flag(1));
  SortByKey(c, c.Flag(0), &items);
  return ItemsOf(c, items);
}

template <bool is_max>
Value Extreme(Call& c) {
  const KeyedItems items = WithKeys(c, c.args[1], c.Flag(0));
  if (items.empty()) return Hint("No aggregated item, sequence was empty.");
  const Keyed* best = &items[0];
  for (const Keyed& item : absl::MakeSpan(items).subspan(1)) {
    if (c.m.Compare(is_max ? ">" : "<", item.key, best->key)) best = &item;
  }
  return best->item;
}

Value Unique(Call& c) {
  KeyedItems kept;
  Dict seen;
  for (const Keyed& item : WithKeys(c, c.args[1], c.Flag(0))) {
    const size_t before = seen.entries.size();
    c.m.SetItem(&seen, item.key, item.item);
    if (seen.entries.size() > before) kept.push_back(item);
  }
  return ItemsOf(c, kept, Kind::kGenerator);
}

Value GroupBy(Call& c) {
  const auto name_of = [&](Value name) { return name.is_undefined() ? c.Or(1, name) : name; };
  KeyedItems items = WithKeys(c, c.args[0], c.Flag(2));
  for (Keyed& each : items)
    each.key = c.Flag(2) ? name_of(each.key) : SmallLetters(c, name_of(each.key));
  SortByKey(c, false, &items);
  std::vector<Value> groups, group;
  for (size_t i = 0; i < items.size() && !c.m.failed(); ++i) {
    group.push_back(items[i].item);
    if (i + 1 < items.size() && c.m.Compare("==", items[i].key, items[i + 1].key)) continue;
    const Value name = name_of(Follow(c, group[0], c.args[0]));
    groups.push_back(c.m.MakeList({name, c.m.MakeList(std::exchange(group, {}))}, Kind::kTuple));
    groups.back().form = Value::kGroup;
  }
  return c.m.MakeList(std::move(groups));
}

Value DictSort(Call& c) {
  const string_view by = c.Text(1, "key");
  if (by != "key" && by != "value") return c.m.Raise("You can only sort by \"key\" or \"value\"");
  KeyedItems items;
  for (const Value& pair : c.m.Items(c.m.CallMethod("items", c.self))) {
    const Value& key = pair.list->items[by == "value"];
    items.push_back({c.Flag(0) ? key : SmallLetters(c, key), pair});
  }
  SortByKey(c, c.Flag(2), &items);
  return ItemsOf(c, items);
}

// map(name, ...), map(attribute=, default=)
Value Map(Call& c) {
  Value attribute(Kind::kMissing), otherwise(Kind::kMissing);
  for (const auto& [name, value] : c.all.named) (name == "default" ? otherwise : attribute) = value;
  const bool has_name = !c.all.values.empty();
  if (!has_name && c.m.Truth(c.self) && attribute.is(Kind::kMissing)) {
    return c.m.Raise("map requires a filter argument");
  }
  const string_view filter = has_name ? c.all.values[0].text() : "";
  std::vector<Value> items;
  for (const Value& item : c.m.Items(c.m.Truth(c.self) ? c.self : Value())) {
    if (!c.m.Work(1)) break;
    items.push_back(has_name ? c.m.CallFilter(filter, item, {c.all.values.subspan(1), c.all.named})
                             : Follow(c, item, attribute));
    if (!has_name && items.back().is_undefined() && !otherwise.is(Kind::kMissing)) {
      items.back() = otherwise;
    }
  }
  return c.m.MakeList(std::move(items), Kind::kGenerator);
}

// select(test, ...), selectattr(attribute, test, ...) and their opposites.
template <bool wanted, bool has_attribute>
Value Select(Call& c) {
  if (c.all.values.size() < has_attribute) return c.m.Raise("Missing parameter for attribute name");
  const absl::Span<const Value> values = c.all.values.subspan(has_attribute);
  std::vector<Value> items;
  for (const Value& item : c.m.Items(c.m.Truth(c.self) ? c.self : Value())) {
    if (!c.m.Work(1)) break;
    Value value = has_attribute ? Follow(c, item, c.all.values[0]) : item;
    if (!values.empty()) {
      value = c.m.CallTest(values[0].text(), value, {values.subspan(1), c.all.named});
    }
    if (c.m.Truth(value) == wanted) items.push_back(item);
  }
  return c.m.MakeList(std::move(items), Kind::kGenerator);
}

// Numbers.

// Returns the number that the value is or says; kMissing if none.
Value NumberOf(Machine* m, const Value& value) {
  double number = 0;
  if (value.is_number() || !m->Work(value.size / 2)) return value;
  if (!value.is_string() || !absl::SimpleAtod(value.text(), &number)) return Value(Kind::kMissing);
  return Value(number);
}

Value ToFloat(Call& c) {
  if (c.self.is_undefined()) return c.m.RaiseUndefined(c.self);
  const Value number = NumberOf(&c.m, c.self);
  return number.is(Kind::kMissing) ? c.Or(0, Value(0.0)) : Value(number.number());
}

Value ToInteger(Call& c) {
  if (c.self.is_undefined()) return c.m.RaiseUndefined(c.self);
  if (c.self.is_string() && c.m.Work(c.self.size / 4)) {
    std::string text = absl::StrReplaceAll(StripLeft(StripRight(c.self.text())), {{"_", ""}});
    const int64_t base = c.Integer(1, 10);
    const size_t sign = text.find_first_not_of("+-");
    const bool has_prefix = sign < text.size() && text[sign] == '0' && base != 10;
    if (has_prefix && absl::StrContains("xXoObB", text.substr(sign + 1, 1))) text.erase(sign, 2);
    char* end = &text[0];
    errno = 0;
    const int64_t integer = std::strtoll(text.c_str(), &end, base < 2 || base > 36 ? 1 : base);
    if (sign < text.size() && *end == '\0' && errno == 0) return Value(integer);
  }
  const Value number = NumberOf(&c.m, c.self);
  if (number.is_integer()) return Value(number.integer);
  if (number.is(Kind::kMissing) || !std::isfinite(number.real)) return c.Or(0, Value(int64_t{0}));
  return std::abs(number.real) < 9e18 ? Value(static_cast<int64_t>(number.real))
                                      : Value(std::trunc(number.real), Kind::kHuge);
}

Value Round(Call& c) {
  const string_view method = c.Text(1, "common");
  const int64_t digits = c.Integer(0);
  if (method != "common" && method != "ceil" && method != "floor") {
    return c.m.Raise("method must be common, ceil or floor");
  }
  if (c.self.is_undefined()) return c.m.RaiseUndefined(c.self);
  if (!c.self.is_number()) return c.m.Raise(absl::StrCat("cannot round ", TypeName(c.self)));
  if (!c.m.Work(100)) return Value();
  const double number = c.self.number(), power = std::pow(10, digits);
  if (method == "ceil") return Value(std::ceil(number * power) / power);
  if (method == "floor") return Value(std::floor(number * power) / power);
  if (c.self.is_integer() && digits >= 0) return Value(c.self.integer);
  double rounded = std::nearbyint(number * power) / power;
  if (c.self.is_integer()) return Value(static_cast<int64_t>(rounded));
  // Rounds the decimal number, as Python does.
  if (digits >= 0)
    (void)absl::SimpleAtod(absl::StrFormat("%.*f", std::min<int>(digits, 400), number), &rounded);
  return Value(rounded);
}

// Parts of lists.

Value Batch(Call& c) {
  std::vector<Value> rows, row;
  const int64_t size = c.Integer(0);
  const std::vector<Value>& items = c.m.Items(c.self);
  for (size_t i = 0; i < items.size() && c.m.Work(1); ++i) {
    row.push_back(items[i]);
    const bool is_last = i + 1 == items.size();
    const bool is_filled = is_last && c.Has(1) && c.m.Room(static_cast<double>(size), 0);
    if (is_filled && row.size() < size_t(size)) row.resize(size, c.args[1]);
    if (is_last || row.size() == size_t(size)) rows.push_back(c.m.MakeList(std::exchange(row, {})));
  }
  return c.m.MakeList(std::move(rows), Kind::kGenerator);
}

Value Slices(Call& c) {
  const std::vector<Value>& items = c.m.Items(c.self);
  const int64_t count = c.Integer(0), size = static_cast<int64_t>(items.size());
  if (count == 0) return c.m.Raise("integer division or modulo by zero");
  std::vector<Value> slices;
  for (int64_t i = 0, at = 0; i < count && c.m.Work(1); ++i) {
    const int64_t end = at + size / count + (i < size % count);
    std::vector<Value> slice(items.begin() + at, items.begin() + end);
    if (c.Has(1) && i >= size % count) slice.push_back(c.args[1]);
    slices.push_back(c.m.MakeList(std::move(slice)));
    at = end;
  }
  return c.m.MakeList(std::move(slices), Kind::kGenerator);
}

Value First(Call& c) {
  const std::vector<Value>& items = c.m.Items(c.self);
  if (items.empty()) return Hint("No first item, sequence was empty.");
  const Value first = items[0];
  if (c.self.is(Kind::kGenerator)) {  // The rest is left.
    c.self.list->items.erase(c.self.list->items.begin());
    c.self.list->is_consumed = false;
  }
  return first;
}

Value Last(Call& c) {
  if (c.self.is(Kind::kGenerator)) return c.m.Raise("'generator' object is not reversible");
  const std::vector<Value>& items = c.m.Items(c.self);
  return items.empty() ? Hint("No last item, sequence was empty.") : items.back();
}

Value Reverse(Call& c) {
  const Value none(Kind::kNone);
  if (c.self.is_string()) return c.m.Slice(c.self, none, none, Value(int64_t{-1}));
  std::vector<Value> items = c.m.Items(c.self);
  absl::c_reverse(items);
  return c.m.MakeList(std::move(items), Kind::kGenerator);
}

Value Sum(Call& c) {
  Value sum = c.Or(1, Value(int64_t{0}));
  if (sum.is_string()) return c.m.Raise("sum() can't sum strings");
  for (const Value& item : c.m.Items(c.self))
    sum = c.m.Binary("+", sum, Follow(c, item, c.args[0]));
  return sum;
}

// Texts.

Value Join(Call& c) {
  std::string text;
  const Value between = c.m.ToText(c.Or(0, Value(string_view(""))));
  bool is_first = true;
  for (const Value& item : c.m.Items(c.self)) {
    if (!std::exchange(is_first, false)) c.m.AppendText(between, &text);
    if (!c.m.AppendText(Follow(c, item, c.args[1]), &text)) break;
  }
  return c.m.MakeString(text);
}

Value Safe(Value text) {
  text.form = Value::kSafe;
  return text;
}

Value ForceEscape(Call& c) {
  if (!c.m.Work(c.self.size)) return Value();
  return Safe(c.m.MakeString(absl::StrReplaceAll(
      c.self.text(),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"'", "&#39;"}, {"\"", "&#34;"}})));
}

Value Indent(Call& c) {
  const Value width = c.Or(0, Value(int64_t{4}));
  const Value margin = width.is_string() ? width : c.m.Binary("*", Value(string_view(" ")), width);
  const Value text = c.m.Binary("+", c.self, Value(string_view("\n")));
  std::string out;
  bool is_first = true;
  for (const Value& line : c.m.Items(c.m.CallMethod("splitlines", text))) {
    if (!is_first) c.m.Append("\n", &out);
    if (is_first ? c.Flag(1) : c.Flag(2) || line.size > 0) c.m.AppendText(margin, &out);
    c.m.AppendText(line, &out);
    is_first = false;
  }
  return c.m.MakeString(out);
}

Value Title(Call& c) {
  std::string out;
  for (string_view rest = c.self.text(); !rest.empty() && !c.m.failed();) {
    const string_view begin = rest.substr(0, SizeOf(1, rest));
    const size_t end = rest.find_first_of("-({[< \t\n\r\f\v", begin.size() - 1);
    const string_view word = rest.substr(0, std::max(begin.size(), std::min(end, rest.size())));
    c.m.AppendText(c.m.CallMethod("upper", Value(begin)), &out);
    c.m.AppendText(c.m.CallMethod("lower", Value(word.substr(begin.size()))), &out);
    rest.remove_prefix(word.size());
  }
  return c.m.MakeString(out);
}

Value Truncate(Call& c) {
  const int64_t length = c.Integer(0, 255), leeway = c.Has(3) ? c.Integer(3) : 5;
  const string_view end = c.Text(2, "...");
  const int64_t kept = length - static_cast<int64_t>(CountCharacters(end));
  if (kept < 0 || leeway < 0) return c.m.Raise("the length is less than that of the end");
  if (static_cast<int64_t>(c.m.Length(c.self)) <= length + leeway) return c.self;
  const Value none(Kind::kNone), part = c.m.Slice(c.self, none, Value(kept), none);
  const string_view text = part.is_string() ? part.text() : "";
  const string_view words = text.substr(0, text.rfind(' '));
  return c.m.Binary("+", Value(c.Flag(1) ? text : words), Value(end));
}

Value WordCount(Call& c) {
  size_t count = 0;
  bool was_word = false;
  if (!c.m.Work(c.self.size / 4)) return Value();
  for (const char each : c.self.text()) {
    const bool is_word = absl::ascii_isalnum(each) || each == '_' || (each & 0x80) != 0;
    count += is_word && !std::exchange(was_word, is_word);
    was_word = is_word;
  }
  return Value(count);
}

Value Default(Call& c) {
  const bool is_kept = c.Flag(1) ? c.m.Truth(c.self) : !c.self.is_undefined();
  return is_kept ? c.self : c.Or(0, Value(string_view("")));
}

Value Format(Call& c) {
  Value values = c.m.MakeList({c.all.values.begin(), c.all.values.end()}, Kind::kTuple);
  if (!c.all.named.empty()) values = c.m.MakeDict();
  for (const auto& [name, value] : c.all.named) c.m.SetItem(values.dict, Value(name), value);
  return c.m.Binary("%", c.self, values);
}

Value ItemsOfDict(Call& c) {
  if (c.self.is_undefined()) return c.m.MakeList({}, Kind::kGenerator);
  if (!c.self.is_dict()) return c.m.Raise("Can only get item pairs from a mapping.");
  Value items = c.m.CallMethod("items", c.self);
  items.kind = Kind::kGenerator;
  return items;
}

Value Attr(Call& c) {
  const Value value = c.m.Attribute(c.self, c.Text(0));
  const bool is_item =
      c.self.is_dict() && FindMethod(c.self, c.Text(0)) == nullptr && !value.is_undefined();
  return is_item ? Value::Undefined(Value::kAttribute, c.Text(0), Kind::kDict) : value;
}

Value ReplaceText(Call& c) {
  return c.m.CallMethod(
      "replace", c.self,
      {{c.m.ToText(c.args[0]), c.m.ToText(c.args[1]), Value(c.Has(2) ? c.Integer(2) : -1)}, {}});
}

constexpr Builtin kRows[] = {
    {"abs", "",
     [](Call& c) { return c.m.Prefix(c.m.Compare("<", c.self, Value(0.0)) ? "-" : "+", c.self); }},
    {"attr", "!name", Attr},
    {"batch", "!linecount fill_with", Batch},
    {"capitalize", "", Method<kCapitalize>, true},
    {"center", "width",
     [](Call& c) {
       return c.m.CallMethod("center", c.self, {{Value(c.Integer(0, 80))}, {}});
     },
     true},
    {"default d", "default_value boolean", Default},
    {"dictsort", "case_sensitive by reverse", DictSort},
    {"escape e", "", [](Call& c) { return c.self.form == Value::kSafe ? c.self : ForceEscape(c); },
     true},
    {"filesizeformat pprint random striptags urlencode urlize wordwrap xmlattr"},
    {"first", "", First},
    {"float", "default", ToFloat},
    {"forceescape", "", ForceEscape, true},
    {"format", nullptr, Format, true},
    {"groupby", "!attribute default case_sensitive", GroupBy},
    {"indent", "width first blank", Indent},
    {"int", "default base", ToInteger},
    {"items", "", ItemsOfDict},
    {"join", "d attribute", Join},
    {"last", "", Last},
    {"length count", "", [](Call& c) { return Value(c.m.Length(c.self)); }},
    {"list", "", [](Call& c) { return c.m.MakeList(c.m.Items(c.self)); }},
    {"lower", "", Method<kLower>, true},
    {"map", nullptr, Map},
    {"max", "case_sensitive attribute", Extreme<true>},
    {"min", "case_sensitive attribute", Extreme<false>},
    {"reject", nullptr, Select<false, false>},
    {"rejectattr", nullptr, Select<false, true>},
    {"replace", "!old !new count", ReplaceText, true},
    {"reverse", "", Reverse},
    {"round", "precision method", Round},
    {"safe", "", [](Call& c) { return Safe(c.self); }, true},
    {"select", nullptr, Select<true, false>},
    {"selectattr", nullptr, Select<true, true>},
    {"slice", "!slices fill_with", Slices},
    {"sort", "reverse case_sensitive attribute", Sort},
    {"string", "", [](Call& c) { return c.self; }, true},
    {"sum", "attribute start", Sum},
    {"title", "", Title, true},
    {"tojson", "ensure_ascii indent separators sort_keys", ToJson},
    {"trim", "chars",
     [](Call& c) {
       return c.m.CallMethod("strip", c.self, {{c.args[0]}, {}});
     },
     true},
    {"truncate", "length killwords end leeway", Truncate},
    {"unique", "case_sensitive attribute", Unique},
    {"upper", "", Method<kUpper>, true},
    {"wordcount", "", WordCount, true}};

}  // namespace

const BuiltinTable kFilters = kRows;

}  // namespace gguf::jinja
