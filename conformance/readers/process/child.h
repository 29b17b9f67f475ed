// StartChild: forks, sets up the child, and runs exec.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_CHILD_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_CHILD_H_

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "conformance/readers/process/file_descriptor.h"
#include "conformance/readers/process/process.h"

namespace gguf::readers {

struct Child {
  pid_t pid = -1;  // Also the id of its process group.
  bool has_network = true;
  // The parent's ends of its pipes, non-blocking.
  FileDescriptor to_stdin, from_stdout, from_stderr;
};

// Implements Process::Start().  The child is killed when this thread ends.
absl::StatusOr<Child> StartChild(const ProcessOptions& options);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_CHILD_H_
