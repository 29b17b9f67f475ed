// What the keys must hold of a file that is no language model: rows of
// kind_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_KIND_RULES_H_
#define GGUF_CONFORMANCE_RULES_TABLES_KIND_RULES_H_

#include "conformance/rules/tables/expr.h"
#include "conformance/rules/tables/ids.h"
#include "conformance/rules/tables/kinds.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

// In the order of the `rule` column's type.
enum class KindRule : uint8_t {
  kLoraStated,
  kEncoderStated,
  kProjectorSizes,
  kProjectorPatches,
  kProjectorChannels,
  kProjectorPinpoints,
  kProjectorActivation,
};

struct KindRuleRow {
  KindRule rule;
  GgufKind kind;
  Symbol about;  // Without its key in the file there is nothing to judge.
  Expr holds;
  Expr left;   // What the message shows: the value that is wrong,
  Expr right;  // and what it is held against.  Either may be empty.
  const char* says;
};

extern const Table<KindRuleRow> kKindRules;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_KIND_RULES_H_
