// Reporting a row of a table of conditions: hparam_rules.tsv, kind_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CONDITION_REPORT_H_
#define GGUF_CONFORMANCE_RULES_CONDITION_REPORT_H_

#include <cstdint>

#include "conformance/rules/check.h"
#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "conformance/tables/expr.h"

namespace gguf {

// What a message says of a condition that does not hold.
struct Condition {
  Symbol about;      // Its key is there.
  const Expr& left;  // The values of {left} and {right}; either may be empty.
  const Expr& right;
  const char* says;  // May show {text}, the value of a text, and {arch}, too.
};

// At the value of the key; that of block `i` if it has one for each.
void ReportCondition(const Model& model, const Condition& condition,
                     bool per_block, int64_t i, Finder& find);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CONDITION_REPORT_H_
