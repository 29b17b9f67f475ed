// Removes findings that do not count: those of rules that are off for a file,
// and known ones.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_FORGIVE_H_
#define GGUF_CONFORMANCE_CONFIG_FORGIVE_H_

#include <functional>
#include <set>
#include <vector>

#include "conformance/engine/file_report.h"

namespace gguf {

// Removes the findings for which `take` returns true from the report and its
// counts, and returns them.  If the parser could not continue after one of
// them, the report becomes incomplete: such a file must not pass.
std::vector<Finding> TakeFindings(
    const std::function<bool(const Finding&)>& take, FileReport* report);

// Changes the report as if the rules had been off.
void IgnoreRules(const std::set<const Rule*>& rules, FileReport* report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_FORGIVE_H_
