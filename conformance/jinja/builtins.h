// The filters, tests and functions of Jinja2, and the methods of Python's types.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_BUILTINS_H_
#define GGUF_CONFORMANCE_JINJA_BUILTINS_H_

#include <array>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/jinja/machine.h"

namespace gguf::jinja {

// A call of a builtin.
struct Call {
  Machine& m;
  const Value self;  // What is left of the | or of the dot.
  const Arguments& all;
  std::array<Value, 5> args;  // kMissing if not given.

  bool Has(size_t i) const { return args[i].kind != Kind::kMissing && !args[i].is_none(); }
  Value Or(size_t i, Value other) const { return args[i].is(Kind::kMissing) ? other : args[i]; }
  bool Flag(size_t i) { return Has(i) && m.Truth(args[i]); }
  // Raise if the argument has another type; none is no text.
  int64_t Integer(size_t i, int64_t otherwise = 0);
  absl::string_view Text(size_t i, absl::string_view otherwise = "");
};

struct Builtin {
  absl::string_view names;  // Separated by spaces.
  // Separated by spaces; ! before those that are required.  Null if the function reads Call::all.
  const char* parameters;
  Value (*function)(Call&);  // Null for those that Jinja2 has and the machine lacks.
  // Of a method: it changes its object.  Of a filter: it works on str(value).
  bool flag = false;
};

using BuiltinTable = absl::Span<const Builtin>;
extern const BuiltinTable kFilters;      // filters.cc
extern const BuiltinTable kTextMethods;  // text_methods.cc

// Return null if there is none.
const Builtin* FindFilter(absl::string_view name);
const Builtin* FindTest(absl::string_view name);
const Builtin* FindMethod(const Value& base, absl::string_view name);
BuiltinTable Functions();

// Python's name of the type of the value.
absl::string_view TypeName(const Value& value);

// Returns the size of the first `count` characters; at most that of the text.
size_t SizeOf(size_t count, absl::string_view text);
size_t CountCharacters(absl::string_view text);
// Finds the first or the last occurrence, within the budget.
size_t FindText(Machine* m, absl::string_view text, absl::string_view what, size_t from = 0,
                bool last = false);

// Removes an item of a dict that has it.
void PopItem(Dict* dict, absl::string_view key);

std::string FloatText(double value);
// The filter tojson(ensure_ascii, indent, separators, sort_keys) of transformers.
Value ToJson(Call& c);
// format % values
Value FormatPercent(Machine* m, absl::string_view format, const Value& values);
// The method str.format().
Value FormatFields(Call& c);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_BUILTINS_H_
