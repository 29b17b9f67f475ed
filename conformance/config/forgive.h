// Findings that do not count: of rules that are off for a file, and those that
// somebody knows and accepts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_FORGIVE_H_
#define GGUF_CONFORMANCE_CONFIG_FORGIVE_H_

#include <functional>
#include <set>
#include <vector>

#include "conformance/engine/file_report.h"

namespace gguf {

// Takes the findings out of the report that `take` says true of, and returns
// them; they are no longer counted.  When the parser could not read on behind
// one of them, the report becomes incomplete: such a file has passed nothing.
std::vector<Finding> TakeFindings(
    const std::function<bool(const Finding&)>& take, FileReport* report);

// Makes the report as if the rules had been off.
void IgnoreRules(const std::set<const Rule*>& rules, FileReport* report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_FORGIVE_H_
