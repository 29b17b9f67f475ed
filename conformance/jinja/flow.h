// Flow: the facts of a template's variables, attributes and macros, over all runs.
//
// A tree is visited until the facts no longer grow; only the last visit counts.  So facts hold
// whatever the order in which loops, macros and later assignments run.  Variables are known by
// their names alone, whatever their scope.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_FLOW_H_
#define GGUF_CONFORMANCE_JINJA_FLOW_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/facts.h"
#include "conformance/jinja/tree.h"
#include "conformance/jinja/value.h"

namespace gguf::jinja {

// The facts of the arguments of a call.
struct CallFacts {
  std::vector<Facts> positional;
  std::vector<std::pair<absl::string_view, Facts>> named;
  Facts others;  // Any of the rest: f(*x).
  Facts names;   // Of all named ones, if a dict contains them.
};

// Calls `f` with the index of each bit.
template <class F>
void ForEachBit(uint64_t bits, F f) {
  for (int i = 0; bits != 0; ++i, bits >>= 1) {
    if ((bits & 1) != 0) f(i);
  }
}

class Flow {
 public:
  // More variables than this are not followed.
  static constexpr size_t kMostNames = 10000;

  // The bits of blocks and of the contents of {% call %}; the others are macros by their number,
  // the last one all further macros.
  static constexpr uint64_t kCallers = uint64_t{1} << 63;
  static constexpr uint64_t kBlocks = uint64_t{1} << 62;
  static uint64_t MacroBit(size_t number) { return uint64_t{1} << std::min<size_t>(number, 61); }

  void BeginPass();
  bool has_grown() const { return parts.has_grown(); }
  bool is_full() const { return variables_.size() >= kMostNames; }
  // Every variable, attribute, element and argument may be anything from now on.
  void GiveUp();

  // Scopes: a name is known to be set in the rest of the scope that sets it.  `is_isolated` scopes
  // do not see those around them.
  void OpenScope(bool is_isolated);
  void CloseScope();

  enum class By { kStatement, kLoop };
  // `exact` is the value if it is known and the same in all runs; else null.
  void Assign(absl::string_view name, const Facts& facts, const Value* exact, By by);
  Facts Read(absl::string_view name);
  // Whether the variable has one known value at this place, in all runs.
  bool IsExact(absl::string_view name) const;
  // Whether only loops assign to it.
  bool IsLoopVariable(absl::string_view name) const;
  bool IsAssigned(absl::string_view name) const { return variables_.contains(name); }

  // The attributes of namespaces are known by their names alone; "" stands for all of them.
  void SetAttribute(absl::string_view name, const Facts& facts);
  // Returns the facts of base.name; "" is an unknown literal.
  Facts Attribute(const Facts& base, absl::string_view name);
  // Returns the facts of an element.
  Facts PartOf(const Facts& base);
  // Returns the facts of the value and of everything in it, in one.
  Facts All(const Facts& facts);
  // The same of all arguments; without their parts, which stay apart.
  Facts All(const CallFacts& arguments);
  // Returns the facts of a value that is one of the arguments.
  Facts AnyOf(const CallFacts& arguments);
  Facts Either(Facts a, const Facts& b) {
    parts.Join(&a, b);
    return a;
  }

  // Returns the facts of a list or dict that is created at the node, with more elements.
  Facts Container(const Node& at, const Facts& element);
  // Returns the facts of a value that may have any of the sources, also inside.
  Facts Mixture(const Node& at, Facts any);

  // Notes that a loop iterates over these, or that loop(x) is called.
  void AddLoopItems(const Facts& items) { AddToPool(&loop_items_, items); }
  void AddLoopArgument(const Facts& list) { parts.Grow(&loop_argument_, list); }
  const Facts& loop_argument() const { return loop_argument_; }

  // Calls.  One that is held is made through a variable.
  void NameMacro(absl::string_view name, uint64_t macro);
  uint64_t MacrosNamed(absl::string_view name) const;
  void AddCall(uint64_t callees, bool is_held, const CallFacts& arguments, const Node& where);
  // Returns the facts of a macro's parameter.
  Facts Parameter(uint64_t macro, size_t index, absl::string_view name);
  // Returns the held calls with which a macro may call itself.
  std::vector<const Node*> FindHeldCycles() const;
  // Returns whether the template may iterate here over a list with these contents.
  bool IsIterated(int part);

  // Notes that a method adds these to a list or dict of messages, which may then contain itself.
  void AddToMessages(const Facts& part, const Facts& all);
  bool are_messages_changed() const { return are_messages_changed_; }
  // Whether lists of the template are among the messages.
  bool have_messages_lists() const { return have_messages_lists_; }

  Parts parts;
  // Here: the macros around, and the lists over which loops around iterate.
  uint64_t macros_here = 0;
  std::vector<int> loops_here;

 private:
  struct Variable {
    Facts facts;
    enum { kUnset, kOne, kMany } values = kUnset;
    std::string value;  // If there is one.
    bool is_set_by_statement = false;
  };
  struct Scope {
    std::vector<absl::string_view> names;
    bool is_isolated = false;
    NameSet<> hidden;
  };
  struct HeldCall {
    uint64_t from;
    uint64_t to;
    const Node* where;
  };

  void GrowBits(uint64_t* bits, uint64_t more) {
    if ((more & ~*bits) != 0) parts.NoteGrowth();
    *bits |= more;
  }
  Facts Anything();
  Facts FreeFacts(absl::string_view name);
  int ContentsOf(absl::string_view name);
  // Adds values of which it does not matter which is in which.
  void AddToPool(Facts* pool, const Facts& facts);

  bool has_given_up_ = false;
  NameMap<Variable> variables_;
  NameMap<Facts> attributes_;
  Facts all_attributes_;  // A pool.
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
  NameSet<> set_here_;
  absl::flat_hash_map<const Node*, int> contents_at_;
  NameMap<int> contents_of_;
  int anything_ = 0;
  Facts loop_items_;  // A pool.
  Facts loop_argument_;

  // By macro.
  static constexpr size_t kMostPositional = 32;
  std::array<std::array<Facts, kMostPositional>, 64> positional_;
  std::array<Facts, 64> other_arguments_;
  std::array<uint64_t, 64> callees_ = {};
  NameMap<Facts> named_arguments_;
  Facts all_arguments_;  // A pool.
  NameMap<uint64_t> macros_named_;
  std::vector<HeldCall> held_calls_;
  absl::flat_hash_set<int> loops_around_calls_;
  bool are_messages_changed_ = false;
  bool have_messages_lists_ = false;
};

// The facts of what operators, filters, methods and functions return; results.cc.
Facts ResultOfOperator(absl::string_view op, const Facts& a, const Facts& b, const Node& at,
                       Flow* flow);
Facts ResultOfFilter(absl::string_view name, const Facts& value, const CallFacts& arguments,
                     const Node& at, Flow* flow);
Facts ResultOfMethod(absl::string_view name, const Facts& value, const CallFacts& arguments,
                     const Node& at, Flow* flow);
Facts ResultOfFunction(const Facts& function, const CallFacts& arguments, const Node& at,
                       Flow* flow);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_FLOW_H_
