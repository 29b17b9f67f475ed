// Constant: what is known of a value in a template before it runs.
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

namespace gguf::jinja {

// Of a longer text, and of a list of more items, only the size is known.
constexpr size_t kLongestText = 256;
constexpr size_t kMostItems = 32;

struct Constant {
  enum Kind {
    kUnknown,
    kNumber,
    kSomeNumber,  // Which one is not known.
    kText,
    kList,    // Also tuples, the keys of dict(a=1), and range().
    kName,    // A name that the template does not set.
    kMember,  // An attribute of such a name.
  };

  static Constant Number(double number);
  // A number as it stands in a template: 1_000, 0x1f, 1e9.
  static Constant Parse(absl::string_view literal);
  static Constant Text(absl::string_view text);
  // A text or list of which only the size is known.
  static Constant Sized(Kind kind, double size);
  static Constant List(absl::Span<const Constant> items, size_t count);

  bool is_known_text() const { return kind == kText && whole; }

  Kind kind = kUnknown;
  double number = 0;
  double size = 0;     // Of a text in bytes, of a list in elements; at least.
  bool whole = false;  // `text` or `items` is all of it.
  std::string text;
  std::vector<std::string> items;  // Texts.
  absl::string_view name;  // Of kName and kMember; a part of the template.

  // How many times it has in it what the expression's target was before; and
  // whether that is an attribute of this.
  double copies = 0;
  bool has_target = false;
};

// What Jinja makes of them, or as much of that as is known.
Constant Add(const Constant& a, const Constant& b);       // a + b
Constant Concat(const Constant& a, const Constant& b);    // a ~ b
Constant Multiply(const Constant& a, const Constant& b);  // a * b
Constant Power(const Constant& a, const Constant& b);     // a ** b
Constant Subtract(const Constant& a, const Constant& b);  // a - b
Constant Modulo(const Constant& a, const Constant& b);    // a % b
// value[begin:end:step] of a text; absent parts are unknown constants.
Constant Slice(const Constant& value, absl::Span<const Constant> parts);
Constant Filter(absl::string_view name, const Constant& value,
                absl::Span<const Constant> arguments);
Constant CallMethod(absl::string_view name, const Constant& value,
                    absl::Span<const Constant> arguments);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_CONSTANT_H_
