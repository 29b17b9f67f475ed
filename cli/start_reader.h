// Before a reader is run over anything: its set-up, its greeting.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_START_READER_H_
#define GGUF_CLI_START_READER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/process/reader.h"

namespace gguf {

// Runs the reader's set-up, if it has one, with its output on standard error.
absl::Status SetUp(const readers::Reader& reader);

// What the reader says of itself; of one that knows no protocol, its name.
// Errors: it says nothing, or has not the capabilities that readers.toml lists.
// Warns on standard error when it cannot be kept from the network.
absl::StatusOr<readers::Greeting> GreetingOf(const readers::Reader& reader);

}  // namespace gguf

#endif  // GGUF_CLI_START_READER_H_
