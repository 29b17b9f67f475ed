// ggufcheck readers run: a reader over the corpus.
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
  std::string cases;  // The folder; empty: to be found.
  std::string shard = "1/1";
  std::string known_failures;  // Paths; empty: none.
  std::string log;
  std::string repro;  // The id of a case.
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool list = false;
  bool fix = false;
};

// The exit code.
int RunReader(const ReadersRunFlags& flags);

}  // namespace gguf

#endif  // GGUF_CLI_READERS_RUN_H_
