// Reporting a row of a table of conditions: hparam_rules.tsv, kind_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CONDITION_REPORT_H_
#define GGUF_CONFORMANCE_RULES_CONDITION_REPORT_H_

#include <cstdint>

#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "conformance/rules/check.h"
#include "conformance/tables/expr.h"

namespace gguf {

// A condition that does not hold, and its message.
struct Condition {
  Symbol about;      // Its key is present.
  const Expr& left;  // The values of {left} and {right}; either may be empty.
  const Expr& right;
  const char* says;  // May show {text}, the value of a text, and {arch}, too.
};

// Reports at the value of the key, or at block `i`'s if it has one for each.
void ReportCondition(const Model& model, const Condition& condition,
                     bool per_block, int64_t i, Finder& find);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CONDITION_REPORT_H_
