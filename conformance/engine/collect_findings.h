// CollectFindings: the diagnostics of a file, with their severities.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_COLLECT_FINDINGS_H_
#define GGUF_CONFORMANCE_ENGINE_COLLECT_FINDINGS_H_

#include <cstdint>

#include "conformance/engine/file_report.h"
#include "conformance/engine/profile.h"
#include "parser/core/diagnostic.h"

namespace gguf {

// Moves what was found into a report, whose `size` is that of the file:
// findings by their place in the file, those of rules that are off apart, and
// counts. `most` of each rule were kept.
void CollectFindings(const Profile& profile, uint64_t most, Diagnostics* found, FileReport* report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_COLLECT_FINDINGS_H_
