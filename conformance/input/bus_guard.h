// The SIGBUS guard: a mapped file that shrinks does not kill the program.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_BUS_GUARD_H_
#define GGUF_CONFORMANCE_INPUT_BUS_GUARD_H_

#include <cstddef>

namespace gguf {

// Files that may be guarded at a time: one for each job, or all shards of a
// model.
constexpr int kMostGuards = 16384;

// Reading a page of a mapping that its file no longer covers raises SIGBUS.
// While a mapping is guarded, such a page reads as zeros instead and a flag is
// set.  Returns a slot, or -1 when all are taken (then SIGBUS kills as usual).
// Safe to call from several threads.
int GuardMapping(const void* begin, size_t size);

// Whether a page of the mapping in `slot` was missing.
bool MappingFaulted(int slot);

// Ends the guard; before munmap.
void UnguardMapping(int slot);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_BUS_GUARD_H_
