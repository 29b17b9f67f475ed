// Values of templates, as Python has them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_VALUE_H_
#define GGUF_CONFORMANCE_JINJA_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/base/name_hash.h"

namespace gguf::jinja {

enum class Kind : uint8_t {
  kMissing,    // An argument that was not given.
  kUndefined,  // text, form: what UndefinedError says.
  kNone,
  kBoolean,
  kInteger,
  kFloat,
  kHuge,       // An integer beyond 64 bits, known as a double.
  kString,     // text: UTF-8; form: kSafe or not.
  kList,       //
  kTuple,      // form: kGroup or not.
  kRange,      //
  kView,       // What items(), keys() and values() of a dict return.
  kGenerator,  // What filters such as map return; consumed when it is iterated over.
  kDict,       //
  kNamespace,  // dict.
  kFunction,   // function.
  kMethod,     // Of an object: its only item.  function.
  kMacro,
  kLoop,
};

struct Builtin;
struct Dict;
struct List;
struct Loop;
struct Macro;

// Trivially copyable.  What it points to belongs to the machine, the template or the variables.
struct Value {
  enum Form : uint8_t {
    kHint,       // text: the whole sentence.
    kName,       // text: the name of a variable.
    kAttribute,  // text: the name of an attribute, of a value of kind `owner`.
    kParameter,  // text: the name of a parameter that was not given.
    kSafe,       // Of a string: it is not escaped when it is added to others.
    kGroup,      // Of a tuple: a group of the filter groupby.
  };

  Kind kind = Kind::kUndefined;
  uint8_t form = kHint;
  Kind owner = Kind::kMissing;
  uint32_t size = 0;
  union {
    int64_t integer = 0;
    double real;
    const char* data;
    List* list;  // From kList to kGenerator, and of kMethod.
    Dict* dict;
    const Builtin* function;
    const Macro* macro;
    Loop* loop;
  };

  Value() {}
  explicit Value(Kind the_kind) : kind(the_kind) {}
  explicit Value(bool value) : kind(Kind::kBoolean), integer(value) {}
  explicit Value(int64_t value) : kind(Kind::kInteger), integer(value) {}
  explicit Value(size_t value) : Value(static_cast<int64_t>(value)) {}
  explicit Value(double value, Kind the_kind = Kind::kFloat) : kind(the_kind), real(value) {}
  // The bytes must outlive the value.
  explicit Value(absl::string_view text, Kind the_kind = Kind::kString)
      : kind(the_kind), size(static_cast<uint32_t>(text.size())), data(text.data()) {}
  Value(Kind the_kind, List* value) : kind(the_kind), list(value) {}
  Value(Kind the_kind, Dict* value) : kind(the_kind), dict(value) {}
  explicit Value(const Builtin* value) : kind(Kind::kFunction), function(value) {}
  explicit Value(const Macro* value) : kind(Kind::kMacro), macro(value) {}
  explicit Value(Loop* value) : kind(Kind::kLoop), loop(value) {}
  explicit Value(const char*) = delete;  // Would be a bool.

  static Value Undefined(Form form, absl::string_view text, Kind owner = Kind::kMissing) {
    Value value(text, Kind::kUndefined);
    value.form = form;
    value.owner = owner;
    return value;
  }

  bool is(Kind which) const { return kind == which; }
  bool is_undefined() const { return kind == Kind::kUndefined; }
  bool is_none() const { return kind == Kind::kNone; }
  bool is_integer() const { return kind == Kind::kInteger || kind == Kind::kBoolean; }
  bool is_number() const { return kind >= Kind::kBoolean && kind <= Kind::kHuge; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_dict() const { return kind == Kind::kDict; }
  bool is_sequence() const { return kind == Kind::kList || kind == Kind::kTuple; }
  bool has_list() const { return kind >= Kind::kList && kind <= Kind::kGenerator; }
  absl::string_view text() const { return {data, size}; }
  double number() const { return is_integer() ? static_cast<double>(integer) : real; }
};
static_assert(sizeof(Value) == 16 && std::is_trivially_copyable<Value>::value, "");

struct List {
  std::vector<Value> items;
  bool is_consumed = false;
};

// Keeps the order of insertion.
struct Dict {
  std::vector<std::pair<Value, Value>> entries;
  NameMap<size_t> index;  // By Machine::KeyText().

  Value* Find(absl::string_view key) {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : &entries[found->second].second;
  }
};

struct Arguments {
  absl::Span<const Value> values;
  absl::Span<const std::pair<absl::string_view, Value>> named;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_VALUE_H_
