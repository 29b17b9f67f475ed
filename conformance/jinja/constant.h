// What is known about a value of a template before it runs: its constant, the facts about where it
// comes from, and copies of variables.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_CONSTANT_H_
#define GGUF_CONFORMANCE_JINJA_CONSTANT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf::jinja {

// Copies: how often a value contains the values of variables.

// A variable x of the template, or x.a: its name and that of the attribute.
using Variable = std::pair<absl::string_view, absl::string_view>;

// Counts the copies of the first variables in a value.
class Copies {
 public:
  using Entries = absl::InlinedVector<std::pair<Variable, double>, 1>;

  Copies() = default;
  explicit Copies(const Variable& one) : entries_({{one, 1}}) {}

  const Entries& all() const { return entries_; }
  double Of(const Variable& variable) const {
    for (const auto& [each, count] : entries_) {
      if (each == variable) return count;
    }
    return 0;
  }
  double Sum() const {
    double sum = 0;
    for (const auto& [each, count] : entries_) sum += count;
    return sum;
  }

  // Of a value that contains both.
  void Add(const Copies& more) {
    for (const auto& [variable, count] : more.entries_) {
      if (double* mine = Find(variable)) *mine += count;
    }
  }
  // Of a value that is one of both.
  void Choose(const Copies& other) {
    for (const auto& [variable, count] : other.entries_) {
      if (double* mine = Find(variable)) *mine = std::max(*mine, count);
    }
  }
  // Of a value that contains all `times`.
  void Multiply(double times) {
    for (auto& [variable, count] : entries_) count *= times;
  }

 private:
  static constexpr size_t kMost = 8;

  // Returns the count of the variable; null if there are too many.
  double* Find(const Variable& variable) {
    for (auto& [each, count] : entries_) {
      if (each == variable) return &count;
    }
    if (entries_.size() == kMost) return nullptr;
    entries_.emplace_back(variable, 0);
    return &entries_.back().second;
  }

  Entries entries_;
};

// Facts: where a value of a template may come from, over all runs.
//
// Facts about a value only grow: the facts of a value with several sources are
// the union of theirs.  A value without known sources is undefined, or was not
// followed: it is never safe.

enum Origin : uint32_t {
  kNumber = 1 << 0,      // A number, boolean or none.
  kWord = 1 << 1,        // A literal that names nothing unsafe.
  kObjectWord = 1 << 2,  // A literal that is an unsafe name on objects, not on data.
  kUnsafeWord = 1 << 3,  // A literal that is an unsafe name on every value.
  kAssembled = 1 << 4,   // A string that is no literal of the template.
  kMessage = 1 << 5,     // A variable that the template does not set: messages.
  kChosen = 1 << 6,      // Selected by a name out of a message: x[message.y].
  // The same, out of a list or dict that contains only literals.
  kLookedUp = 1 << 7,
  kContainer = 1 << 8,  // A list or dict that the template creates.
  kNamespace = 1 << 9,
  kFunction = 1 << 10,  // A function or object of the environment.
  kLoop = 1 << 11,      // The object `loop`.
  // A method of a text, list or dict, or what an unknown function returns.
  kCallable = 1 << 12,
  // Methods, which also have the lists of their value.
  kFormat = 1 << 13,   // str.format of a message.
  kGrower = 1 << 14,   // Adds elements to a list: append.
  kChanger = 1 << 15,  // Adds elements: append, update.
};

constexpr uint32_t kTexts = kWord | kObjectWord | kUnsafeWord | kAssembled;
constexpr uint32_t kMethods = kCallable | kFormat | kGrower | kChanger;
// Values whose attributes and elements are data or methods.
constexpr uint32_t kData = kMessage | kContainer | kNumber | kChosen | kLookedUp | kMethods;
// Values that name nothing unsafe.
constexpr uint32_t kSafeNames =
    kWord | kNumber | kMessage | kChosen | kLookedUp | kMethods | kContainer;

// The union of the sources of one value.
struct Sources {
  void Join(const Sources& other) {
    origins |= other.origins;
    lists |= other.lists;
    macros |= other.macros;
  }
  bool Has(uint32_t any_of) const { return (origins & any_of) != 0; }
  bool HasOnly(uint32_t these) const { return (origins & ~these) == 0; }
  // Returns whether it is known to be one of these kinds.
  bool Is(uint32_t these) const { return origins != 0 && HasOnly(these) && macros == 0; }
  bool operator==(const Sources& other) const {
    return origins == other.origins && lists == other.lists && macros == other.macros;
  }

  uint32_t origins = 0;
  // The lists and dicts that it may be; see Flow::ListAt.
  uint64_t lists = 0;
  // The macros that it may be, by their number.
  uint64_t macros = 0;
};

struct Facts {
  void Join(const Facts& other) {
    self.Join(other.self);
    inner.Join(other.inner);
  }
  bool operator==(const Facts& other) const { return self == other.self && inner == other.inner; }
  bool operator!=(const Facts& other) const { return !(*this == other); }
  // Returns whether it is undefined, or nothing was assigned yet.
  bool IsNothing() const { return self.origins == 0 && self.macros == 0; }
  // Returns the sources of the value and of everything in it.
  Sources All() const {
    Sources all = self;
    all.Join(inner);
    return all;
  }

  Sources self;
  Sources inner;  // Of its elements and attributes, and of theirs.
};

inline Facts FactsOf(uint32_t self, uint32_t inner) { return {{self, 0, 0}, {inner, 0, 0}}; }
inline Facts NumberFacts() { return FactsOf(kNumber, kNumber); }
inline Facts AssembledFacts() { return FactsOf(kAssembled, kAssembled); }
inline Facts MessageFacts() { return FactsOf(kMessage, kMessage); }
inline Facts FunctionFacts() { return FactsOf(kFunction, kAssembled | kCallable); }

// Returns the union.
inline Facts Either(Facts a, const Facts& b) {
  a.Join(b);
  return a;
}

// Returns the facts of a list or dict with this content.
inline Facts ContainerFacts(uint64_t lists, const Sources& content) {
  return {{kContainer, lists, 0}, content};
}

// Returns the facts of a literal text: a name, or a path of names.
Facts LiteralFacts(absl::string_view text);

// Constant: the facts about a value in a template that are known before it
// runs.

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
