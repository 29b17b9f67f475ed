// The facts of what operators, filters and methods return.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_RESULTS_H_
#define GGUF_CONFORMANCE_JINJA_RESULTS_H_

#include "absl/strings/string_view.h"
#include "conformance/jinja/constant.h"
#include "conformance/jinja/flow.h"

namespace gguf::jinja {

// `list` is the list that the operator, filter or method may create.

Facts ResultOfOperator(absl::string_view op, const Facts& a, const Facts& b, const NewList& list);
Facts ResultOfFilter(absl::string_view name, const Facts& value, const Arguments& arguments,
                     const Flow& flow, const NewList& list);
// Returns the facts of value.name(arguments).
Facts ResultOfMethod(absl::string_view name, const Facts& value, const Arguments& arguments,
                     const Flow& flow, const NewList& list);
// Returns the facts of the result of any other function.
Facts ResultOfFunction(const Facts& function, const Arguments& arguments, const NewList& list);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_RESULTS_H_
