// What hyper-parameters must be to each other: rows of hparam_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_HPARAM_RULES_H_
#define GGUF_CONFORMANCE_RULES_TABLES_HPARAM_RULES_H_

#include "conformance/rules/tables/expr.h"
#include "conformance/rules/tables/ids.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

// In the order of the `rule` column's type.
enum class HparamRule : uint8_t {
  kBlockCount,
  kNextn,
  kHeadCount,
  kHeadGroups,
  kHeadWidth,
  kExperts,
  kRopeDimension,
  kRopeType,
  kRopeTypeInSpec,
  kYarn,
  kContext,
  kArchitecture,
};

struct HparamRow {
  HparamRule rule;
  Symbol about;  // Without its key in the file there is nothing to judge.
  bool per_block;
  Expr holds;
  Expr left;   // What the message shows: the value that is wrong,
  Expr right;  // and what it is held against.  Either may be empty.
  const char* says;
};

extern const Table<HparamRow> kHparamRules;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_HPARAM_RULES_H_
