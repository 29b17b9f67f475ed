// Failure: what a program wrote to standard error about its own end.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_FAILURE_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_FAILURE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::readers {

// The most frames of a Failure.
inline constexpr size_t kMostFrames = 3;

struct Failure {
  // "heap-buffer-overflow", "IndexError", "panic"; empty if nothing is known.
  std::string what;
  std::string message;  // Any bytes.

  // The functions that were running, innermost first, without those of the
  // language's runtime: "read_string"; "toy.so+0x1234" if their names are not
  // known, "src/main.rs:10" if only the place is.  A function that calls itself
  // counts once.
  std::vector<std::string> frames;

  // The runtime of the language reports an exception that nobody caught.
  bool uncaught = false;
};

// Reads reports of sanitizers and of the runtimes of C, C++, Go, Java,
// JavaScript, Python and Rust.  Any text is accepted; the last report counts.
Failure FailureOf(absl::string_view text);

// Returns a message without what differs from file to file: numbers, text in
// quotes and bytes that are not printable.  At most 160 bytes.
std::string Normalized(absl::string_view message);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_FAILURE_H_
