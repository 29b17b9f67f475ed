// The tables of filters and methods whose results are known.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/results.h"

#include <iterator>

#include "absl/algorithm/container.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

enum class Result {
  kNumber,
  kNumberOr,   // A number or an argument.
  kPart,       // An element.
  kList,       // A list of elements of the value or of its elements.
  kLazyList,   // The same; reads the value only when it is iterated.
  kReversed,   // The same, or a text.
  kBatches,    // The same, of lists, filled up with an argument.
  kSameText,   // A part of a text, or in another case.
  kTextParts,  // A list of parts of a text.
  kAssembled,  // A text.
  kEither,     // The value or an argument.
  kPartOr,     // An element, or an argument but the first.
};

struct Row {
  string_view name;
  Result result;
};

constexpr Row kFilterRows[] = {
    {"length", Result::kNumber},
    {"count", Result::kNumber},
    {"int", Result::kNumberOr},
    {"float", Result::kNumberOr},
    {"round", Result::kNumber},
    {"abs", Result::kNumber},
    {"wordcount", Result::kNumber},
    {"first", Result::kPart},
    {"last", Result::kPart},
    {"random", Result::kPart},
    {"min", Result::kPart},
    {"max", Result::kPart},
    {"list", Result::kList},
    {"sort", Result::kList},
    {"dictsort", Result::kList},
    {"groupby", Result::kBatches},
    {"unique", Result::kLazyList},
    {"reverse", Result::kReversed},
    {"batch", Result::kBatches},
    {"slice", Result::kBatches},
    {"items", Result::kLazyList},
    {"select", Result::kLazyList},
    {"reject", Result::kLazyList},
    {"selectattr", Result::kLazyList},
    {"rejectattr", Result::kLazyList},
    {"trim", Result::kSameText},
    {"lower", Result::kSameText},
    {"upper", Result::kSameText},
    {"capitalize", Result::kSameText},
    {"title", Result::kSameText},
    {"string", Result::kSameText},
    {"default", Result::kEither},
    {"d", Result::kEither},
    {"join", Result::kAssembled},
    {"replace", Result::kAssembled},
    {"tojson", Result::kAssembled},
    {"format", Result::kAssembled},
    {"indent", Result::kAssembled},
    {"center", Result::kAssembled},
    {"escape", Result::kAssembled},
    {"e", Result::kAssembled},
    {"safe", Result::kAssembled},
    {"truncate", Result::kAssembled},
    {"pprint", Result::kAssembled},
};

constexpr Row kMethodRows[] = {
    {"count", Result::kNumber},
    {"index", Result::kNumber},
    {"find", Result::kNumber},
    {"rfind", Result::kNumber},
    {"startswith", Result::kNumber},
    {"endswith", Result::kNumber},
    {"get", Result::kPartOr},
    {"pop", Result::kPartOr},
    {"setdefault", Result::kPartOr},
    {"items", Result::kLazyList},
    {"keys", Result::kLazyList},
    {"values", Result::kLazyList},
    {"popitem", Result::kList},
    {"copy", Result::kList},
    {"strip", Result::kSameText},
    {"lstrip", Result::kSameText},
    {"rstrip", Result::kSameText},
    {"lower", Result::kSameText},
    {"upper", Result::kSameText},
    {"title", Result::kSameText},
    {"capitalize", Result::kSameText},
    {"casefold", Result::kSameText},
    {"swapcase", Result::kSameText},
    {"removeprefix", Result::kSameText},
    {"removesuffix", Result::kSameText},
    {"split", Result::kTextParts},
    {"rsplit", Result::kTextParts},
    {"splitlines", Result::kTextParts},
    {"partition", Result::kTextParts},
    {"rpartition", Result::kTextParts},
    {"join", Result::kAssembled},
    {"replace", Result::kAssembled},
    {"format", Result::kAssembled},
    {"center", Result::kAssembled},
    {"ljust", Result::kAssembled},
    {"rjust", Result::kAssembled},
    {"zfill", Result::kAssembled},
};

template <size_t N>
const Row* Find(const Row (&rows)[N], string_view name) {
  const Row* row = absl::c_find_if(rows, [&](const Row& r) { return r.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

bool IsNumber(const Facts& facts) { return facts.self.Is(kNumber); }

// Returns the facts of a value that may have any of the sources in it.
Facts Mixture(Sources sources, const NewList& list) {
  sources.origins |= kAssembled | kCallable;
  sources.lists |= list.bit();
  return {sources, sources};
}

Facts ListResult(const Facts& value, const Flow& flow, const NewList& list, bool is_lazy) {
  Facts result = ContainerFacts(list.bit(), flow.PartOf(value).All());
  result.self.origins |= value.self.origins & (kMessage | kChosen);
  if (is_lazy) result.self.lists |= value.self.lists;
  return result;
}

Facts TextResult(const Facts& value) {
  const Sources& from = value.self;
  Facts text;
  if (from.Has(kMessage)) text.Join(MessageFacts());
  if (from.Has(kNumber)) text.Join(FactsOf(kWord, kWord));
  const bool is_known = from.HasOnly(kMessage | kNumber | kChosen | kMethods);
  if (!is_known || from.macros != 0) text.Join(AssembledFacts());
  return text;
}

Facts ResultOf(const Row* row, const Facts& value, const Arguments& arguments, const Flow& flow,
               const NewList& list) {
  Sources all = arguments.All();
  const Facts any_argument = {all, all};
  if (row == nullptr) {
    all.Join(flow.PartOf(value).All());
    return Mixture(all, list);
  }
  switch (row->result) {
    case Result::kNumber:
      return NumberFacts();
    case Result::kNumberOr:
      return Either(NumberFacts(), any_argument);
    case Result::kPart:
      return flow.PartOf(value);
    case Result::kPartOr: {
      Arguments rest = arguments;
      if (!rest.positional.empty()) rest.positional[0] = {};
      return Either(flow.PartOf(value), {rest.All(), rest.All()});
    }
    case Result::kEither:
      return Either(value, any_argument);
    case Result::kList:
      return ListResult(value, flow, list, false);
    case Result::kLazyList:
      return ListResult(value, flow, list, true);
    case Result::kReversed: {
      Facts reversed = ListResult(value, flow, list, true);
      if (value.self.Has(kTexts)) reversed.Join(AssembledFacts());
      return reversed;
    }
    case Result::kBatches: {
      Facts batches = ListResult(value, flow, list, true);
      batches.inner.Join(all);
      batches.inner.lists |= list.bit();
      return batches;
    }
    case Result::kAssembled:
      return AssembledFacts();
    case Result::kSameText:
      return TextResult(value);
    case Result::kTextParts: {
      Facts parts = TextResult(value);
      parts.self.origins |= kContainer;
      parts.self.lists |= list.bit();
      return parts;
    }
  }
  return Mixture(all, list);
}

}  // namespace

Facts ResultOfOperator(string_view op, const Facts& a, const Facts& b, const NewList& list) {
  if (op == "and" || op == "or" || op == "else") return Either(a, b);
  if (op == "if") return a;
  if (op == "~") return AssembledFacts();
  if (op == "-" || op == "/" || op == "//" || op == "**") {
    return FactsOf(kNumber, kAssembled);  // Or a set, a - b.
  }
  Sources content = a.inner;
  content.Join(b.inner);
  const bool is_arithmetic = op == "+" || op == "*" || op == "%";
  if (is_arithmetic && (a.IsNothing() || b.IsNothing())) return {};
  if (op == "+") {
    if (IsNumber(a) || IsNumber(b)) return NumberFacts();
    constexpr uint32_t kLists = kContainer | kMessage | kAssembled;
    const bool is_list = a.self.Has(kLists) && b.self.Has(kLists);
    const bool is_text = a.self.Has(kTexts | kMessage) && b.self.Has(kTexts | kMessage);
    Facts sum = is_list ? ContainerFacts(list.bit(), content) : Facts();
    if (is_text || !is_list) sum.Join(AssembledFacts());
    return sum;
  }
  if (op == "*") {
    if (IsNumber(a) && IsNumber(b)) return NumberFacts();
    Facts product = ContainerFacts(list.bit(), content);
    const bool is_list = a.self.HasOnly(kContainer) || b.self.HasOnly(kContainer);
    if (!is_list) product.Join(AssembledFacts());
    return product;
  }
  if (op == "%") return IsNumber(a) ? NumberFacts() : AssembledFacts();
  return NumberFacts();  // Comparisons.
}

Facts ResultOfFilter(string_view name, const Facts& value, const Arguments& arguments,
                     const Flow& flow, const NewList& list) {
  const Row* row = Find(kFilterRows, name);
  const bool is_default = row != nullptr && row->result == Result::kEither;
  if (value.IsNothing() && !is_default) return {};
  return ResultOf(row, value, arguments, flow, list);
}

Facts ResultOfMethod(string_view name, const Facts& value, const Arguments& arguments,
                     const Flow& flow, const NewList& list) {
  // What namespaces, objects and dicts contain may have any name.
  if (value.IsNothing()) return {};
  const Sources content = flow.PartOf(value).All();
  const bool is_plain = value.self.Is(kTexts | kData) && content.macros == 0 &&
                        content.HasOnly(kTexts | (kData & ~kMethods));
  return ResultOf(is_plain ? Find(kMethodRows, name) : nullptr, value, arguments, flow, list);
}

Facts ResultOfFunction(const Facts& function, const Arguments& arguments, const NewList& list) {
  const bool is_macro = function.self.origins == 0;
  if (is_macro && function.self.macros != 0) return AssembledFacts();
  Sources all = arguments.All();
  all.Join(function.inner);
  return Mixture(all, list);
}

}  // namespace gguf::jinja
