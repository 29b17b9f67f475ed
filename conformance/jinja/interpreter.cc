// The interpreter: scopes, statements, macros and loops.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/interpreter.h"

#include <algorithm>
#include <memory>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "conformance/jinja/builtins.h"

namespace gguf::jinja {

using absl::string_view;

// Variables of a block.  Few, so that a search from the end is fast.
struct Scope {
  Scope* outer = nullptr;  // Null for a scope inside the template itself.
  std::vector<std::pair<string_view, Value>> names;

  Value* Find(string_view name) {
    const auto found = absl::c_find_if(names, [&](auto& each) { return each.first == name; });
    return found == names.end() ? nullptr : &found->second;
  }
};

struct Macro {
  string_view name;
  const Node* parameters = nullptr;
  const Node* body = nullptr;
  Scope* outer = nullptr;
  bool uses_caller = false, uses_kwargs = false, uses_varargs = false;
};

struct Loop {
  const Node* node = nullptr;
  const List* source = nullptr;
  Scope* outer = nullptr;
  size_t taken = 0;          // From the source, which the condition filters.
  std::vector<Value> items;  // That passed.
  size_t index = 0;          // Of the current item.
  size_t depth = 0;
  Value changed;  // The last arguments of changed().
  Scope test;     // Of the condition.
};

namespace {

constexpr Builtin kLoopMethods[] = {
    {"changed", nullptr,
     [](Call& c) {
       const Value now =
           c.machine.MakeList({c.all.values.begin(), c.all.values.end()}, Kind::kTuple);
       return Value(c.machine.Compare("!=", std::exchange(c.self.loop->changed, now), now));
     }},
    {"cycle", nullptr, [](Call& c) {
       if (c.all.values.empty()) return c.machine.Raise("no items for cycling given");
       return c.all.values[c.self.loop->index % c.all.values.size()];
     }}};

class Interpreter : public Machine {
 public:
  Interpreter(const Options& options, const Variables& variables) : Machine(options) {
    for (const Builtin& function : kFunctions) globals_[function.name] = Value(&function);
    for (const auto& [name, json] : variables) globals_[name] = MakeValue(json);
  }

  Rendering Run(const Tree& tree) {
    Rendering rendering;
    if (!tree.errors.empty() || !tree.nesting.empty()) {
      const SyntaxError& error = tree.errors.empty() ? tree.nesting[0] : tree.errors[0];
      rendering.outcome = Rendering::kRaised;
      rendering.error = absl::StrCat(error.text, " ", error.why);
      rendering.begin = error.begin;
      rendering.end = error.end;
      return rendering;
    }
    CheckNames(*tree.root, false);
    Execute(*tree.root);
    rendering.text = std::move(out_);
    rendering.steps = steps();
    if (!failed()) return rendering;
    const bool is_raised = failure_.kind == Failure::kRaised || failure_.kind == Failure::kTooLong;
    rendering.outcome = is_raised                            ? Rendering::kRaised
                        : failure_.kind == Failure::kUnknown ? Rendering::kUnknown
                                                             : Rendering::kOverBudget;
    rendering.error = failure_.message;
    rendering.begin = failure_.node == nullptr ? 0 : failure_.node->begin;
    rendering.end = failure_.node == nullptr ? 0 : failure_.node->end;
    return rendering;
  }

 private:
  enum class Flow { kNext, kBreak, kContinue };

  // Jinja2 refuses a template with unknown filters and tests, except in an if.
  void CheckNames(const Node& node, bool is_soft) {
    const Level level(this);
    if (!Work(1)) return;
    const bool is_filter = node.is(NodeKind::kFilter), is_test = node.is(NodeKind::kTest);
    if (!is_soft && (is_filter || is_test) &&
        FindBuiltin(is_filter ? kFilters : kTests, node.text) == nullptr) {
      Raise(absl::StrCat("No ", is_filter ? "filter" : "test", " named '", node.text, "'."));
      failure_.node = &node;
    }
    const bool begins_soft = node.is(NodeKind::kIf) || node.is(NodeKind::kConditional);
    const bool ends_soft =
        node.kind > NodeKind::kIf && node.kind != NodeKind::kSet && node.kind != NodeKind::kDo;
    for (const Node& child : node.children()) {
      const bool is_inside =
          ends_soft && (child.is(NodeKind::kBody) || child.is(NodeKind::kParameters));
      CheckNames(child, begins_soft || (is_soft && !is_inside));
    }
  }

  // Scopes.

  // Enters a scope while it lives.
  class Inside {
   public:
    Inside(Interpreter* interpreter, Scope* scope)
        : interpreter_(interpreter), before_(std::exchange(interpreter->scope_, scope)) {}
    ~Inside() { interpreter_->scope_ = before_; }

   private:
    Interpreter* const interpreter_;
    Scope* const before_;
  };

  Scope* NewScope(Scope* outer) {
    auto* scope = New<Scope>();
    scope->outer = outer;
    return scope;
  }

  Value Lookup(string_view name) {
    for (Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
      if (!Work(scope->names.size() / 8)) return Value();
      if (const Value* value = scope->Find(name)) return *value;
    }
    const auto found = globals_.find(name);
    return found == globals_.end() ? Value::Undefined(Value::kName, name) : found->second;
  }

  void Assign(string_view name, const Value& value) {
    if (scope_ == nullptr) {
      globals_[name] = value;
    } else if (Value* found = Work(scope_->names.size() / 8) ? scope_->Find(name) : nullptr) {
      *found = value;
    } else if (Room(sizeof(Value) * 2)) {
      scope_->names.emplace_back(name, value);
    }
  }

  void AssignTo(const Node& target, const Value& value) {
    if (target.is(NodeKind::kName)) return Assign(target.text, value);
    if (target.is(NodeKind::kAttribute)) {
      const Value object = Lookup(target.first->text);
      if (object.is(Kind::kNamespace)) SetItem(object.dict, Value(target.text), value);
      return;
    }
    size_t count = 0;
    for (const Node& part : target.children()) count += part.kind != NodeKind::kAbsent;
    const bool can_iterate =
        value.has_list() || value.is_dict() || value.is_string() || value.is_undefined();
    if (!can_iterate)
      return void(Raise(absl::StrCat("cannot unpack non-iterable ", TypeName(value), " object")));
    const std::vector<Value>& items = Iterate(value)->items;
    if (items.size() < count)
      Raise(absl::StrCat("not enough values to unpack (expected ", count, ", got ", items.size(),
                         ")"));
    if (items.size() > count)
      Raise(absl::StrCat("too many values to unpack (expected ", count, ")"));
    size_t i = 0;
    for (const Node& part : target.children()) {
      if (!failed()) AssignTo(part, items[i++]);
    }
  }

  // A namespace is looked for before the value is evaluated.
  bool CheckTarget(const Node& target) {
    if (target.is(NodeKind::kAttribute) && !Lookup(target.first->text).is(Kind::kNamespace)) {
      Raise("cannot assign attribute on non-namespace object");
    }
    if (target.is(NodeKind::kTuple)) {
      for (const Node& part : target.children()) CheckTarget(part);
    }
    return !failed();
  }

  // Statements.

  Flow Execute(const Node& node) {
    const Level level(this);
    if (!Work(1)) return Flow::kBreak;
    const Flow flow = ExecuteStatement(node);
    if (!failed()) return flow;
    if (failure_.node == nullptr) failure_.node = &node;
    return Flow::kBreak;
  }

  Flow ExecuteAll(const Node* first) {
    for (Flow flow = Flow::kNext; first != nullptr; first = first->next) {
      flow = Execute(*first);
      if (flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  }

  Flow ExecuteStatement(const Node& node) {
    switch (node.kind) {
      case NodeKind::kBody:
        return ExecuteAll(node.first);
      case NodeKind::kText:
        Write(node.text);
        return Flow::kNext;
      case NodeKind::kOutput:
        for (const Node& value : node.children()) WriteValue(Evaluate(value));
        return Flow::kNext;
      case NodeKind::kIf:
        for (const Node* part = node.first; part != nullptr; part = part->next) {
          if (part->is(NodeKind::kBody)) return Execute(*part);
          const bool is_true = Truth(Evaluate(*part));
          if (failed()) return Flow::kBreak;
          part = part->next;
          if (is_true) return Execute(*part);
        }
        return Flow::kNext;
      case NodeKind::kFor:
        ExecuteFor(node);
        return Flow::kNext;
      case NodeKind::kSet:
        if (CheckTarget(*node.first)) AssignTo(*node.first, Evaluate(*node.child(1)));
        return Flow::kNext;
      case NodeKind::kBreak:
        return Flow::kBreak;
      case NodeKind::kContinue:
        return Flow::kContinue;
      case NodeKind::kDo:
        Evaluate(*node.first);
        return Flow::kNext;
      case NodeKind::kMacro:
        Assign(node.text, MakeMacro(node.text, node.first, node.child(1)));
        return Flow::kNext;
      default:
        return ExecuteBlock(node);
    }
  }

  // Statements with a scope of their own.
  Flow ExecuteBlock(const Node& node) {
    // A block sees only the variables of the template.
    Scope* const scope = NewScope(node.is(NodeKind::kBlock) ? nullptr : scope_);
    switch (node.kind) {
      case NodeKind::kSetBlock: {
        Value text = Capture(scope, *LastOf(node));
        if (node.child(1)->is(NodeKind::kFilter)) text = EvaluateFilter(*node.child(1), &text);
        AssignTo(*node.first, text);
        return Flow::kNext;
      }
      case NodeKind::kFilterBlock: {
        const Value text = Capture(scope, *LastOf(node));
        WriteValue(EvaluateFilter(*node.first, &text));
        return Flow::kNext;
      }
      case NodeKind::kCallBlock:
        WriteValue(EvaluateCall(*node.first, MakeMacro("", node.child(1), node.child(2))));
        return Flow::kNext;
      case NodeKind::kWith: {
        std::vector<std::pair<const Node*, Value>> values;
        for (const Node& set : node.children()) {
          if (set.is(NodeKind::kSet)) values.emplace_back(set.first, Evaluate(*set.child(1)));
        }
        const Inside inside(this, scope);
        for (const auto& [target, value] : values) AssignTo(*target, value);
        return Execute(*LastOf(node));
      }
      case NodeKind::kAutoescape:
        if (Truth(Evaluate(*node.first))) Unknown("autoescape");
        break;
      case NodeKind::kDebug:
        Unknown("debug");
        return Flow::kNext;
      case NodeKind::kOther:
        Raise("no loader for this environment specified");
        return Flow::kNext;
      default:
        break;
    }
    const Inside inside(this, scope);
    return Execute(*LastOf(node));
  }

  static const Node* LastOf(const Node& node) {
    const Node* last = node.first;
    while (last->next != nullptr) last = last->next;
    return last;
  }

  void Write(string_view text) {
    if (Room(static_cast<double>(text.size()))) out_.append(text.data(), text.size());
  }

  void WriteValue(const Value& value) {
    if (!value.is_string()) return Write(ToText(value).text());
    Write(value.text());
  }

  // Returns what the body writes, inside the scope.
  Value Capture(Scope* scope, const Node& body) {
    const size_t begin = out_.size();
    const Inside inside(this, scope);
    Execute(body);
    const Value text = MakeString(string_view(out_).substr(begin));
    out_.resize(begin);
    return text;
  }

  // Loops.

  void ExecuteFor(const Node& node) {
    const Value list = Evaluate(*node.child(1));
    if (!node.flag) return RunLoop(node, list, scope_, 0);
    WriteValue(CaptureLoop(node, list, scope_, 0));
  }

  Value CaptureLoop(const Node& node, const Value& list, Scope* outer, size_t depth) {
    const size_t begin = out_.size();
    RunLoop(node, list, outer, depth);
    const Value text = MakeString(string_view(out_).substr(begin));
    out_.resize(begin);
    return text;
  }

  // Takes items of the source until there are more than `i`; the condition is evaluated late.
  bool HasItem(Loop* loop, size_t i) {
    const Node& node = *loop->node;
    const Node* condition = node.child(2);
    while (loop->items.size() <= i && loop->taken < loop->source->items.size() && Work(1)) {
      const Value item = loop->source->items[loop->taken++];
      if (!condition->is(NodeKind::kAbsent)) {
        const Inside inside(this, &loop->test);
        AssignTo(*node.first, item);
        if (!Truth(Evaluate(*condition))) continue;
      }
      if (!failed()) loop->items.push_back(item);
    }
    return loop->items.size() > i && !failed();
  }

  void RunLoop(const Node& node, const Value& list, Scope* outer, size_t depth) {
    auto* loop = New<Loop>();
    loop->node = &node;
    loop->outer = loop->test.outer = outer;
    loop->depth = depth;
    loop->source = Iterate(list);
    bool was_completed = false;
    {
      const Inside inside(this, NewScope(outer));
      for (size_t i = 0; HasItem(loop, i); ++i) {
        loop->index = i;
        scope_->names.clear();
        Assign("loop", Value(loop));
        AssignTo(*node.first, loop->items[i]);
        const Flow flow = Execute(*node.child(3));
        was_completed |= flow == Flow::kNext;
        if (flow == Flow::kBreak) break;
      }
      scope_->names.clear();
    }
    // As Jinja2: continue and break leave the body before it notes that it ran.
    if (was_completed || failed() || node.child(4) == nullptr) return;
    const Inside inside(this, NewScope(outer));
    Execute(*node.child(4));
  }

  Value LoopAttribute(const Value& object, string_view name) {
    Loop* const loop = object.loop;
    const size_t i = loop->index;
    if (name == "index") return Value(i + 1);
    if (name == "index0") return Value(i);
    if (name == "first") return Value(i == 0);
    if (name == "last") return Value(!HasItem(loop, i + 1));
    if (name == "depth") return Value(loop->depth + 1);
    if (name == "depth0") return Value(loop->depth);
    if (name == "previtem")
      return i > 0 ? loop->items[i - 1]
                   : Value::Undefined(Value::kHint, "there is no previous item");
    if (name == "nextitem")
      return HasItem(loop, i + 1) ? loop->items[i + 1]
                                  : Value::Undefined(Value::kHint, "there is no next item");
    if (name == "cycle" || name == "changed")
      return MakeList({object, Value(FindBuiltin(kLoopMethods, name))}, Kind::kMethod);
    HasItem(loop, string_view::npos - 1);
    const size_t length = loop->items.size();
    if (name == "length") return Value(length);
    if (name == "revindex") return Value(length - i);
    return name == "revindex0" ? Value(length - i - 1) : Value(Kind::kMissing);
  }

  Value ObjectAttribute(const Value& object, string_view name) override {
    if (object.is(Kind::kLoop)) return LoopAttribute(object, name);
    return name == "name" ? Value(object.macro->name) : Value(Kind::kMissing);
  }

  // Macros.

  // Notes which of the names that a call of a macro defines are used in it.
  void NoteUses(const Node& node, Macro* macro) {
    if (!Work(1) || node.is(NodeKind::kBlock)) return;
    if (node.is(NodeKind::kName)) {
      macro->uses_caller |= node.text == "caller";
      macro->uses_kwargs |= node.text == "kwargs";
      macro->uses_varargs |= node.text == "varargs";
    }
    for (const Node& child : node.children()) NoteUses(child, macro);
  }

  Value MakeMacro(string_view name, const Node* parameters, const Node* body) {
    auto& macro = macros_[body];
    if (macro == nullptr) {
      macro = New<Macro>();
      NoteUses(*body, macro);
    }
    auto* made = New<Macro>();
    *made = *macro;
    made->name = name;
    made->parameters = parameters;
    made->body = body;
    made->outer = scope_;
    return Value(made);
  }

  Value CallMacro(const Macro& macro, const Arguments& arguments) {
    Scope* const scope = NewScope(macro.outer);
    const Inside inside(this, scope);
    size_t i = 0;
    std::vector<std::pair<string_view, Value>> named(arguments.named.begin(),
                                                     arguments.named.end());
    const auto take = [&](string_view name) {
      const auto found = absl::c_find_if(named, [&](auto& each) { return each.first == name; });
      if (found == named.end()) return Value(Kind::kMissing);
      const Value value = found->second;
      named.erase(found);
      return value;
    };
    bool has_caller = false;
    std::vector<Value> given;
    for (const Node& parameter : macro.parameters->children()) {
      has_caller |= parameter.text == "caller";
      given.push_back(i < arguments.values.size() ? arguments.values[i++] : take(parameter.text));
    }
    if (macro.uses_caller && !has_caller) {
      const Value caller = take("caller");
      Assign("caller", caller.kind > Kind::kNone
                           ? caller
                           : Value::Undefined(Value::kHint, "No caller defined"));
    }
    if (macro.uses_kwargs) {
      const Value rest = MakeDict();
      for (const auto& [name, value] : named) SetItem(rest.dict, Value(name), value);
      Assign("kwargs", rest);
    } else if (!named.empty()) {
      return Raise(absl::StrCat("macro '", macro.name, "' takes no keyword argument '",
                                named[0].first, "'"));
    }
    if (macro.uses_varargs) {
      const auto rest = arguments.values.subspan(i);
      Assign("varargs", MakeList({rest.begin(), rest.end()}, Kind::kTuple));
    } else if (arguments.values.size() > i) {
      return Raise(
          absl::StrCat("macro '", macro.name, "' takes not more than ", i, " argument(s)"));
    }
    i = 0;
    for (const Node& parameter : macro.parameters->children()) {
      Value value = given[i++];
      if (value.is(Kind::kMissing) && parameter.first == nullptr) {
        value = Value::Undefined(
            Value::kHint,
            MakeString(absl::StrCat("parameter '", parameter.text, "' was not provided")).text());
      }
      Assign(parameter.text, value.is(Kind::kMissing) ? Evaluate(*parameter.first) : value);
    }
    return Capture(scope, *macro.body);
  }

  Value CallObject(const Value& callee, const Arguments& arguments) override {
    if (callee.is(Kind::kMacro)) return CallMacro(*callee.macro, arguments);
    const Loop& loop = *callee.loop;
    if (!loop.node->flag)
      return Raise("The loop must have the 'recursive' marker to be called recursively.");
    if (arguments.values.size() != 1) return Raise("a loop is called with one argument");
    return CaptureLoop(*loop.node, arguments.values[0], loop.outer, loop.depth + 1);
  }

  // Expressions.

  Value Evaluate(const Node& node) {
    const Level level(this);
    if (!Work(1)) return Value();
    const Value value = EvaluateNode(node);
    if (!failed()) return value;
    if (failure_.node == nullptr) failure_.node = &node;
    return Value();
  }

  Value EvaluateNode(const Node& node) {
    switch (node.kind) {
      case NodeKind::kString:
        return Value(node.text);
      case NodeKind::kInteger:
        return Value(node.integer);
      case NodeKind::kFloat: {
        const bool is_integer = node.text.find_first_of(".eE") == string_view::npos;
        return Value(node.real, is_integer ? Kind::kHuge : Kind::kFloat);
      }
      case NodeKind::kBoolean:
        return Value(node.integer != 0);
      case NodeKind::kNone:
      case NodeKind::kAbsent:
        return Value(Kind::kNone);
      case NodeKind::kName:
        return Lookup(node.text);
      case NodeKind::kList:
      case NodeKind::kTuple:
        return EvaluateItems(node);
      case NodeKind::kDict: {
        const Value dict = MakeDict();
        for (const Node* key = node.first; key != nullptr && !failed(); key = key->next->next) {
          const Value name = Evaluate(*key);
          SetItem(dict.dict, name, Evaluate(*key->next));
        }
        return dict;
      }
      case NodeKind::kPrefix:
        return Prefix(node.text, Evaluate(*node.first));
      case NodeKind::kBinary: {
        const Value left = Evaluate(*node.first);
        if (node.text == "and" || node.text == "or") {
          return Truth(left) == (node.text == "and") ? Evaluate(*node.child(1)) : left;
        }
        return Binary(node.text, left, Evaluate(*node.child(1)));
      }
      case NodeKind::kCompare: {
        Value left = Evaluate(*node.first);
        bool holds = true;
        for (const Node& operand : node.rest()) {
          const Value right = Evaluate(*operand.first);
          holds = Compare(operand.text, left, right);
          if (!holds) break;
          left = right;
        }
        return Value(holds);
      }
      case NodeKind::kConditional: {
        const Node* const otherwise = node.child(2);
        if (Truth(Evaluate(*node.child(1)))) return Evaluate(*node.first);
        if (otherwise != nullptr && !otherwise->is(NodeKind::kAbsent)) return Evaluate(*otherwise);
        return Value::Undefined(
            Value::kHint,
            "the inline if-expression evaluated to false and no else section was defined.");
      }
      case NodeKind::kAttribute:
        return Attribute(Evaluate(*node.first), node.text);
      case NodeKind::kSubscript: {
        const Value base = Evaluate(*node.first);
        const Node& index = *node.child(1);
        if (!index.is(NodeKind::kSlice)) return Subscript(base, Evaluate(index));
        const Value begin = Evaluate(*index.first), end = Evaluate(*index.child(1));
        return Slice(base, begin, end, Evaluate(*index.child(2)));
      }
      case NodeKind::kCall:
        return EvaluateCall(node, Value(Kind::kMissing));
      case NodeKind::kFilter:
        return EvaluateFilter(node, nullptr);
      case NodeKind::kTest: {
        const Value value = Evaluate(*node.first);
        CallArguments arguments;
        EvaluateArguments(node, &arguments);
        return Value(Truth(CallTest(node.text, value, arguments.View())) != node.flag);
      }
      default:
        return Raise("not an expression");
    }
  }

  Value EvaluateItems(const Node& node) {
    std::vector<Value> items;
    for (const Node& item : node.children()) items.push_back(Evaluate(item));
    return MakeList(std::move(items), node.is(NodeKind::kList) ? Kind::kList : Kind::kTuple);
  }

  struct CallArguments {
    absl::InlinedVector<Value, 4> values;
    absl::InlinedVector<std::pair<string_view, Value>, 2> named;
    Arguments View() const { return {values, named}; }
  };

  // Evaluates the children from the second one on.
  void EvaluateArguments(const Node& node, CallArguments* arguments) {
    for (const Node& argument : node.rest()) {
      const bool is_part = argument.is(NodeKind::kKeyword) || argument.is(NodeKind::kSpread) ||
                           argument.is(NodeKind::kSpreadNamed);
      const Value value = Evaluate(is_part ? *argument.first : argument);
      if (failed()) return;
      if (argument.is(NodeKind::kKeyword)) {
        arguments->named.emplace_back(argument.text, value);
      } else if (argument.is(NodeKind::kSpread)) {
        for (const Value& item : Iterate(value)->items) arguments->values.push_back(item);
      } else if (!is_part) {
        arguments->values.push_back(value);
      } else if (!value.is_dict()) {
        Raise(absl::StrCat("argument after ** must be a mapping, not ", TypeName(value)));
      } else {
        for (const auto& [key, item] : value.dict->entries)
          arguments->named.emplace_back(key.text(), item);
      }
    }
  }

  Value EvaluateCall(const Node& node, const Value& caller) {
    CallArguments arguments;
    const bool is_method = node.first->is(NodeKind::kAttribute);
    const Value base = Evaluate(is_method ? *node.first->first : *node.first);
    if (is_method && base.is_undefined()) return RaiseUndefined(base);
    EvaluateArguments(node, &arguments);
    if (!caller.is(Kind::kMissing)) arguments.named.emplace_back("caller", caller);
    if (is_method) return CallMethod(node.first->text, base, arguments.View());
    return Call(base, arguments.View());
  }

  // `text` is the value of a filter block.
  Value EvaluateFilter(const Node& node, const Value* text) {
    const Node& first = *node.first;
    Value value;
    if (text != nullptr && first.is(NodeKind::kAbsent))
      value = *text;
    else if (text != nullptr && first.is(NodeKind::kFilter))
      value = EvaluateFilter(first, text);
    else
      value = Evaluate(first);
    CallArguments arguments;
    EvaluateArguments(node, &arguments);
    return CallFilter(node.text, value, arguments.View());
  }

  NameMap<Value> globals_;
  Scope* scope_ = nullptr;  // Null for the template itself.
  std::string out_;
  absl::flat_hash_map<const Node*, Macro*> macros_;  // By their bodies; what they use.
};

}  // namespace

Rendering Render(const Tree& tree, const Variables& variables, const MachineOptions& options) {
  return Interpreter(options, variables).Run(tree);
}

}  // namespace gguf::jinja
