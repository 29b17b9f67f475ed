// Flow: the facts of a template's variables, attributes, lists and macros, over
// all runs.
//
// A template is scanned repeatedly, until the facts no longer grow; only the
// last scan counts.  So facts hold whatever the order in which loops, macros
// and later assignments run.  Variables are known by their names alone,
// whatever their scope.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_FLOW_H_
#define GGUF_CONFORMANCE_JINJA_FLOW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/constant.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

// The arguments of a call.
struct Arguments {
  std::vector<Facts> positional;
  std::vector<std::pair<absl::string_view, Facts>> named;
  Facts others;   // Any of the rest: f(*x).
  Sources names;  // Of all named ones, if a dict contains them.

  // Returns the sources of all arguments and of everything in them.
  Sources All() const;
};

// A place in the template.
struct Place {
  uint64_t macros = 0;  // The macros around it.
  uint64_t loops = 0;   // The lists over which the template may iterate here.
  double rounds = 1;    // How often it is executed at most.
  // The variables of the innermost loop if it is recursive; otherwise null.
  std::shared_ptr<const NameSet<>> recursive;
};

class Flow {
 public:
  // More variables than this are not followed.
  static constexpr size_t kMostNames = 10000;

  // The bits of blocks and of the contents of {% call %}; the others are macros
  // by their number, the last one all further macros.
  static constexpr uint64_t kCallers = uint64_t{1} << 63;
  static constexpr uint64_t kBlocks = uint64_t{1} << 62;
  static uint64_t MacroBit(size_t number);

  void BeginScan();
  bool has_grown() const { return has_grown_; }
  bool is_full() const { return variables_.size() >= kMostNames; }
  // Every variable, attribute, element and argument may be anything from now
  // on.
  void GiveUp();

  // Scopes: a name is known to be set in the rest of the scope that sets it.
  // `is_isolated` scopes do not see those around them.
  void OpenScope(bool is_isolated);
  void CloseScope();

  enum class By { kStatement, kLoop };
  void Assign(absl::string_view name, const Constant& value, By by);
  Facts Read(absl::string_view name);
  // Whether the variable has one known value at this place, in all runs.
  bool IsExact(absl::string_view name) const;
  // Whether only loops assign to it.
  bool IsLoopVariable(absl::string_view name) const;
  bool IsAssigned(absl::string_view name) const { return variables_.contains(name); }

  // The attributes of namespaces are known by their names alone; "" stands for
  // all of them.
  void SetAttribute(absl::string_view name, const Facts& facts);
  // Returns the facts of base.name; "" is an unknown literal.
  Facts Attribute(const Facts& base, absl::string_view name);
  // Returns the facts of an element.
  Facts PartOf(const Facts& base) const;
  // Returns the facts of an element, and of its elements, at all depths.
  Facts AnyPartOf(const Facts& base) const;

  // Lists and dicts are known by the place where they are created; after the
  // first ones, places share a bit.
  uint64_t ListAt(const Token& where);
  void AddTo(uint64_t lists, const Sources& content);

  // Notes that a loop iterates over the parts of a value.
  void AddLoopItems(const Facts& items) { Grow(&loop_items_, items); }
  // loop(x)
  void AddLoopArgument(const Facts& list) { Grow(&loop_argument_, list); }
  const Facts& loop_argument() const { return loop_argument_; }

  // Calls.  One that is held is made through a variable.
  void NameMacro(absl::string_view name, uint64_t macro);
  uint64_t MacrosNamed(absl::string_view name) const;
  void AddCall(uint64_t callees, bool is_held, const Arguments& arguments, const Token& where);
  // Passes the arguments to macros that something else may call.
  void AddArguments(uint64_t callees, const Arguments& arguments);
  // Returns the facts of a macro's parameter.
  Facts Parameter(uint64_t macro, size_t index, absl::string_view name) const;
  // Returns the held calls with which a macro may call itself.
  std::vector<Token> FindHeldCycles() const;
  // The lists over which loops iterate that call macros.
  uint64_t loops_around_calls() const { return loops_around_calls_; }

  // Messages may contain themselves.
  bool are_messages_changed() const { return are_messages_changed_; }
  void ChangeMessages() { GrowBits(&are_messages_changed_, true); }

  Place place;  // Here.

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
    Token where;
  };

  template <class T>
  void Grow(T* facts, const T& more) {
    const T before = *facts;
    facts->Join(more);
    has_grown_ |= !(before == *facts);
  }
  template <class T>
  void GrowBits(T* bits, T more) {
    const T before = *bits;
    *bits |= more;
    has_grown_ |= before != *bits;
  }
  Facts FreeFacts(absl::string_view name);
  uint64_t ListOf(absl::string_view name);
  template <class Lists, class Key>
  uint64_t ListIn(Lists* lists, const Key& key);

  bool has_grown_ = false;
  bool has_given_up_ = false;
  NameMap<Variable> variables_;
  NameMap<Facts> attributes_;
  Facts all_attributes_;
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
  NameSet<> set_here_;
  absl::flat_hash_map<size_t, uint64_t> lists_at_;
  NameMap<uint64_t> lists_of_;
  size_t lists_ = 0;
  std::array<Sources, 64> contents_;  // By list.
  Facts loop_items_;
  Facts loop_argument_;

  // By macro.
  static constexpr size_t kMostPositional = 32;
  std::array<std::array<Facts, kMostPositional>, 64> positional_;
  std::array<Facts, 64> other_arguments_;
  std::array<uint64_t, 64> callees_ = {};
  NameMap<Facts> named_arguments_;
  Facts all_arguments_;
  NameMap<uint64_t> macros_named_;
  std::vector<HeldCall> held_calls_;
  uint64_t loops_around_calls_ = 0;
  bool are_messages_changed_ = false;
};

// The list that the template creates at a place, if it does.
class NewList {
 public:
  NewList(Flow* flow, const Token& where) : flow_(*flow), where_(where) {}
  uint64_t bit() const { return flow_.ListAt(where_); }

 private:
  Flow& flow_;
  const Token& where_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_FLOW_H_
