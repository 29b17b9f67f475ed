// Interruptions by the user: the first one ends the work early.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_INTERRUPTS_H_
#define GGUF_CLI_INTERRUPTS_H_

namespace gguf {

// Installs handlers: the first SIGINT or SIGTERM makes Interrupted() true, the
// next one ends the program.
void CatchInterrupts();

bool Interrupted();

}  // namespace gguf

#endif  // GGUF_CLI_INTERRUPTS_H_
