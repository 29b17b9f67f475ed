// The flags that select a third-party reader and configure how it is run, and
// its start.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_READER_FLAGS_H_
#define GGUF_CLI_READER_FLAGS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf {

struct ReaderFlags {
  std::string name;
  std::string command;
  std::string readers_file;
  std::string sanitizer;
  std::vector<std::string> environment;  // NAME=value
  std::string accept_exit, reject_exit;
  std::string timeout = "10s";
};

void AddReaderFlags(CLI::App* command, ReaderFlags* flags);

// Returns the selected reader.  InvalidArgument: the flags are invalid;
// NotFound and others: readers.toml is missing or invalid.
absl::StatusOr<readers::Reader> ReaderOf(const ReaderFlags& flags);

absl::StatusOr<readers::WatchLimits> LimitsOf(const ReaderFlags& flags,
                                              const readers::Reader& reader);

// Runs the reader's setup, if it has one, with its output on standard error.
absl::Status SetUp(const readers::Reader& reader);

// Returns the reader's greeting; for a reader without the protocol, its name.
// Errors: there is no greeting, or its capabilities differ from those in
// readers.toml.  Warns on standard error when the reader cannot be isolated
// from the network.
absl::StatusOr<readers::Greeting> GreetingOf(const readers::Reader& reader);

}  // namespace gguf

#endif  // GGUF_CLI_READER_FLAGS_H_
