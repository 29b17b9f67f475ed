// Reads the memory use of processes from /proc.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_MEMORY_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_MEMORY_H_

#include <sys/types.h>

#include <cstdint>

namespace gguf::readers {

// Returns the resident bytes of a process and its descendants, without pages of
// files; 0 if /proc has no such process.
uint64_t TreeMemory(pid_t pid);

// Returns the peak resident memory of a process, including pages of files,
// since its start or the last ResetPeakMemory().
uint64_t PeakMemoryKib(pid_t pid);
void ResetPeakMemory(pid_t pid);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_MEMORY_H_
