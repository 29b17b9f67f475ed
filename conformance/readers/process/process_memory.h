// How much memory a process takes, by /proc.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_MEMORY_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_MEMORY_H_

#include <sys/types.h>

#include <cstdint>

namespace gguf::readers {

// Resident bytes of a process and its descendants, without pages of files.  0
// when /proc says nothing.
uint64_t TreeMemory(pid_t pid);

// The most that was resident of a process, pages of files included, since
// ResetPeakMemory() or its start.
uint64_t PeakMemoryKib(pid_t pid);
void ResetPeakMemory(pid_t pid);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_MEMORY_H_
