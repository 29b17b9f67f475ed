// The machine: its budget, values, attributes and calls.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/machine.h"

#include <algorithm>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/jinja/builtins.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {

using absl::string_view;

// Failures and the budget.

Value Machine::Fail(Failure::Kind kind, string_view message, double number) {
  if (!failed()) failure_ = {kind, std::string(message), number, nullptr};
  return Value();
}

Value Machine::Unknown(string_view what) {
  return Fail(Failure::kUnknown, absl::StrCat("Jinja2 has ", what, ", which is unknown here"));
}

bool Machine::Work(size_t steps) {
  if (failed()) return false;
  steps_ += steps;
  if (steps_ <= options_.most_steps) return true;
  Fail(Failure::kOverBudget, absl::StrCat("takes more than ", options_.most_steps, " steps"));
  return false;
}

bool Machine::Room(double size, size_t bytes_each) {
  if (size > static_cast<double>(options_.largest_value)) {
    Fail(Failure::kTooLarge,
         absl::StrCat("makes a value of more than ", options_.largest_value, " bytes or elements"),
         size);
  }
  if (failed()) return false;
  bytes_ += static_cast<size_t>(size) * bytes_each;
  if (bytes_ > options_.most_bytes) {
    Fail(Failure::kOverBudget, absl::StrCat("makes more than ", options_.most_bytes, " bytes"));
  }
  return Work(static_cast<size_t>(size) / 16);
}

// Makers.

bool Machine::Append(string_view part, std::string* out) {
  const size_t size = out->size() + part.size();
  if (size > options_.largest_value) Room(static_cast<double>(size));
  if (!Work(1 + part.size() / 16)) return false;
  out->append(part.data(), part.size());
  return true;
}

Value Machine::MakeString(string_view text) {
  constexpr size_t kBlock = 16384;
  if (!Room(static_cast<double>(text.size())) || text.empty()) return Value(string_view(""));
  if (text.size() > block_left_) {
    block_left_ = std::max(kBlock, text.size());
    block_ = blocks_.emplace_back(new char[block_left_]).get();
  }
  std::memcpy(block_, text.data(), text.size());
  const Value value(string_view(block_, text.size()));
  block_ += text.size();
  block_left_ -= text.size();
  return value;
}

Value Machine::MakeList(std::vector<Value> items, Kind kind) {
  Room(static_cast<double>(items.size()), sizeof(Value));
  List* list = New<List>();
  list->items = std::move(items);
  return Value(kind, list);
}

Value Machine::MakeDict(Kind kind) { return Value(kind, New<Dict>()); }

Value Machine::MakeValue(const Json& json) {
  const Level level(this);
  if (!Work(1)) return Value();
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_number_unsigned() && json.get<int64_t>() < 0) {
    return Value(static_cast<double>(json.get<uint64_t>()), Kind::kHuge);
  }
  if (json.is_number()) return Value(json.get<int64_t>());
  if (json.is_string()) return Value(string_view(json.get_ref<const std::string&>()));
  if (json.is_object()) {
    const Value value = MakeDict();
    for (const auto& item : json.items()) {
      SetItem(value.dict, Value(string_view(item.key())), MakeValue(item.value()));
    }
    return value;
  }
  if (!json.is_array()) return Value(Kind::kNone);
  std::vector<Value> items;
  for (const Json& item : json) items.push_back(MakeValue(item));
  return MakeList(std::move(items));
}

// What is in values.

bool Machine::CanIterate(const Value& value) const {
  return value.has_list() || value.is_dict() || value.is_string() || value.is_undefined();
}

const std::vector<Value>& Machine::Items(const Value& value) {
  static const auto& none = *new std::vector<Value>();
  if (!CanIterate(value)) Raise(absl::StrCat("'", TypeName(value), "' object is not iterable"));
  const bool is_generator = value.is(Kind::kGenerator);
  if (failed() || (is_generator && std::exchange(value.list->is_consumed, true))) return none;
  if (value.has_list()) return value.list->items;
  std::vector<Value> items;
  if (value.is_dict()) {
    for (const auto& entry : value.dict->entries) items.push_back(entry.first);
  }
  for (string_view rest = value.is_string() ? value.text() : ""; !rest.empty() && Work(1);) {
    items.emplace_back(rest.substr(0, SizeOf(1, rest)));
    rest.remove_prefix(items.back().size);
  }
  return MakeList(std::move(items)).list->items;
}

size_t Machine::Length(const Value& value) {
  if (value.is_string()) return Work(value.size / 16) ? CountCharacters(value.text()) : 0;
  if (value.is_dict()) return value.dict->entries.size();
  if (value.has_list() && !value.is(Kind::kGenerator)) return value.list->items.size();
  if (!value.is_undefined()) {
    Raise(absl::StrCat("object of type '", TypeName(value), "' has no len()"));
  }
  return 0;
}

string_view Machine::KeyText(const Value& key) {
  const Level level(this);
  if (!Work(1)) return "";
  if (key.is_string()) return Work(key.size / 16) ? key.text() : "";
  std::string text = "\xff";  // Not in strings, which are UTF-8.
  if (key.is_number()) {
    absl::StrAppend(&text, FloatText(key.number()));
  } else if (key.is(Kind::kTuple)) {
    for (const Value& item : key.list->items) {
      const string_view part = KeyText(item);
      Append(absl::StrCat(part.size(), ",", part), &text);
    }
  } else if (key.is_undefined() || key.is_none()) {
    absl::StrAppend(&text, TypeName(key));
  } else {
    Raise(absl::StrCat("unhashable type: '", TypeName(key), "'"));
  }
  return MakeString(text).text();
}

void Machine::SetItem(Dict* dict, const Value& key, const Value& value) {
  constexpr size_t kEntryBytes = 64;
  const string_view text = KeyText(key);
  if (!Work(8) || !Room(kEntryBytes)) return;
  const auto [at, is_new] = dict->index.emplace(text, dict->entries.size());
  if (is_new) dict->entries.emplace_back(key, value);
  dict->entries[at->second].second = value;
}

// Attributes.

// Jinja2's name of the type, in its messages.
static std::string LongTypeName(Kind kind) {
  if (kind == Kind::kNone) return "None";
  const string_view module = kind == Kind::kNamespace                      ? "jinja2.utils."
                             : kind == Kind::kMacro || kind == Kind::kLoop ? "jinja2.runtime."
                                                                           : "";
  return absl::StrCat(module, TypeName(Value(kind)), " object");
}

Value Machine::RaiseUndefined(const Value& value) {
  const std::string name = absl::StrCat("'", value.text(), "'");
  if (value.form == Value::kHint) return Raise(value.text());
  if (value.form == Value::kName) return Raise(absl::StrCat(name, " is undefined"));
  if (value.form == Value::kParameter) {
    return Raise(absl::StrCat("parameter ", name, " was not provided"));
  }
  return Raise(absl::StrCat("'", LongTypeName(value.owner), "' has no attribute ", name));
}

Value Machine::Unsafe(const Value& base, string_view name) {
  const Value why = MakeString(
      absl::StrCat("access to attribute '", name, "' of '", TypeName(base), "' object is unsafe."));
  return Value::Undefined(Value::kHint, why.text());
}

// Returns what Python's getattr() finds, or kMissing.
Value Machine::OwnAttribute(const Value& base, string_view name) {
  if (const Builtin* method = FindMethod(base, name)) {
    if (method->flag && options_.is_immutable) return Unsafe(base, name);
    Value value = MakeList({base, Value(method)}, Kind::kMethod);
    return value;
  }
  if (IsSpecialName(name)) return Unsafe(base, name);
  if (base.is(Kind::kMacro) || base.is(Kind::kLoop)) return ObjectAttribute(base, name);
  const Value* item = base.is(Kind::kNamespace) ? base.dict->Find(name) : nullptr;
  if (base.is(Kind::kTuple) && base.form == Value::kGroup) {
    if (name == "grouper") item = &base.list->items[0];
    if (name == "list") item = &base.list->items[1];
  }
  return item == nullptr ? Value(Kind::kMissing) : *item;
}

Value Machine::Attribute(const Value& base, string_view name) {
  if (!Work(1)) return Value();
  if (base.is_undefined()) return RaiseUndefined(base);
  const Value value = OwnAttribute(base, name);
  if (!value.is(Kind::kMissing)) return value;
  const Value* item = base.is_dict() ? base.dict->Find(name) : nullptr;
  return item != nullptr ? *item : Value::Undefined(Value::kAttribute, name, base.kind);
}

Value Machine::Subscript(const Value& base, const Value& index) {
  if (!Work(1)) return Value();
  if (base.is_undefined()) return RaiseUndefined(base);
  if (base.is_dict()) {
    const Value* item = base.dict->Find(KeyText(index));
    if (failure_.kind == Failure::kRaised) ClearFailure();
    if (item != nullptr) return *item;
  } else if (index.is_integer() && base.is_string()) {
    const auto size = static_cast<int64_t>(index.integer < 0 ? Length(base) : base.size);
    const int64_t at = index.integer < 0 ? index.integer + size : index.integer;
    if (!Work(at < 0 ? 0 : std::min(at, size) / 16)) return Value();
    const string_view rest =
        at < 0 || at >= size ? "" : base.text().substr(SizeOf(at, base.text()));
    if (!rest.empty()) return Value(rest.substr(0, SizeOf(1, rest)));
  } else if (index.is_integer() && (base.is_sequence() || base.is(Kind::kRange))) {
    const std::vector<Value>& items = base.list->items;
    const int64_t at = index.integer + (index.integer < 0 ? int64_t(items.size()) : 0);
    if (at >= 0 && at < int64_t(items.size())) return items[at];
  }
  if (!index.is_string()) {
    const Value why =
        MakeString(absl::StrCat(LongTypeName(base.kind), " has no element ", Repr(index)));
    return Value::Undefined(Value::kHint, why.text());
  }
  const Value value = OwnAttribute(base, index.text());
  if (!value.is(Kind::kMissing)) return value;
  return Value::Undefined(Value::kAttribute, index.text(), base.kind);
}

// Calls.

int64_t Call::Integer(size_t i, int64_t otherwise) {
  if (args[i].is(Kind::kMissing)) return otherwise;
  if (args[i].is_undefined()) m.RaiseUndefined(args[i]);
  if (args[i].is_integer()) return args[i].integer;
  m.Raise(absl::StrCat("'", TypeName(args[i]), "' object cannot be interpreted as an integer"));
  return otherwise;
}

string_view Call::Text(size_t i, string_view otherwise) {
  if (!Has(i)) return otherwise;
  if (args[i].is_string()) return args[i].text();
  m.Raise(absl::StrCat("must be str, not ", TypeName(args[i])));
  return otherwise;
}

Value Machine::Invoke(const Builtin& builtin, string_view name, const Value& self,
                      const Arguments& arguments) {
  if (!Work(1)) return Value();
  if (builtin.function == nullptr) return Unknown(name);
  gguf::jinja::Call call{*this, self, arguments, {}};
  call.args.fill(Value(Kind::kMissing));
  if (builtin.parameters == nullptr) return builtin.function(call);
  size_t named = 0, count = 0;
  for (string_view parameter : absl::StrSplit(builtin.parameters, ' ', absl::SkipEmpty())) {
    const bool is_required = absl::ConsumePrefix(&parameter, "!");
    const auto given =
        absl::c_find_if(arguments.named, [&](auto& each) { return each.first == parameter; });
    if (count < arguments.values.size()) {
      call.args[count] = arguments.values[count];
    } else if (given != arguments.named.end()) {
      call.args[count] = given->second;
      ++named;
    } else if (is_required) {
      return Raise(absl::StrCat(name, "() misses the argument '", parameter, "'"));
    }
    ++count;
  }
  if (arguments.values.size() > count || named < arguments.named.size()) {
    return Raise(absl::StrCat(name, "() got an unexpected argument"));
  }
  return builtin.function(call);
}

Value Machine::CallFilter(string_view name, const Value& value, const Arguments& arguments) {
  const Builtin* filter = FindFilter(name);
  if (filter == nullptr) return Raise(absl::StrCat("No filter named '", name, "'."));
  return Invoke(*filter, name, filter->flag ? ToText(value) : value, arguments);
}

Value Machine::CallTest(string_view name, const Value& value, const Arguments& arguments) {
  const Builtin* test = FindTest(name);
  if (test == nullptr) return Raise(absl::StrCat("No test named '", name, "'."));
  return Invoke(*test, name, test->flag ? ToText(value) : value, arguments);
}

Value Machine::CallMethod(string_view name, const Value& base, const Arguments& arguments) {
  const Builtin* method = FindMethod(base, name);
  const bool is_safe = method != nullptr && !(method->flag && options_.is_immutable);
  return is_safe ? Invoke(*method, name, base, arguments) : Call(Attribute(base, name), arguments);
}

Value Machine::Call(const Value& callee, const Arguments& arguments) {
  if (failed()) return Value();
  if (callee.is_undefined()) return RaiseUndefined(callee);
  if (callee.is(Kind::kFunction))
    return Invoke(*callee.function, callee.function->names, Value(), arguments);
  if (callee.is(Kind::kMacro) || callee.is(Kind::kLoop)) return CallObject(callee, arguments);
  if (!callee.is(Kind::kMethod)) {
    return Raise(absl::StrCat("'", TypeName(callee), "' object is not callable"));
  }
  const std::vector<Value>& method = callee.list->items;
  return Invoke(*method[1].function, method[1].function->names, method[0], arguments);
}

}  // namespace gguf::jinja
