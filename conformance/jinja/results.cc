// The facts of what operators, filters, methods and functions return.
//
// SPDX-License-Identifier: Apache-2.0

#include <iterator>

#include "absl/algorithm/container.h"
#include "conformance/jinja/flow.h"

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

// A list or dict with the elements of the value; a lazy one is that of the value.
Facts ListResult(const Facts& value, const Node& at, Flow* flow, bool is_lazy) {
  Facts list = flow->Container(at, flow->PartOf(value));
  list.sources |= value.sources & (kMessage | kChosen);
  if (is_lazy) list.part = flow->parts.Join(list.part, value.part);
  return list;
}

Facts TextResult(const Facts& value) {
  Facts text = FactsOf(value.sources & kMessage);
  if (value.Has(kNumber)) text.sources |= kWord;
  const bool is_known = value.HasOnly(kMessage | kNumber | kChosen | kMethods);
  if (!is_known || value.macros != 0) text.sources |= kAssembled;
  return text;
}

Facts ResultOf(const Row* row, const Facts& value, const CallFacts& arguments, const Node& at,
               Flow* flow) {
  const Facts all = flow->All(arguments);
  if (row == nullptr) return flow->Mixture(at, flow->Either(all, flow->All(flow->PartOf(value))));
  switch (row->result) {
    case Result::kNumber:
      return FactsOf(kNumber);
    case Result::kNumberOr:
      return flow->Either(FactsOf(kNumber), all);
    case Result::kPart:
      return flow->PartOf(value);
    case Result::kPartOr: {
      CallFacts rest = arguments;
      if (!rest.positional.empty()) rest.positional[0] = {};
      return flow->Either(flow->PartOf(value), flow->AnyOf(rest));
    }
    case Result::kEither:
      return flow->Either(value, flow->AnyOf(arguments));
    case Result::kList:
      return ListResult(value, at, flow, false);
    case Result::kLazyList:
      return ListResult(value, at, flow, true);
    case Result::kReversed: {
      Facts reversed = ListResult(value, at, flow, true);
      if (value.Has(kTexts)) reversed.sources |= kAssembled;
      return reversed;
    }
    case Result::kBatches: {
      Facts batches = ListResult(value, at, flow, true);
      flow->parts.Add(batches.part, flow->Either(all, batches));
      return batches;
    }
    case Result::kSameText:
      return TextResult(value);
    case Result::kTextParts: {
      Facts list = flow->Container(at, TextResult(value));
      list.sources |= TextResult(value).sources;
      return list;
    }
    case Result::kAssembled:
      break;
  }
  return FactsOf(kAssembled);
}

}  // namespace

Facts ResultOfOperator(string_view op, const Facts& a, const Facts& b, const Node& at, Flow* flow) {
  if (op == "and" || op == "or") return flow->Either(a, b);
  if (op == "~") return FactsOf(kAssembled);
  if (op == "-" || op == "/" || op == "//" || op == "**") {
    Facts number = flow->Container(at, FactsOf(kAssembled));  // Or a set, a - b.
    number.sources = kNumber;
    return number;
  }
  if (a.IsNothing() || b.IsNothing()) return {};
  const bool a_is_number = a.Is(kNumber), b_is_number = b.Is(kNumber);
  if (op == "%") return FactsOf(a_is_number ? kNumber : kAssembled);
  const Facts content = flow->Either(flow->PartOf(a), flow->PartOf(b));
  if (op == "+") {
    if (a_is_number || b_is_number) return FactsOf(kNumber);
    constexpr uint32_t kLists = kContainer | kMessage | kAssembled;
    const bool is_list = a.Has(kLists) && b.Has(kLists);
    const bool is_text = a.Has(kTexts | kMessage) && b.Has(kTexts | kMessage);
    Facts sum = is_list ? flow->Container(at, content) : Facts();
    if (is_text || !is_list) sum.sources |= kAssembled;
    return sum;
  }
  if (a_is_number && b_is_number) return FactsOf(kNumber);  // a * b
  Facts product = flow->Container(at, content);
  if (!a.HasOnly(kContainer) && !b.HasOnly(kContainer)) product.sources |= kAssembled;
  return product;
}

Facts ResultOfFilter(string_view name, const Facts& value, const CallFacts& arguments,
                     const Node& at, Flow* flow) {
  const Row* row = Find(kFilterRows, name);
  const bool is_default = row != nullptr && row->result == Result::kEither;
  if (value.IsNothing() && !is_default) return {};
  return ResultOf(row, value, arguments, at, flow);
}

Facts ResultOfMethod(string_view name, const Facts& value, const CallFacts& arguments,
                     const Node& at, Flow* flow) {
  // What namespaces, objects and dicts contain may have any name.
  if (value.IsNothing()) return {};
  const Facts content = flow->All(flow->PartOf(value));
  const bool is_plain = value.Is(kTexts | kData) && content.macros == 0 &&
                        content.HasOnly(kTexts | (kData & ~kMethods));
  return ResultOf(is_plain ? Find(kMethodRows, name) : nullptr, value, arguments, at, flow);
}

Facts ResultOfFunction(const Facts& function, const CallFacts& arguments, const Node& at,
                       Flow* flow) {
  if (function.sources == 0 && function.macros != 0) return FactsOf(kAssembled);  // A macro.
  return flow->Mixture(at, flow->Either(flow->All(arguments), flow->PartOf(function)));
}

}  // namespace gguf::jinja
