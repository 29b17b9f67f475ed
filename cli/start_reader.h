// Starts a reader: runs its setup and reads its greeting.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_START_READER_H_
#define GGUF_CLI_START_READER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf {

// Runs the reader's setup, if it has one, with its output on standard error.
absl::Status SetUp(const readers::Reader& reader);

// Returns the reader's greeting; for a reader without the protocol, its name.
// Errors: there is no greeting, or its capabilities differ from those in
// readers.toml.  Warns on standard error when the reader cannot be isolated
// from the network.
absl::StatusOr<readers::Greeting> GreetingOf(const readers::Reader& reader);

}  // namespace gguf

#endif  // GGUF_CLI_START_READER_H_
