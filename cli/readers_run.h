// ggufcheck readers run: runs a reader over the corpus.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_READERS_RUN_H_
#define GGUF_CLI_READERS_RUN_H_

#include <algorithm>
#include <string>
#include <thread>

#include "cli/reader_flags.h"
#include "conformance/readers/run/selection.h"

namespace gguf {

struct ReadersRunFlags {
  ReaderFlags reader;
  readers::Selection selection;
  std::string cases;  // A folder; empty to search for it.
  std::string shard = "1/1";
  std::string known_failures;  // Paths; empty for none.
  std::string log;
  std::string repro;  // The id of a case.
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool list = false;
  bool fix = false;
};

// Runs the reader; returns the exit code.
int RunReader(const ReadersRunFlags& flags);

}  // namespace gguf

#endif  // GGUF_CLI_READERS_RUN_H_
