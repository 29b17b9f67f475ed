// Smoke: checks line by line that an adapter conforms to the protocol, before
// its reader is tested, and tells its faults from bugs of the reader.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_SMOKE_H_
#define GGUF_CONFORMANCE_READERS_RUN_SMOKE_H_

#include <string>

#include "absl/status/statusor.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"

namespace gguf::readers {

struct SmokeResult {
  int adapter_faults = 0;
  int reader_bugs = 0;
  // The lines written and read; each problem is followed by advice.  Text from
  // the implementation is escaped.
  std::string transcript;
};

// Sends small files: two valid ones, truncated, empty, missing, and with
// an unusual name.  A problem with the plain one is the adapter's, because
// every reader can read it, as is a violation of the protocol; any other is the
// reader's.  Error: the reader could not be run.
absl::StatusOr<SmokeResult> RunSmoke(const Reader& reader,
                                     const WatchLimits& limits);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_SMOKE_H_
