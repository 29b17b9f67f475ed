// The interpreter: scopes, statements, macros and loops.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/interpreter.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "conformance/jinja/builtins.h"

namespace gguf::jinja {

using absl::string_view;

// The variables of a block.  Few, so that a search is fast.
struct Scope {
  Scope* outer = nullptr;  // Null if it is the template itself.
  std::vector<std::pair<string_view, Value>> names;

  Value* Find(string_view name) {
    const auto found = absl::c_find_if(names, [&](auto& each) { return each.first == name; });
    return found == names.end() ? nullptr : &found->second;
  }
};

struct Macro {
  const Node* node = nullptr;  // kMacro or kCallBlock.
  const Node* parameters = nullptr;
  Scope* outer = nullptr;
  bool uses_caller = false, uses_kwargs = false, uses_varargs = false;
};

struct Loop {
  const Node* node = nullptr;
  Scope* outer = nullptr;
  size_t depth = 0;
  const std::vector<Value>* source = nullptr;
  size_t taken = 0;          // From the source.
  Scope condition;           // Where the condition is evaluated.
  std::vector<Value> items;  // That pass it.
  size_t index = 0;          // Of the current item.
  Value changed;             // The last arguments of changed().
};

namespace {

const Node& LastOf(const Node& node) {
  const Node* last = node.first;
  while (last->next != nullptr) last = last->next;
  return *last;
}

Value Changed(Call& c) {
  const Value now = c.m.MakeList({c.all.values.begin(), c.all.values.end()}, Kind::kTuple);
  return Value(c.m.Compare("!=", std::exchange(c.self.loop->changed, now), now));
}

Value Cycle(Call& c) {
  if (c.all.values.empty()) return c.m.Raise("no items for cycling given");
  return c.all.values[c.self.loop->index % c.all.values.size()];
}

constexpr Builtin kChanged = {"changed", nullptr, Changed}, kCycle = {"cycle", nullptr, Cycle};

class Interpreter : public Machine {
 public:
  Interpreter(const Options& options, const Variables& variables) : Machine(options) {
    for (const Builtin& function : Functions()) globals_[function.names] = Value(&function);
    for (const auto& [name, json] : variables) globals_[name] = MakeValue(json);
  }

  Rendering Run(const Tree& tree) {
    CheckNames(*tree.root, false);
    Execute(*tree.root);
    Rendering rendering;
    rendering.text = std::move(out_);
    rendering.steps = steps();
    if (!failed()) return rendering;
    const bool is_raised = failure_.kind == Failure::kRaised || failure_.kind == Failure::kTooLong;
    const bool is_unknown = failure_.kind == Failure::kUnknown;
    rendering.outcome = is_raised    ? Rendering::kRaised
                        : is_unknown ? Rendering::kUnknown
                                     : Rendering::kOverBudget;
    rendering.error = failure_.message;
    rendering.begin = failure_.node == nullptr ? 0 : failure_.node->begin;
    rendering.end = failure_.node == nullptr ? 0 : failure_.node->end;
    return rendering;
  }

 private:
  enum class Flow { kNext, kBreak, kContinue };

  // Jinja2 refuses a template with unknown filters and tests, except directly in an if.
  void CheckNames(const Node& node, bool is_soft) {
    const Level level(this);
    const bool is_filter = node.is(NodeKind::kFilter), is_test = node.is(NodeKind::kTest);
    const bool is_unknown =
        (is_filter && !FindFilter(node.text)) || (is_test && !FindTest(node.text));
    if (!Work(1) || (is_unknown && !is_soft)) {
      Raise(absl::StrCat("No ", is_filter ? "filter" : "test", " named '", node.text, "'."));
      return NoteFailure(node);
    }
    const bool is_if = node.is(NodeKind::kIf) || node.is(NodeKind::kConditional);
    for (const Node& child : node.children()) {
      const bool is_inner = child.is(NodeKind::kBody) || child.is(NodeKind::kParameters);
      CheckNames(child, is_if || (is_soft && !is_inner));
    }
  }

  void NoteFailure(const Node& node) {
    if (failed() && failure_.node == nullptr) failure_.node = &node;
  }

  // Scopes.

  // Enters a scope while it lives.
  class Inside {
   public:
    Inside(Interpreter* interpreter, Scope* scope)
        : scope_(interpreter->scope_), before_(std::exchange(scope_, scope)) {}
    ~Inside() { scope_ = before_; }

   private:
    Scope*& scope_;
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
    if (!Room(sizeof(value)) || scope_ == nullptr) {
      globals_[name] = value;
    } else if (Value* found = Work(scope_->names.size() / 8) ? scope_->Find(name) : nullptr) {
      *found = value;
    } else {
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
    const std::vector<Value>& items = Items(value);
    size_t i = 0;
    for (const Node& part : target.children()) {
      if (i < items.size() && !failed()) AssignTo(part, items[i]);
      ++i;
    }
    if (i < items.size()) {
      Raise(absl::StrCat("too many values to unpack (expected ", i, ")"));
    } else if (i > items.size()) {
      Raise(absl::StrCat("not enough values to unpack (expected ", i, ", got ", items.size(), ")"));
    }
  }

  // Raises for a target like a.b if `a` is no namespace.
  void CheckTarget(const Node& target) {
    if (target.is(NodeKind::kAttribute) && !Lookup(target.first->text).is(Kind::kNamespace)) {
      Raise("cannot assign attribute on non-namespace object");
    } else if (target.is(NodeKind::kTuple)) {
      for (const Node& part : target.children()) CheckTarget(part);
    }
  }

  // Statements.

  Flow Execute(const Node& node) {
    const Level level(this);
    const Flow flow = Work(1) ? ExecuteStatement(node) : Flow::kBreak;
    NoteFailure(node);
    return failed() ? Flow::kBreak : flow;
  }

  Flow ExecuteStatement(const Node& node) {
    switch (node.kind) {
      case NodeKind::kBody:
        for (const Node& statement : node.children()) {
          const Flow flow = Execute(statement);
          if (flow != Flow::kNext) return flow;
        }
        break;
      case NodeKind::kText:
        Write(Value(node.text));
        break;
      case NodeKind::kOutput:
        for (const Node& value : node.children()) Write(Evaluate(value));
        break;
      case NodeKind::kIf:
        for (const Node* part = node.first; part != nullptr && !failed(); part = part->next) {
          if (part->is(NodeKind::kBody)) return Execute(*part);
          const bool holds = Truth(Evaluate(*part));
          part = part->next;
          if (holds) return Execute(*part);
        }
        break;
      case NodeKind::kFor: {
        const Value list = Evaluate(*node.child(1));
        const auto run = [&] { RunLoop(node, list, scope_, 0); };
        node.flag ? Write(Capture(run)) : run();
        break;
      }
      case NodeKind::kSet:
        CheckTarget(*node.first);
        AssignTo(*node.first, Evaluate(*node.child(1)));
        break;
      case NodeKind::kDo:
        Evaluate(*node.first);
        break;
      case NodeKind::kMacro:
        Assign(node.text, MakeMacro(node, node.first));
        break;
      case NodeKind::kCallBlock:
        Write(EvaluateCall(*node.first, MakeMacro(node, node.child(1))));
        break;
      case NodeKind::kDebug:
        Unknown("the tag debug");
        break;
      case NodeKind::kOther:
        Raise("no loader for this environment specified");
        break;
      case NodeKind::kBreak:
        return Flow::kBreak;
      case NodeKind::kContinue:
        return Flow::kContinue;
      default:
        return ExecuteBlock(node);
    }
    return Flow::kNext;
  }

  // Statements with a scope of their own.
  Flow ExecuteBlock(const Node& node) {
    const Node& body = LastOf(node);
    std::vector<std::pair<const Node*, Value>> variables;  // Of with.
    for (const Node& child : node.children()) {
      if (!child.is(NodeKind::kSet)) break;
      variables.emplace_back(child.first, Evaluate(*child.child(1)));
    }
    if (node.is(NodeKind::kAutoescape) && Truth(Evaluate(*node.first))) Unknown("autoescape");
    // A block sees only the variables of the template.
    Scope* const scope = NewScope(node.is(NodeKind::kBlock) ? nullptr : scope_);
    if (!node.is(NodeKind::kSetBlock) && !node.is(NodeKind::kFilterBlock)) {
      const Inside inside(this, scope);
      for (const auto& [target, value] : variables) AssignTo(*target, value);
      return Execute(body);
    }
    Value text = Capture([&] {
      const Inside inside(this, scope);
      Execute(body);
    });
    const Node& filter = node.is(NodeKind::kSetBlock) ? *node.child(1) : *node.first;
    if (filter.is(NodeKind::kFilter)) text = EvaluateFilter(filter, &text);
    node.is(NodeKind::kSetBlock) ? AssignTo(*node.first, text) : Write(text);
    return Flow::kNext;
  }

  void Write(const Value& value) {
    const string_view text = value.is_string() ? value.text() : ToText(value).text();
    if (Room(static_cast<double>(text.size()))) out_.append(text.data(), text.size());
  }

  // Returns what the function writes.
  template <class Function>
  Value Capture(Function function) {
    const size_t begin = out_.size();
    function();
    const Value text = MakeString(string_view(out_).substr(begin));
    out_.resize(begin);
    return text;
  }

  // Loops.

  // Takes items of the source until there are more than `i`.  As in Jinja2, the condition of an
  // item is evaluated only when it is needed.
  bool HasItem(Loop* loop, size_t i) {
    const Node& condition = *loop->node->child(2);
    while (loop->items.size() <= i && loop->taken < loop->source->size() && Work(1)) {
      const Value item = (*loop->source)[loop->taken++];
      if (!condition.is(NodeKind::kAbsent)) {
        const Inside inside(this, &loop->condition);
        AssignTo(*loop->node->first, item);
        if (!Truth(Evaluate(condition))) continue;
      }
      loop->items.push_back(item);
    }
    return loop->items.size() > i && !failed();
  }

  void RunLoop(const Node& node, const Value& list, Scope* outer, size_t depth) {
    auto* loop = New<Loop>();
    loop->node = &node;
    loop->outer = loop->condition.outer = outer;
    loop->depth = depth;
    loop->source = &Items(list);
    const Inside inside(this, NewScope(outer));
    bool was_completed = false;
    for (Flow flow = Flow::kNext; flow != Flow::kBreak && HasItem(loop, loop->index);
         ++loop->index) {
      scope_->names.clear();
      Assign("loop", Value(loop));
      AssignTo(*node.first, loop->items[loop->index]);
      flow = Execute(*node.child(3));
      was_completed |= flow == Flow::kNext;
    }
    scope_->names.clear();
    // After continue and break, Jinja2 does not note that the body ran.
    if (!was_completed && node.child(4) != nullptr) Execute(*node.child(4));
  }

  Value ObjectAttribute(const Value& object, string_view name) override {
    if (object.is(Kind::kMacro)) {
      return name == "name" ? Value(object.macro->node->text) : Value(Kind::kMissing);
    }
    Loop* const loop = object.loop;
    const size_t i = loop->index;
    if (name == "index") return Value(i + 1);
    if (name == "index0") return Value(i);
    if (name == "first") return Value(i == 0);
    if (name == "last") return Value(!HasItem(loop, i + 1));
    if (name == "depth") return Value(loop->depth + 1);
    if (name == "depth0") return Value(loop->depth);
    const bool is_next = name == "nextitem";
    if (is_next ? HasItem(loop, i + 1) : i > 0 && name == "previtem") {
      return loop->items[is_next ? i + 1 : i - 1];
    }
    if (is_next) return Value::Undefined(Value::kHint, "there is no next item");
    if (name == "previtem") return Value::Undefined(Value::kHint, "there is no previous item");
    if (name == "cycle") return MakeList({object, Value(&kCycle)}, Kind::kMethod);
    if (name == "changed") return MakeList({object, Value(&kChanged)}, Kind::kMethod);
    if (name != "length" && name != "revindex" && name != "revindex0") return Value(Kind::kMissing);
    HasItem(loop, string_view::npos - 1);
    const size_t length = loop->items.size();
    return Value(name == "length" ? length : name == "revindex" ? length - i : length - i - 1);
  }

  // Macros.

  // Notes which of the names are used that only a macro has.
  void NoteUses(const Node& node, Macro* macro) {
    if (!Work(1) || node.is(NodeKind::kBlock)) return;
    macro->uses_caller |= node.is(NodeKind::kName) && node.text == "caller";
    macro->uses_kwargs |= node.is(NodeKind::kName) && node.text == "kwargs";
    macro->uses_varargs |= node.is(NodeKind::kName) && node.text == "varargs";
    for (const Node& child : node.children()) NoteUses(child, macro);
  }

  Value MakeMacro(const Node& node, const Node* parameters) {
    auto* macro = New<Macro>();
    if (macros_[&node] == nullptr) NoteUses(LastOf(node), macros_[&node] = New<Macro>());
    *macro = *macros_[&node];
    macro->node = &node;
    macro->parameters = parameters;
    macro->outer = scope_;
    for (const Node& each : parameters->children()) macro->uses_caller &= each.text != "caller";
    return Value(macro);
  }

  // Defines the variables of a call.
  void Bind(const Macro& macro, const Arguments& arguments) {
    const Value rest = MakeDict();
    for (const auto& [name, value] : arguments.named) SetItem(rest.dict, Value(name), value);
    const auto take = [&](string_view name) {
      const Value* value = Work(rest.dict->entries.size()) ? rest.dict->Find(name) : nullptr;
      if (value == nullptr) return;
      Assign(name, *value);
      PopItem(rest.dict, name);
    };
    size_t count = 0;
    if (macro.uses_caller) {
      Assign("caller", Value::Undefined(Value::kHint, "No caller defined"));
      take("caller");
    }
    for (const Node& parameter : macro.parameters->children()) {
      if (count == arguments.values.size()) {
        take(parameter.text);
      } else {
        Assign(parameter.text, arguments.values[count++]);
      }
    }
    const std::string name = absl::StrCat("macro '", macro.node->text, "' takes ");
    const auto more = arguments.values.subspan(count);
    if (!macro.uses_kwargs && !rest.dict->entries.empty()) {
      const string_view keyword = rest.dict->entries[0].first.text();
      Raise(absl::StrCat(name, "no keyword argument '", keyword, "'"));
    } else if (!macro.uses_varargs && !more.empty()) {
      Raise(absl::StrCat(name, "not more than ", count, " argument(s)"));
    }
    if (macro.uses_kwargs) Assign("kwargs", rest);
    if (macro.uses_varargs) Assign("varargs", MakeList({more.begin(), more.end()}, Kind::kTuple));
    for (const Node& parameter : macro.parameters->children()) {
      if (failed() || scope_->Find(parameter.text) != nullptr) continue;
      const Value missing = Value::Undefined(Value::kParameter, parameter.text);
      Assign(parameter.text, parameter.first == nullptr ? missing : Evaluate(*parameter.first));
    }
  }

  Value CallMacro(const Macro& macro, const Arguments& arguments) {
    const Inside inside(this, NewScope(macro.outer));
    Bind(macro, arguments);
    return Capture([&] { Execute(LastOf(*macro.node)); });
  }

  Value CallObject(const Value& callee, const Arguments& arguments) override {
    if (callee.is(Kind::kMacro)) return CallMacro(*callee.macro, arguments);
    const Loop& loop = *callee.loop;
    if (!loop.node->flag || arguments.values.size() != 1) {
      return Raise("The loop must have the 'recursive' marker to be called recursively.");
    }
    const Value& list = arguments.values[0];
    return Capture([&] { RunLoop(*loop.node, list, loop.outer, loop.depth + 1); });
  }

  // Expressions.

  Value Evaluate(const Node& node) {
    const Level level(this);
    const Value value = Work(1) ? EvaluateNode(node) : Value();
    NoteFailure(node);
    return failed() ? Value() : value;
  }

  Value EvaluateNode(const Node& node) {
    const Node* const second = node.first == nullptr ? nullptr : node.first->next;
    switch (node.kind) {
      case NodeKind::kString:
        return Value(node.text);
      case NodeKind::kInteger:
        return Value(node.integer);
      case NodeKind::kFloat: {
        const bool is_huge = node.text.find_first_of(".eE") == string_view::npos;
        return Value(node.real, is_huge ? Kind::kHuge : Kind::kFloat);
      }
      case NodeKind::kBoolean:
        return Value(node.integer != 0);
      case NodeKind::kName:
        return Lookup(node.text);
      case NodeKind::kList:
      case NodeKind::kTuple:
      case NodeKind::kDict:
        return EvaluateItems(node);
      case NodeKind::kPrefix:
        return Prefix(node.text, Evaluate(*node.first));
      case NodeKind::kBinary: {
        const Value left = Evaluate(*node.first);
        const bool is_and = node.text == "and";
        if ((is_and || node.text == "or") && Truth(left) != is_and) return left;
        const Value right = Evaluate(*second);
        return is_and || node.text == "or" ? right : Binary(node.text, left, right);
      }
      case NodeKind::kCompare:
        return EvaluateCompare(node);
      case NodeKind::kConditional: {
        const Node* otherwise = second->next;
        if (Truth(Evaluate(*second))) return Evaluate(*node.first);
        if (!otherwise->is(NodeKind::kAbsent)) return Evaluate(*otherwise);
        return Value::Undefined(Value::kHint,
                                "the inline if-expression evaluated to false and "
                                "no else section was defined.");
      }
      case NodeKind::kAttribute:
        return Attribute(Evaluate(*node.first), node.text);
      case NodeKind::kSubscript:
        return EvaluateSubscript(node);
      case NodeKind::kCall:
        return EvaluateCall(node, Value(Kind::kMissing));
      case NodeKind::kFilter:
        return EvaluateFilter(node, nullptr);
      case NodeKind::kTest:
        return Value(Truth(EvaluateTest(node)) != node.flag);
      default:
        return Value(Kind::kNone);
    }
  }

  Value EvaluateCompare(const Node& node) {
    Value left = Evaluate(*node.first);
    for (const Node& operand : node.rest()) {
      const Value right = Evaluate(*operand.first);
      if (!Compare(operand.text, left, right)) return Value(false);
      left = right;
    }
    return Value(true);
  }

  Value EvaluateSubscript(const Node& node) {
    const Value base = Evaluate(*node.first);
    const Node& index = *node.child(1);
    if (!index.is(NodeKind::kSlice)) return Subscript(base, Evaluate(index));
    const Value begin = Evaluate(*index.first), end = Evaluate(*index.child(1));
    return Slice(base, begin, end, Evaluate(*index.child(2)));
  }

  Value EvaluateItems(const Node& node) {
    std::vector<Value> items;
    for (const Node& item : node.children()) items.push_back(Evaluate(item));
    if (node.is(NodeKind::kList)) return MakeList(std::move(items));
    if (node.is(NodeKind::kTuple)) return MakeList(std::move(items), Kind::kTuple);
    const Value made = MakeDict();
    for (size_t i = 0; i < items.size(); i += 2) SetItem(made.dict, items[i], items[i + 1]);
    return made;
  }

  struct CallArguments {
    absl::InlinedVector<Value, 4> values;
    absl::InlinedVector<std::pair<string_view, Value>, 2> named;
    Arguments View() const { return {values, named}; }
  };

  // Evaluates the children from the second one on.
  CallArguments EvaluateArguments(const Node& node) {
    CallArguments arguments;
    for (const Node& each : node.rest()) {
      const bool is_spread = each.is(NodeKind::kSpread), is_keyword = each.is(NodeKind::kKeyword);
      const bool is_plain = !is_spread && !is_keyword && !each.is(NodeKind::kSpreadNamed);
      const Value value = Evaluate(is_plain ? each : *each.first);
      if (is_plain) {
        arguments.values.push_back(value);
      } else if (is_keyword) {
        arguments.named.emplace_back(each.text, value);
      } else if (is_spread) {
        for (const Value& item : Items(value)) arguments.values.push_back(item);
      } else if (value.is_dict()) {
        for (const auto& [key, item] : value.dict->entries) {
          arguments.named.emplace_back(key.text(), item);
        }
      } else {
        Raise(absl::StrCat("argument after ** must be a mapping, not ", TypeName(value)));
      }
    }
    return arguments;
  }

  Value EvaluateCall(const Node& node, const Value& caller) {
    const bool is_method = node.first->is(NodeKind::kAttribute);
    const Value base = Evaluate(is_method ? *node.first->first : *node.first);
    if (is_method && base.is_undefined()) return RaiseUndefined(base);
    CallArguments arguments = EvaluateArguments(node);
    if (!caller.is(Kind::kMissing)) arguments.named.emplace_back("caller", caller);
    if (is_method) return CallMethod(node.first->text, base, arguments.View());
    return Call(base, arguments.View());
  }

  Value EvaluateTest(const Node& node) {
    const Value value = Evaluate(*node.first);
    return CallTest(node.text, value, EvaluateArguments(node).View());
  }

  // `text` is the value of a filter block, and not null only there.
  Value EvaluateFilter(const Node& node, const Value* text) {
    const bool is_first = node.first->is(NodeKind::kAbsent);
    const Value value = text == nullptr ? Evaluate(*node.first)
                        : is_first      ? *text
                                        : EvaluateFilter(*node.first, text);
    return CallFilter(node.text, value, EvaluateArguments(node).View());
  }

  NameMap<Value> globals_;
  Scope* scope_ = nullptr;  // Null for the template itself.
  std::string out_;
  absl::flat_hash_map<const Node*, Macro*> macros_;  // What each uses.
};

}  // namespace

Rendering Render(const Tree& tree, const Variables& variables, const MachineOptions& options) {
  if (tree.errors.empty() && tree.nesting.empty()) return Interpreter(options, variables).Run(tree);
  const SyntaxError& error = tree.errors.empty() ? tree.nesting[0] : tree.errors[0];
  Rendering rendering;
  rendering.outcome = Rendering::kRaised;
  rendering.error = absl::StrCat(error.text, " ", error.why);
  rendering.begin = error.begin;
  rendering.end = error.end;
  return rendering;
}

}  // namespace gguf::jinja
