// Checking files from the disk, with several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_CHECK_FILES_H_
#define GGUF_CONFORMANCE_GATE_CHECK_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/gate/check_request.h"
#include "conformance/gate/shard_files.h"
#include "conformance/digest/digest.h"
#include "conformance/engine/validate.h"

namespace gguf {

// How a gate talks to the program.  `progress` and `stop` are called from
// several threads and may be empty.
struct GateCallbacks {
  // Accepts each report, in the order of the files and by one thread at a time.
  // False ends the run.
  std::function<bool(FileReport report)> take;
  // Called with the bytes of a file that were read, and those there are.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // The run ends early when it says true.
  std::function<bool()> stop;
};

// Hands over a report for each file of the groups, in their order and one at a
// time; each is forgotten then.  A file that cannot be opened has one, too.
// Ends early when `take` returns false or `stop` returns true.
void CheckFiles(const std::vector<FileGroup>& groups,
                const CheckRequest& request, const GateCallbacks& callbacks);

// What the manifest says about a path; null when there is none, or no entry.
const FileDigest* DigestOf(const std::string& path,
                           const CheckRequest& request);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_CHECK_FILES_H_
