// Smoke: whether an adapter keeps to the protocol, line by line, before its
// reader is blamed for anything.
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
  int mistakes = 0;
  // What was written and read, each line with what is wrong with it and how to
  // mend that.  Text of the testee is escaped.
  std::string transcript;
};

// Asks for some files made for it: sound, cut, empty, missing, with a name that
// is not plain.  Errors: nothing could be asked.
absl::StatusOr<SmokeResult> RunSmoke(const Reader& reader,
                                     const WatchLimits& limits);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_SMOKE_H_
