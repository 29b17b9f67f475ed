// RulesJson: rules for programs (schemas/rules.schema.json).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_RULES_JSON_H_
#define GGUF_CONFORMANCE_REPORT_RULES_JSON_H_

#include <vector>

#include "conformance/base/json.h"
#include "parser/rule.h"

namespace gguf {

// Returns "preview", "stable" or "deprecated".
const char* StageName(Stage stage);

// Returns the document with these rules of the catalogue, in this order.  The
// severities of a rule in preview are those with --preview.
Json RulesJson(const std::vector<const Rule*>& rules);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_RULES_JSON_H_
