// Tells what llama.cpp asks of a file: which keys it reads and of which type, which
// tensors it looks up, and at which operation on tensors it dies.
//
// trace.cc defines functions of ggml, which it forwards to the library; a program
// that exports them (-rdynamic) is asked before the library.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_EXTERNAL_LOADER_TRACE_H_
#define GGUF_CONFORMANCE_EXTERNAL_LOADER_TRACE_H_

// The library that has the functions; before any of them is called.
void ForwardTo(void* ggml_base);

// Writes lines to stderr from now on, or no longer:
//   trace: key NAME TYPE     TYPE is empty if the key's presence is asked for
//   trace: tensor NAME
//   trace: op NUMBER NAME OPERAND...            the last operation before an abort or a crash
//   trace: op NUMBER NAME OPERAND... repeats    for one that repeats an operand
// NUMBER counts the operations that are reported.  An operand is the name of a weight, or ~NAME for
// what was computed from it last, and its dimensions: v.patch_embd.weight[4,4,3,32]; the wanted
// dimensions follow for a reshape.
void SetTracing(bool on);

#endif  // GGUF_CONFORMANCE_EXTERNAL_LOADER_TRACE_H_
