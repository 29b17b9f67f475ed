// The tests and functions of Jinja2, and the methods of lists and dicts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/builtins.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/civil_time.h"

namespace gguf::jinja {
namespace {

using absl::string_view;
using Items = std::vector<Value>;

// Tests.

template <const char* op>
Value Compares(Call& c) {
  return Value(c.m.Compare(op, c.self, c.args[0]));
}
constexpr char kEqual[] = "==", kUnequal[] = "!=", kIn[] = "in";
constexpr char kLess[] = "<", kAtMost[] = "<=", kGreater[] = ">", kAtLeast[] = ">=";

template <int divisor, int rest>
Value Divides(Call& c) {
  const Value by = divisor == 0 ? c.args[0] : Value(int64_t{divisor});
  return Value(c.m.Compare("==", c.m.Binary("%", c.self, by), Value(int64_t{rest})));
}

template <Kind... kinds>
Value Is(Call& c) {
  return Value((c.self.is(kinds) || ...));
}

template <bool wanted>
Value IsBoolean(Call& c) {
  return Value(c.self.is(Kind::kBoolean) && (c.self.integer != 0) == wanted);
}

Value IsSame(Call& c) {
  const Value &a = c.self, &b = c.args[0];
  return Value(a.kind == b.kind && (a.is_string() ? a.text() == b.text() : a.data == b.data));
}

constexpr Builtin kTests[] = {
    {"!= ne", "!other", Compares<kUnequal>},
    {"< lt lessthan", "!other", Compares<kLess>},
    {"<= le", "!other", Compares<kAtMost>},
    {"== eq equalto", "!other", Compares<kEqual>},
    {"> gt greaterthan", "!other", Compares<kGreater>},
    {">= ge", "!other", Compares<kAtLeast>},
    {"boolean", "", Is<Kind::kBoolean>},
    {"callable", "",
     Is<Kind::kUndefined, Kind::kFunction, Kind::kMethod, Kind::kMacro, Kind::kLoop>},
    {"defined", "", [](Call& c) { return Value(!c.self.is_undefined()); }},
    {"divisibleby", "!num", Divides<0, 0>},
    {"escaped", "", [](Call& c) { return Value(c.self.form == Value::kSafe); }},
    {"even", "", Divides<2, 0>},
    {"false", "", IsBoolean<false>},
    {"filter", "", [](Call& c) { return Value(FindFilter(c.self.text()) != nullptr); }},
    {"float", "", Is<Kind::kFloat>},
    {"in", "!seq", Compares<kIn>},
    {"integer", "", Is<Kind::kInteger, Kind::kHuge>},
    {"iterable", "",
     [](Call& c) { return Value(c.m.CanIterate(c.self) || c.self.is(Kind::kLoop)); }},
    {"lower", "", [](Call& c) { return c.m.CallMethod("islower", c.self); }, true},
    {"mapping", "", Is<Kind::kDict>},
    {"none", "", Is<Kind::kNone>},
    {"number", "", Is<Kind::kBoolean, Kind::kInteger, Kind::kFloat, Kind::kHuge>},
    {"odd", "", Divides<2, 1>},
    {"sameas", "!other", IsSame},
    {"sequence", "",
     Is<Kind::kList, Kind::kTuple, Kind::kRange, Kind::kDict, Kind::kString, Kind::kUndefined>},
    {"string", "", Is<Kind::kString>},
    {"test", "", [](Call& c) { return Value(FindTest(c.self.text()) != nullptr); }},
    {"true", "", IsBoolean<true>},
    {"undefined", "", Is<Kind::kUndefined>},
    {"upper", "", [](Call& c) { return c.m.CallMethod("isupper", c.self); }, true}};

// Functions.

Value Range(Call& c) {
  constexpr double kLongest = 100000;  // As in Jinja2's sandbox.
  const bool has_start = !c.args[1].is(Kind::kMissing);
  const int64_t start = has_start ? c.Integer(0) : 0, stop = c.Integer(has_start ? 1 : 0);
  const int64_t step = c.Integer(2, 1);
  if (step == 0) return c.m.Raise("range() arg 3 must not be zero");
  const double count = std::ceil((static_cast<double>(stop) - static_cast<double>(start)) /
                                 static_cast<double>(step));
  if (count > kLongest) {
    return c.m.Fail(Failure::kTooLong,
                    "Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).",
                    count);
  }
  Items items;
  for (int64_t i = 0; i < count && c.m.Work(1); ++i) items.emplace_back(start + i * step);
  return c.m.MakeList(std::move(items), Kind::kRange);
}

// dict(mapping or pairs, name=value, ...)
template <Kind kind>
Value ToDict(Call& c) {
  const Value made = c.m.MakeDict(kind);
  if (c.all.values.size() > 1) return c.m.Raise("dict expected at most 1 argument");
  if (!c.all.values.empty() && c.all.values[0].is_dict()) {
    for (const auto& [key, value] : c.all.values[0].dict->entries)
      c.m.SetItem(made.dict, key, value);
  } else if (!c.all.values.empty()) {
    for (const Value& pair : c.m.Items(c.all.values[0])) {
      const Items& both = c.m.Items(pair);
      if (both.size() != 2) return c.m.Raise("a dict is made of pairs");
      c.m.SetItem(made.dict, both[0], both[1]);
    }
  }
  for (const auto& [name, value] : c.all.named) c.m.SetItem(made.dict, Value(name), value);
  return made;
}

Value StrftimeNow(Call& c) {
  const absl::CivilDay date = c.m.options().date;
  std::tm tm = {};
  tm.tm_year = static_cast<int>(date.year() - 1900);
  tm.tm_mon = date.month() - 1;
  tm.tm_mday = date.day();
  tm.tm_wday = (static_cast<int>(absl::GetWeekday(date)) + 1) % 7;
  tm.tm_yday = absl::GetYearDay(date) - 1;
  char text[4096];
  if (!c.m.Work(100 + 8 * c.Text(0).size())) return Value();
  const size_t size = std::strftime(text, sizeof text, std::string(c.Text(0)).c_str(), &tm);
  return c.m.MakeString(string_view(text, size));
}

constexpr Builtin kFunctions[] = {{"cycler"},
                                  {"dict", nullptr, ToDict<Kind::kDict>},
                                  {"joiner"},
                                  {"lipsum"},
                                  {"namespace", nullptr, ToDict<Kind::kNamespace>},
                                  {"raise_exception", "!message",
                                   [](Call& c) { return c.m.Raise(c.m.ToText(c.args[0]).text()); }},
                                  {"range", "!start stop step", Range},
                                  {"strftime_now", "!format", StrftimeNow}};

// Methods of lists.

Value Index(Call& c) {
  const Items& items = c.self.list->items;
  const auto found =
      absl::c_find_if(items, [&](const Value& item) { return c.m.Compare("==", item, c.args[0]); });
  if (found != items.end()) return Value(static_cast<size_t>(found - items.begin()));
  return c.m.Raise(absl::StrCat(c.m.Repr(c.args[0]), " is not in list"));
}

Value Count(Call& c) {
  size_t count = 0;
  for (const Value& item : c.self.list->items) count += c.m.Compare("==", item, c.args[0]);
  return Value(count);
}

// Replaces `removed` items from `at` on by others.
Value Splice(Call& c, int64_t at, size_t removed, const Items& added) {
  Items& items = c.self.list->items;
  const auto size = static_cast<int64_t>(items.size());
  at = std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  const bool fits = c.m.Room(static_cast<double>(added.size()), sizeof(Value)) &&
                    c.m.Work((items.size() - at) / 16);
  if (fits && c.m.Room(static_cast<double>(items.size() + added.size()), 0)) {
    items.erase(items.begin() + at, items.begin() + at + removed);
    items.insert(items.begin() + at, added.begin(), added.end());
  }
  return Value(Kind::kNone);
}

Value Pop(Call& c) {
  const Items& items = c.self.list->items;
  const int64_t i = c.Integer(0, -1), at = i < 0 ? i + static_cast<int64_t>(items.size()) : i;
  if (at < 0 || at >= static_cast<int64_t>(items.size()))
    return c.m.Raise("pop index out of range");
  const Value item = items[at];
  Splice(c, at, 1, {});
  return item;
}

constexpr int64_t kEnd = int64_t{1} << 40;

constexpr Builtin kListMethods[] = {
    {"append", "!item", [](Call& c) { return Splice(c, kEnd, 0, {c.args[0]}); }, true},
    {"clear", "", [](Call& c) { return Splice(c, 0, c.self.list->items.size(), {}); }, true},
    {"copy", "", [](Call& c) { return c.m.MakeList(c.self.list->items); }},
    {"count", "!item", Count},
    {"extend", "!items", [](Call& c) { return Splice(c, kEnd, 0, Items(c.m.Items(c.args[0]))); },
     true},
    {"index", "!item", Index},
    {"insert", "!index !item", [](Call& c) { return Splice(c, c.Integer(0), 0, {c.args[1]}); },
     true},
    {"pop", "index", Pop, true},
    {"remove", "!item",
     [](Call& c) {
       const Value at = Index(c);
       return c.m.failed() ? at : Splice(c, at.integer, 1, {});
     },
     true},
    {"reverse", "",
     [](Call& c) {
       return Splice(c, 0, c.self.list->items.size(),
                     Items(c.self.list->items.rbegin(), c.self.list->items.rend()));
     },
     true},
    {"sort", "key reverse",
     [](Call& c) {
       return Splice(
           c, 0, c.self.list->items.size(),
           c.m.Items(c.m.CallFilter("sort", c.self, {{Value(c.Flag(1)), Value(true)}, {}})));
     },
     true}};

// Methods of dicts.

template <bool keys, bool values>
Value View(Call& c) {
  Items items;
  for (const auto& [key, value] : c.self.dict->entries) {
    if (!c.m.Work(1)) break;
    items.push_back(!values ? key : !keys ? value : c.m.MakeList({key, value}, Kind::kTuple));
  }
  return c.m.MakeList(std::move(items), Kind::kView);
}

Value Get(Call& c) {
  const Value* found = c.self.dict->Find(c.m.KeyText(c.args[0]));
  return found != nullptr ? *found : c.Or(1, Value(Kind::kNone));
}

Value PopKey(Call& c) {
  const string_view key = c.m.KeyText(c.args[0]);
  const Value value = Get(c);
  if (c.self.dict->Find(key) != nullptr) {
    if (c.m.Work(c.self.dict->entries.size())) PopItem(c.self.dict, key);
  } else if (c.args[1].is(Kind::kMissing)) {
    c.m.Raise(c.m.Repr(c.args[0]));
  }
  return value;
}

Value SetDefault(Call& c) {
  const Value value = Get(c);
  c.m.SetItem(c.self.dict, c.args[0], value);
  return value;
}

Value Update(Call& c) {
  const Value more = ToDict<Kind::kDict>(c);
  if (c.m.failed()) return more;
  for (const auto& [key, value] : more.dict->entries) c.m.SetItem(c.self.dict, key, value);
  return Value(Kind::kNone);
}

Value Copy(Call& c) {
  const Arguments arguments{absl::MakeConstSpan(&c.self, 1), {}};
  Call copy{c.m, Value(), arguments, {}};
  return ToDict<Kind::kDict>(copy);
}

Value Clear(Call& c) {
  *c.self.dict = Dict();
  return Value(Kind::kNone);
}

constexpr Builtin kDictMethods[] = {{"clear", "", Clear, true},
                                    {"copy", "", Copy},
                                    {"fromkeys"},
                                    {"get", "!key default", Get},
                                    {"items", "", View<true, true>},
                                    {"keys", "", View<true, false>},
                                    {"pop", "!key default", PopKey, true},
                                    {"popitem", "", nullptr, true},
                                    {"setdefault", "!key default", SetDefault, true},
                                    {"update", nullptr, Update, true},
                                    {"values", "", View<false, true>}};

// Lookup.

using ByName = NameMap<const Builtin*>;

const Builtin* Find(const ByName& rows, string_view name) {
  const auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

ByName& Indexed(BuiltinTable table) {
  auto* rows = new ByName;
  for (const Builtin& row : table) {
    for (const string_view name : absl::StrSplit(row.names, ' ')) rows->emplace(name, &row);
  }
  return *rows;
}

}  // namespace

const Builtin* FindFilter(string_view name) {
  static const ByName& rows = Indexed(kFilters);
  return Find(rows, name);
}

const Builtin* FindTest(string_view name) {
  static const ByName& rows = Indexed(kTests);
  return Find(rows, name);
}

const Builtin* FindMethod(const Value& base, string_view name) {
  static const ByName &texts = Indexed(kTextMethods), &lists = Indexed(kListMethods),
                      &dicts = Indexed(kDictMethods);
  if (base.is_string()) return Find(texts, name);
  if (base.is_dict()) return Find(dicts, name);
  const bool is_list = base.is(Kind::kList), is_of_both = name == "index" || name == "count";
  return is_list || (base.is(Kind::kTuple) && is_of_both) ? Find(lists, name) : nullptr;
}

BuiltinTable Functions() { return kFunctions; }

void PopItem(Dict* dict, string_view key) {
  const size_t at = dict->index[key];
  dict->entries.erase(dict->entries.begin() + at);
  dict->index.erase(key);
  for (auto& each : dict->index) each.second -= each.second > at;
}

}  // namespace gguf::jinja
