// A fixed table of mappings that a signal handler may read.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/bus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace gguf {
namespace {

// Only lock-free atomics: the handler reads them.
struct Slot {
  std::atomic<uintptr_t> begin{0};  // 0: free.
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> faulted{false};
};

Slot slots[kMostGuards];
uintptr_t page_size = 4096;

// Returns whether `address` is in the mapping of a slot.  Another thread may
// free or take the slot at the same time: the begin of one mapping is never
// combined with the end of another.
bool Covers(const Slot& slot, uintptr_t address) {
  const uintptr_t begin = slot.begin;
  const uintptr_t end = slot.end;
  return begin != 0 && begin == slot.begin && begin <= address && address < end;
}

void OnBusError(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (Slot& slot : slots) {
    if (!Covers(slot, address)) continue;
    void* page = reinterpret_cast<void*>(address / page_size * page_size);
    if (mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) ==
        MAP_FAILED) {
      break;
    }
    slot.faulted = true;
    return;
  }
  ::signal(signal, SIG_DFL);  // Not a guarded mapping: crash on return.
}

void InstallHandler() {
  page_size = sysconf(_SC_PAGESIZE);
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

int GuardMapping(const void* begin, size_t size) {
  static std::once_flag once;
  std::call_once(once, InstallHandler);
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  for (int i = 0; i < kMostGuards; ++i) {
    if (slots[i].begin != 0) continue;
    const auto address = reinterpret_cast<uintptr_t>(begin);
    slots[i].faulted = false;
    slots[i].end = address + (size + page_size - 1) / page_size * page_size;
    slots[i].begin = address;
    return i;
  }
  return -1;
}

bool MappingFaulted(int slot) { return slot >= 0 && slots[slot].faulted; }

void UnguardMapping(int slot) {
  if (slot < 0) return;
  slots[slot].end = 0;
  slots[slot].begin = 0;
}

}  // namespace gguf
