// FixJson: what ggufcheck fix did, for programs (conformance/report/schemas/fix.schema.json).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_FIX_FIX_JSON_H_
#define GGUF_CONFORMANCE_FIX_FIX_JSON_H_

#include <string>
#include <vector>

#include "conformance/base/json.h"
#include "conformance/fix/plan.h"

namespace gguf {

// `paths` are those of the files of the plan, `outputs` those of the results, which are empty if
// nothing was written.
Json FixJson(const std::string& profile, const std::vector<PlannedFile>& plan,
             const std::vector<std::string>& paths, const std::vector<std::string>& outputs);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_FIX_FIX_JSON_H_
