// The filters, tests and functions of Jinja2, and the methods of Python's types.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_BUILTINS_H_
#define GGUF_CONFORMANCE_JINJA_BUILTINS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/jinja/machine.h"
#include "conformance/jinja/value.h"

namespace gguf::jinja {

// A call of a builtin.
struct Call {
  Machine& machine;
  const Value self;  // What is left of the | or of the dot.
  const Arguments& all;
  std::array<Value, 5> args;  // kMissing if not given.

  // None is as good as missing.
  bool Has(size_t i) const { return args[i].kind != Kind::kMissing && !args[i].is_none(); }
  bool Flag(size_t i) { return Has(i) && machine.Truth(args[i]); }
  // Raise if the argument has another type.
  int64_t Integer(size_t i, int64_t otherwise = 0);
  absl::string_view Text(size_t i, absl::string_view otherwise = "");
};

struct Builtin {
  absl::string_view name;
  // Separated by spaces; ! before those that are required.  Null if the function reads Call::all.
  const char* parameters;
  Value (*function)(Call&);  // Null for one that Jinja2 has and the machine lacks.
  // Of a method: it changes its object.  Of a filter: it works on str(value).
  bool flag = false;
};

// Sorted by name.
using BuiltinTable = absl::Span<const Builtin>;
extern const BuiltinTable kFilters, kTests, kFunctions, kTextMethods, kListMethods, kDictMethods;

// Returns null if there is none.
const Builtin* FindBuiltin(BuiltinTable table, absl::string_view name);

// Python's name of the type of the value.
absl::string_view TypeName(const Value& value);

// The offset of the character with this index; at most the size.
size_t CharacterOffset(absl::string_view text, size_t index);
size_t CountCharacters(absl::string_view text);
// Finds the first or the last occurrence, within the budget.
size_t FindText(Machine* machine, absl::string_view text, absl::string_view what, size_t from = 0,
                bool last = false);

std::string FloatText(double value);
// Appends repr(value).
void WriteRepr(Machine* machine, const Value& value, std::string* out);
// The filter tojson(ensure_ascii, indent, separators, sort_keys) of transformers.
Value ToJson(Call& call);
// format % values
Value FormatPercent(Machine* machine, absl::string_view format, const Value& values);
// The method str.format().
Value FormatFields(Call& call);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_BUILTINS_H_
