// The header of a .npy file, NumPy's format for one array.
//
// Source: the NumPy enhancement proposal 1, version 1.0 of the format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_DUMP_NPY_H_
#define GGUF_CONFORMANCE_DUMP_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// Returns the bytes before the data of an array in C order.  `dtype` is a type
// string such as "<f4"; `shape` is in NumPy's order, the fastest dimension
// last.
std::string NpyHeader(absl::string_view dtype,
                      const std::vector<uint64_t>& shape);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DUMP_NPY_H_
