// Constant: the facts about a value in a template that are known before it
// runs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_CONSTANT_H_
#define GGUF_CONFORMANCE_JINJA_CONSTANT_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/jinja/copies.h"
#include "conformance/jinja/facts.h"

namespace gguf::jinja {

// For a longer text or a list of more items, only the size is kept.
constexpr size_t kLongestText = 256;
constexpr size_t kMostItems = 32;

struct Constant {
  enum Kind {
    kUnknown,
    kNumber,
    kSomeNumber,  // A number of unknown value.
    kText,
    kList,    // Also tuples, the keys of dict(a=1), and range().
    kName,    // A name that the template does not set.
    kMember,  // An attribute of such a name.
  };

  static Constant Number(double number);
  // Parses a number literal of a template: 1_000, 0x1f, 1e9.
  static Constant Parse(absl::string_view literal);
  static Constant Text(absl::string_view text);
  // Returns an exact text if Python computes with it as with bytes.
  static Constant Literal(absl::string_view text);
  // Returns a text or list of which only the size is known.
  static Constant Sized(Kind kind, double size);
  static Constant List(absl::Span<const Constant> items, size_t count);
  static Constant Absent();  // A missing part of a slice.
  // Returns a value of which only the facts are known.
  static Constant Unknown(const Facts& facts);
  Constant With(const Facts& other) const;  // The same with other facts.

  bool is_known_text() const { return kind == kText && whole; }

  Kind kind = kUnknown;
  double number = 0;
  double size = 0;     // The minimum size: of a text in bytes, of a list in elements.
  bool whole = false;  // `text` or `items` is complete.
  std::string text;
  std::vector<std::string> items;  // Texts.
  absl::string_view name;          // Of kName and kMember; a part of the template.

  // Known exactly, in all runs: made of literals by operations that are
  // computed as Python does.  The other members describe one of the possible
  // values.
  bool exact = false;

  // Where the value may come from, in all runs.
  Facts facts = AssembledFacts();

  // Whether it is a name, of kind kName, that the template never sets.
  bool is_free = false;

  // The copies of variables that it contains; and the variable, if it is one.
  Copies copies;
  absl::string_view variable;

  // Whether it is the variable of a recursive loop, or only a part of its
  // value.
  enum Part { kNoPart, kLoopVariable, kPartOfIt } part = kNoPart;
};

// Returns the sum of their copies.
Copies CopiesOf(absl::Span<const Constant> values);

// Compute the results of Jinja's operators, as far as they are known.
Constant Add(const Constant& a, const Constant& b);       // a + b
Constant Concat(const Constant& a, const Constant& b);    // a ~ b
Constant Multiply(const Constant& a, const Constant& b);  // a * b
Constant Power(const Constant& a, const Constant& b);     // a ** b
Constant Subtract(const Constant& a, const Constant& b);  // a - b
Constant Modulo(const Constant& a, const Constant& b);    // a % b
// Computes value[begin:end:step] of a text; absent parts are unknown constants
// that are exact.
Constant Slice(const Constant& value, absl::Span<const Constant> parts);
Constant Filter(absl::string_view name, const Constant& value,
                absl::Span<const Constant> arguments);
Constant CallMethod(absl::string_view name, const Constant& value,
                    absl::Span<const Constant> arguments);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_CONSTANT_H_
