// Facts: where a value of a template may come from, over all runs.
//
// Facts about a value only grow: the facts of a value with several sources are
// the union of theirs.  A value without known sources is undefined, or was not
// followed: it is never safe.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_FACTS_H_
#define GGUF_CONFORMANCE_JINJA_FACTS_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace gguf::jinja {

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

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_FACTS_H_
