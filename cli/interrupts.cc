// SPDX-License-Identifier: Apache-2.0

#include "cli/interrupts.h"

#include <signal.h>

#include <atomic>

namespace gguf {
namespace {

std::atomic<bool> interrupted{false};

void OnInterrupt(int) { interrupted = true; }

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND;  // No SA_RESTART, to interrupt blocked reads.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupted() { return interrupted; }

}  // namespace gguf
