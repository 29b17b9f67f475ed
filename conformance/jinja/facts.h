// Facts: where a value of a template may come from, over all runs.
//
// Facts about a value only grow: those of a value with several sources are the union of theirs.  A
// value without known sources is undefined, or was not followed: it is never safe.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_FACTS_H_
#define GGUF_CONFORMANCE_JINJA_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::jinja {

enum Source : uint32_t {
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
  // Methods, whose `part` is that of their object.
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

struct Facts {
  bool Has(uint32_t any_of) const { return (sources & any_of) != 0; }
  bool HasOnly(uint32_t these) const { return (sources & ~these) == 0; }
  // Returns whether it is known to be one of these kinds.
  bool Is(uint32_t these) const { return sources != 0 && HasOnly(these) && macros == 0; }
  // Returns whether it is undefined, or nothing was assigned yet.
  bool IsNothing() const { return sources == 0 && macros == 0; }

  uint32_t sources = 0;
  uint64_t macros = 0;  // The macros that it may be; bits as in Flow::MacroBit().
  int part = 0;         // What its elements and attributes are; see Parts.
};

// The contents of the lists and dicts that are created or assigned in one place.  Those of values
// that may be the same list become one, so that what is added to one is in the others.
class Parts {
 public:
  // Returns contents that nothing is known of.
  int New() {
    entries_.push_back({static_cast<int>(entries_.size()), {}});
    return static_cast<int>(entries_.size()) - 1;
  }

  // Makes two contents, and theirs, one.  0 is no content.
  int Join(int a, int b) {
    const int first = a == 0 ? b : a;
    for (a = Find(a), b = Find(b); a != 0 && b != 0 && a != b;) {
      has_grown_ = true;
      entries_[b].parent = a;
      Entry &one = entries_[a], &other = entries_[b];
      one.facts.sources |= other.facts.sources;
      one.facts.macros |= other.facts.macros;
      const int inner = one.facts.part;
      if (inner == 0) one.facts.part = other.facts.part;
      a = Find(inner);
      b = Find(other.facts.part);
    }
    return first;
  }

  int Find(int part) {
    while (entries_[part].parent != part) {
      part = entries_[part].parent = entries_[entries_[part].parent].parent;
    }
    return part;
  }

  // Returns the facts of the elements.
  Facts Of(int part) { return entries_[Find(part)].facts; }

  void Add(int part, const Facts& element) {
    if (part != 0) Grow(&entries_[Find(part)].facts, element);
  }

  void Join(Facts* facts, const Facts& more) {
    facts->sources |= more.sources;
    facts->macros |= more.macros;
    facts->part = Join(facts->part, more.part);
  }

  // The same; notes whether they change.
  void Grow(Facts* facts, const Facts& more) {
    const Facts before = *facts;
    Join(facts, more);
    has_grown_ |= before.sources != facts->sources || before.macros != facts->macros ||
                  Find(before.part) != Find(facts->part);
  }

  bool has_grown() const { return has_grown_; }
  void BeginPass() { has_grown_ = false; }
  void NoteGrowth() { has_grown_ = true; }

 private:
  struct Entry {
    int parent;
    Facts facts;
  };
  std::vector<Entry> entries_ = {{0, {}}};
  bool has_grown_ = false;
};

inline Facts FactsOf(uint32_t sources) { return {sources, 0, 0}; }

// Returns the facts of a literal text: a name, or a path of names.
Facts LiteralFacts(absl::string_view text);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_FACTS_H_
