// Supervise: the process between the runner and a program, which ends every
// descendant of the program.
//
// It becomes the parent of descendants whose own parents end (as a subreaper),
// so new sessions and process groups do not hide them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_SUPERVISOR_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_SUPERVISOR_H_

#include <sys/types.h>

#include <cstdint>

namespace gguf::readers {

// What a supervisor writes at its end.
struct Ending {
  int status;         // Of the program, as of waitpid().
  uint64_t peak_kib;  // Its peak resident memory.
};

// The signal that makes a supervisor kill the program.
extern const int kStopSignal;

// The functions below run between fork and exec or exit, where malloc is not
// allowed.

// Makes the calling process a supervisor, which has yet to fork the program.
// If `runner`, or its thread that forked the supervisor, ends, that counts as
// kStopSignal.
void BecomeSupervisor(pid_t runner);

// Restores the default actions of all signals, and unblocks them.
void ResetSignals();

// Waits for the end of the program, a child in its own process group, or for
// kStopSignal.  Then kills all descendants, waits until none is left, writes an
// Ending to `report`, and exits.
[[noreturn]] void Supervise(pid_t program, int report);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_SUPERVISOR_H_
