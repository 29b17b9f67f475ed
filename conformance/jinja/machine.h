// Machine: the operations of the expressions of a template, as Jinja2's sandbox has them, within
// a budget.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_MACHINE_H_
#define GGUF_CONFORMANCE_JINJA_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "conformance/base/json.h"
#include "conformance/jinja/tree.h"
#include "conformance/jinja/value.h"

namespace gguf::jinja {

struct Failure {
  enum Kind {
    kNone,
    kRaised,      // As Python or Jinja2 raises, or the template itself.
    kTooLarge,    // A value is larger than `largest_value`; number: its size.
    kTooLong,     // A range has too many numbers; number: how many.
    kOverBudget,  // Too many steps or bytes, or nested too deep.
    kUnknown,     // Jinja2 can do this, the machine cannot.
  };
  Kind kind = kNone;
  std::string message;
  double number = 0;
  const Node* node = nullptr;  // The innermost one, if the interpreter ran.
};

struct MachineOptions {
  // Whether methods that change a list or dict are refused, as Jinja2's sandbox does, and
  // llama.cpp does not.
  bool is_immutable = true;
  absl::CivilDay date{2026, 1, 1};         // For strftime_now().
  size_t most_steps = 1000000;             // Nodes, elements, and 16 bytes that are worked on.
  size_t most_bytes = size_t{16} << 20;    // That are created, in total.
  size_t largest_value = size_t{8} << 20;  // In bytes, elements or digits.
};

// The maximum depth of values, and of the nodes that are evaluated, with those of called macros.
constexpr size_t kDeepestEvaluation = 1000;

// The first failure is kept; all operations after it return an undefined value at once.  Owns
// the values that it makes.
class Machine {
 public:
  using Options = MachineOptions;
  explicit Machine(const Options& options) : options_(options) {}
  virtual ~Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Options& options() const { return options_; }
  bool failed() const { return failure_.kind != Failure::kNone; }
  const Failure& failure() const { return failure_; }
  void ClearFailure() { failure_ = Failure(); }
  size_t steps() const { return steps_; }

  // Fail, and return an undefined value.
  Value Fail(Failure::Kind kind, absl::string_view message, double number = 0);
  Value Raise(absl::string_view message) { return Fail(Failure::kRaised, message); }
  Value RaiseUndefined(const Value& value);
  Value Unknown(absl::string_view what);

  // Take from the budget.  Return false after a failure.
  bool Work(size_t steps);
  // Before a value of this size is made.
  bool Room(double size, size_t bytes_each = 1);

  Value MakeString(absl::string_view text);
  Value MakeList(std::vector<Value> items, Kind kind = Kind::kList);
  Value MakeDict(Kind kind = Kind::kDict);
  Value MakeValue(const Json& json);  // Must outlive the machine.

  // Operators, by their text.
  Value Binary(absl::string_view op, const Value& a, const Value& b);
  Value Prefix(absl::string_view op, const Value& a);
  bool Compare(absl::string_view op, const Value& a, const Value& b);
  bool Truth(const Value& value);

  // base.name, base[index], base[begin:end:step]
  Value Attribute(const Value& base, absl::string_view name);
  Value Subscript(const Value& base, const Value& index);
  Value Slice(const Value& base, const Value& begin, const Value& end, const Value& step);

  Value CallFilter(absl::string_view name, const Value& value, const Arguments& arguments = {});
  Value CallTest(absl::string_view name, const Value& value, const Arguments& arguments = {});
  Value CallMethod(absl::string_view name, const Value& base, const Arguments& arguments = {});
  Value Call(const Value& callee, const Arguments& arguments);

  bool CanIterate(const Value& value) const;
  // Returns the elements, or raises.  They may be the value's own; those of a generator are
  // consumed.
  const std::vector<Value>& Items(const Value& value);
  // Returns Python's len(), or raises.
  size_t Length(const Value& value);
  // Returns what stands for a key of a dict; raises if it is unhashable.
  absl::string_view KeyText(const Value& key);
  void SetItem(Dict* dict, const Value& key, const Value& value);

  // Python's str() and repr().
  Value ToText(const Value& value);
  std::string Repr(const Value& value);
  // Appends str(value), or a part of a text that is being made.
  bool AppendText(const Value& value, std::string* out);
  bool Append(absl::string_view part, std::string* out);

  // Keeps an object for as long as the machine.
  template <class T>
  T* New() {
    // About what the largest takes; a constant, so that the budget lasts equally long everywhere.
    constexpr size_t kBytes = 128;
    Room(kBytes);
    auto object = std::make_shared<T>();
    objects_.push_back(object);
    return object.get();
  }

  // Counts a level of a recursion while it lives.
  class Level {
   public:
    explicit Level(Machine* machine) : machine_(machine) {
      if (++machine_->depth_ > kDeepestEvaluation) {
        machine_->Fail(Failure::kOverBudget, "the evaluation is nested too deep");
      }
    }
    ~Level() { --machine_->depth_; }

   private:
    Machine* const machine_;
  };

 protected:
  // Macros and loops.  An attribute that they lack is kMissing.
  virtual Value CallObject(const Value&, const Arguments&) { return Value(); }
  virtual Value ObjectAttribute(const Value&, absl::string_view) { return Value(Kind::kMissing); }

  Failure failure_;

 private:
  Value Huge(double value, double digits);
  Value Power(const Value& a, const Value& b);
  Value Arithmetic(absl::string_view op, const Value& a, const Value& b);
  Value Repeat(const Value& sequence, double times);
  bool Equal(const Value& a, const Value& b);
  bool Order(absl::string_view op, const Value& a, const Value& b);
  bool Contains(const Value& sequence, const Value& value);
  Value Unsafe(const Value& base, absl::string_view name);
  Value OwnAttribute(const Value& base, absl::string_view name);
  Value Invoke(const Builtin& builtin, absl::string_view name, const Value& self,
               const Arguments& arguments);

  const Options options_;
  size_t steps_ = 0;
  size_t bytes_ = 0;
  size_t depth_ = 0;
  std::vector<std::shared_ptr<void>> objects_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // Of strings.
  char* block_ = nullptr;                        // What is left of the last one.
  size_t block_left_ = 0;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_MACHINE_H_
