// The SIGBUS guard: keeps the program alive when a mapped file shrinks.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_BUS_GUARD_H_
#define GGUF_CONFORMANCE_INPUT_BUS_GUARD_H_

#include <cstddef>

namespace gguf {

// The most files guarded at a time: one per job, or all shards of a model.
constexpr int kMostGuards = 16384;

// Guards a mapping.  Reading a page that the file no longer covers raises
// SIGBUS; while the mapping is guarded, such a page reads as zeros instead and
// a flag is set.  Returns a slot, or -1 when all are in use (then SIGBUS kills
// as usual).  Thread-safe.
int GuardMapping(const void* begin, size_t size);

// Returns whether a page of the mapping in `slot` was missing.
bool MappingFaulted(int slot);

// Ends the guard.  Call this before munmap.
void UnguardMapping(int slot);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_BUS_GUARD_H_
