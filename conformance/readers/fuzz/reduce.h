// Reduces a file, in the terms of GGUF.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_FUZZ_REDUCE_H_
#define GGUF_CONFORMANCE_READERS_FUZZ_REDUCE_H_

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"

namespace gguf::readers {

// Returns a smaller file for which `same` holds, as it does for `file`: drops
// keys and tensors, shortens texts and arrays, cuts, and repairs counts and
// layout, with the operators of the mutator; then removes bytes.  Of two files
// of a size, the better is that with fewer `faults`.  Ends early when `same`
// was asked `most_tries` times, or once `stop` holds.
std::string Reduce(std::string file, size_t most_tries,
                   absl::FunctionRef<size_t(const std::string&)> faults,
                   absl::FunctionRef<bool(const std::string&)> same,
                   absl::FunctionRef<bool()> stop);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_FUZZ_REDUCE_H_
