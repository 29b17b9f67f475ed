// The tests and functions of Jinja2, and the methods of lists and dicts.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "conformance/jinja/builtins.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Tests.

template <const char* op>
Value CompareWith(Call& c) {
  const Value result(c.machine.Compare(op, c.self, c.args[0]));
  return result;
}
constexpr char kEq[] = "==", kNe[] = "!=", kLt[] = "<", kLe[] = "<=", kGt[] = ">",
               kGe[] = ">=", kIn[] = "in";

// value % divisor == rest
Value HasRest(Call& c, const Value& divisor, int64_t rest) {
  const Value value = c.machine.Binary("%", c.self, divisor);
  return Value(c.machine.Compare("==", value, Value(rest)));
}

template <Kind kind>
Value IsKind(Call& c) {
  return Value(c.self.is(kind));
}

template <bool wanted>
Value IsBoolean(Call& c) {
  return Value(c.self.is(Kind::kBoolean) && (c.self.integer != 0) == wanted);
}

constexpr Builtin kTestRows[] = {
    {"!=", "!other", CompareWith<kNe>},
    {"<", "!other", CompareWith<kLt>},
    {"<=", "!other", CompareWith<kLe>},
    {"==", "!other", CompareWith<kEq>},
    {">", "!other", CompareWith<kGt>},
    {">=", "!other", CompareWith<kGe>},
    {"boolean", "", IsKind<Kind::kBoolean>},
    {"callable", "",
     [](Call& c) { return Value(c.self.is_undefined() || c.self.kind >= Kind::kFunction); }},
    {"defined", "", [](Call& c) { return Value(!c.self.is_undefined()); }},
    {"divisibleby", "!num", [](Call& c) { return HasRest(c, c.args[0], 0); }},
    {"eq", "!other", CompareWith<kEq>},
    {"equalto", "!other", CompareWith<kEq>},
    {"escaped", "",
     [](Call& c) { return Value(c.self.is_string() && c.self.form == Value::kSafe); }},
    {"even", "", [](Call& c) { return HasRest(c, Value(int64_t{2}), 0); }},
    {"false", "", IsBoolean<false>},
    {"filter", "",
     [](Call& c) {
       return Value(c.self.is_string() && FindBuiltin(kFilters, c.self.text()) != nullptr);
     }},
    {"float", "", IsKind<Kind::kFloat>},
    {"ge", "!other", CompareWith<kGe>},
    {"greaterthan", "!other", CompareWith<kGt>},
    {"gt", "!other", CompareWith<kGt>},
    {"in", "!seq", CompareWith<kIn>},
    {"integer", "",
     [](Call& c) { return Value(c.self.is(Kind::kInteger) || c.self.is(Kind::kHuge)); }},
    {"iterable", "",
     [](Call& c) {
       return Value(c.self.has_list() || c.self.is_dict() || c.self.is_string() ||
                    c.self.is_undefined() || c.self.is(Kind::kLoop));
     }},
    {"le", "!other", CompareWith<kLe>},
    {"lessthan", "!other", CompareWith<kLt>},
    {"lower", "",
     [](Call& c) { return c.machine.CallMethod("islower", c.machine.ToText(c.self)); }},
    {"lt", "!other", CompareWith<kLt>},
    {"mapping", "", IsKind<Kind::kDict>},
    {"ne", "!other", CompareWith<kNe>},
    {"none", "", IsKind<Kind::kNone>},
    {"number", "", [](Call& c) { return Value(c.self.is_number()); }},
    {"odd", "", [](Call& c) { return HasRest(c, Value(int64_t{2}), 1); }},
    {"sameas", "!other",
     [](Call& c) {
       return Value(c.self.kind == c.args[0].kind &&
                    (c.self.is_string() ? c.self.text() == c.args[0].text()
                                        : c.self.data == c.args[0].data));
     }},
    {"sequence", "",
     [](Call& c) {
       return Value(c.self.is_sequence() || c.self.is(Kind::kRange) || c.self.is_dict() ||
                    c.self.is_string() || c.self.is_undefined());
     }},
    {"string", "", IsKind<Kind::kString>},
    {"test", "",
     [](Call& c) {
       return Value(c.self.is_string() && FindBuiltin(kTests, c.self.text()) != nullptr);
     }},
    {"true", "", IsBoolean<true>},
    {"undefined", "", IsKind<Kind::kUndefined>},
    {"upper", "",
     [](Call& c) { return c.machine.CallMethod("isupper", c.machine.ToText(c.self)); }},
};

// Functions.

Value Range(Call& c) {
  constexpr double kLongest = 100000;  // As in Jinja2's sandbox.
  const bool has_start = c.Has(1);
  const int64_t start = has_start ? c.Integer(0) : 0, stop = c.Integer(has_start ? 1 : 0),
                step = c.Integer(2, 1);
  if (step == 0) return c.machine.Raise("range() arg 3 must not be zero");
  const double count = std::ceil((static_cast<double>(stop) - static_cast<double>(start)) /
                                 static_cast<double>(step));
  if (count > kLongest) {
    return c.machine.Fail(
        Failure::kTooLong,
        "Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).", count);
  }
  std::vector<Value> items;
  for (int64_t i = 0; i < count && c.machine.Work(1); ++i) items.emplace_back(start + i * step);
  return c.machine.MakeList(std::move(items), Kind::kRange);
}

// dict(mapping or pairs, name=value, ...)
Value MakeDictOf(Call& c, Kind kind) {
  const Value made = c.machine.MakeDict(kind);
  if (c.all.values.size() > 1)
    return c.machine.Raise(
        absl::StrCat("dict expected at most 1 argument, got ", c.all.values.size()));
  if (!c.all.values.empty() && c.all.values[0].is_dict())
    *made.dict = *c.all.values[0].dict;
  else if (!c.all.values.empty()) {
    for (const Value& pair : c.machine.Iterate(c.all.values[0])->items) {
      const std::vector<Value>& both = c.machine.Iterate(pair)->items;
      if (both.size() != 2) return c.machine.Raise("a dict is made of pairs");
      c.machine.SetItem(made.dict, both[0], both[1]);
    }
  }
  for (const auto& [name, value] : c.all.named) c.machine.SetItem(made.dict, Value(name), value);
  return made;
}

Value StrftimeNow(Call& c) {
  int year = 0, month = 0, day = 0;
  std::sscanf(c.machine.options().date.c_str(), "%d-%d-%d", &year, &month, &day);
  const absl::CivilDay date(year, month, day);
  std::tm tm = {};
  tm.tm_year = static_cast<int>(date.year() - 1900);
  tm.tm_mon = date.month() - 1;
  tm.tm_mday = date.day();
  tm.tm_wday = (static_cast<int>(absl::GetWeekday(date)) + 1) % 7;
  tm.tm_yday = absl::GetYearDay(date) - 1;
  const std::string format(c.Text(0));
  char text[4096];
  const size_t size = std::strftime(text, sizeof text, format.c_str(), &tm);
  return c.machine.MakeString(string_view(text, size));
}

constexpr Builtin kFunctionRows[] = {
    {"cycler", nullptr, nullptr},
    {"dict", nullptr, [](Call& c) { return MakeDictOf(c, Kind::kDict); }},
    {"joiner", nullptr, nullptr},
    {"lipsum", nullptr, nullptr},
    {"namespace", nullptr, [](Call& c) { return MakeDictOf(c, Kind::kNamespace); }},
    {"raise_exception", "!message",
     [](Call& c) { return c.machine.Raise(c.machine.ToText(c.args[0]).text()); }},
    {"range", "!start stop step", Range},
    {"strftime_now", "!format", StrftimeNow},
};

// Methods.

using Items = std::vector<Value>;

Value Index(Call& c) {
  const Items& items = c.self.list->items;
  for (size_t i = 0; i < items.size() && !c.machine.failed(); ++i) {
    if (c.machine.Compare("==", items[i], c.args[0])) return Value(i);
  }
  return c.machine.Raise(absl::StrCat(c.machine.Repr(c.args[0]), " is not in list"));
}

Value Remove(Call& c) {
  const Value at = Index(c);
  if (!c.machine.failed()) c.self.list->items.erase(c.self.list->items.begin() + at.integer);
  return Value(Kind::kNone);
}

// Returns an index as Python's insert() and pop() read it.
size_t Place(Call& c, size_t i, int64_t otherwise) {
  const auto size = static_cast<int64_t>(c.self.list->items.size());
  const int64_t at = c.Integer(i, otherwise);
  return static_cast<size_t>(std::clamp<int64_t>(at < 0 ? at + size : at, 0, size));
}

Value Extend(Call& c, Items more) {
  Items& items = c.self.list->items;
  if (c.machine.Room(static_cast<double>(more.size()), sizeof(Value)) &&
      c.machine.Room(static_cast<double>(items.size() + more.size()), 0)) {
    items.insert(items.end(), more.begin(), more.end());
  }
  return Value(Kind::kNone);
}

constexpr Builtin kListRows[] = {
    {"append", "!item", [](Call& c) { return Extend(c, {c.args[0]}); }, true},
    {"clear", "",
     [](Call& c) {
       c.self.list->items.clear();
       return Value(Kind::kNone);
     },
     true},
    {"copy", "", [](Call& c) { return c.machine.MakeList(c.self.list->items); }},
    {"count", "!item",
     [](Call& c) {
       return Value(
           static_cast<size_t>(absl::c_count_if(c.self.list->items, [&](const Value& item) {
             return c.machine.Compare("==", item, c.args[0]);
           })));
     }},
    {"extend", "!items", [](Call& c) { return Extend(c, c.machine.Iterate(c.args[0])->items); },
     true},
    {"index", "!item", Index},
    {"insert", "!index !item",
     [](Call& c) {
       const size_t at = Place(c, 0, 0);
       if (c.machine.Work(1 + c.self.list->items.size() / 16) && c.machine.Room(1, sizeof(Value)))
         c.self.list->items.insert(c.self.list->items.begin() + at, c.args[1]);
       return Value(Kind::kNone);
     },
     true},
    {"pop", "index",
     [](Call& c) {
       Items& items = c.self.list->items;
       const size_t at = Place(c, 0, -1);
       if (at >= items.size()) return c.machine.Raise("pop index out of range");
       const Value item = items[at];
       if (c.machine.Work((items.size() - at) / 16)) items.erase(items.begin() + at);
       return item;
     },
     true},
    {"remove", "!item", Remove, true},
    {"reverse", "",
     [](Call& c) {
       if (c.machine.Work(c.self.list->items.size())) absl::c_reverse(c.self.list->items);
       return Value(Kind::kNone);
     },
     true},
    {"sort", "key reverse",
     [](Call& c) {
       const Value sorted =
           c.machine.CallFilter("sort", c.self, {{Value(c.Flag(1)), Value(true)}, {}});
       if (!c.machine.failed()) c.self.list->items = sorted.list->items;
       return Value(Kind::kNone);
     },
     true},
};

template <int part>  // Keys, values or both.
Value View(Call& c) {
  Items items;
  for (const auto& [key, value] : c.self.dict->entries) {
    if (!c.machine.Work(1)) break;
    items.push_back(part == 0   ? key
                    : part == 1 ? value
                                : c.machine.MakeList({key, value}, Kind::kTuple));
  }
  return c.machine.MakeList(std::move(items), Kind::kView);
}

Value PopItem(Dict* dict, size_t at) {
  const Value value = dict->entries[at].second;
  dict->entries.erase(dict->entries.begin() + at);
  for (auto entry = dict->index.begin(); entry != dict->index.end();) {
    const auto each = entry++;
    if (each->second == at)
      dict->index.erase(each);
    else if (each->second > at)
      --each->second;
  }
  return value;
}

constexpr Builtin kDictRows[] = {
    {"clear", "",
     [](Call& c) {
       *c.self.dict = Dict();
       return Value(Kind::kNone);
     },
     true},
    {"copy", "",
     [](Call& c) {
       return c.machine.Call(Value(FindBuiltin(kFunctions, "dict")), {{c.self}, {}});
     }},
    {"fromkeys", nullptr, nullptr},
    {"get", "!key default",
     [](Call& c) {
       const Value* found = c.self.dict->Find(c.machine.KeyText(c.args[0]));
       return found != nullptr               ? *found
              : c.args[1].is(Kind::kMissing) ? Value(Kind::kNone)
                                             : c.args[1];
     }},
    {"items", "", View<2>},
    {"keys", "", View<0>},
    {"pop", "!key default",
     [](Call& c) {
       const auto found = c.self.dict->index.find(c.machine.KeyText(c.args[0]));
       if (found == c.self.dict->index.end())
         return c.args[1].is(Kind::kMissing) ? c.machine.Raise(c.machine.Repr(c.args[0]))
                                             : c.args[1];
       return c.machine.Work(c.self.dict->entries.size()) ? PopItem(c.self.dict, found->second)
                                                          : Value();
     },
     true},
    {"popitem", "", nullptr, true},
    {"setdefault", "!key default",
     [](Call& c) {
       if (const Value* found = c.self.dict->Find(c.machine.KeyText(c.args[0]))) return *found;
       const Value value = c.args[1].is(Kind::kMissing) ? Value(Kind::kNone) : c.args[1];
       c.machine.SetItem(c.self.dict, c.args[0], value);
       return value;
     },
     true},
    {"update", nullptr,
     [](Call& c) {
       const Value more = MakeDictOf(c, Kind::kDict);
       for (const auto& [key, value] : more.dict->entries)
         c.machine.SetItem(c.self.dict, key, value);
       return Value(Kind::kNone);
     },
     true},
    {"values", "", View<1>},
};

}  // namespace

const BuiltinTable kTests = kTestRows, kFunctions = kFunctionRows, kListMethods = kListRows,
                   kDictMethods = kDictRows;

}  // namespace gguf::jinja
