// The memory of processes, from /proc.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_PROC_MEMORY_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_PROC_MEMORY_H_

#include <sys/types.h>

#include <cstdint>

namespace gguf::readers {

// Returns whether the descendants of a process, without itself, use more than
// `bytes` of memory, including swapped memory, without pages of mapped files.
// Pages that several descendants share count once.  More than 1,000 descendants
// count as too much memory.
bool DescendantsUseMoreThan(uint64_t bytes, pid_t pid);

// Returns the peak resident memory of a process, in KiB; 0 if it has ended.
uint64_t PeakKibOf(pid_t pid);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_PROC_MEMORY_H_
