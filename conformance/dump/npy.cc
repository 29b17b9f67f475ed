// Writes a Python dictionary, padded to align the data.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/dump/npy.h"

#include "absl/strings/str_cat.h"

namespace gguf {

std::string NpyHeader(absl::string_view dtype,
                      const std::vector<uint64_t>& shape) {
  constexpr size_t kAlignment = 64;
  constexpr size_t kPreamble = 10;  // Magic, version, length of the rest.
  std::string dims;
  for (const uint64_t dim : shape) absl::StrAppend(&dims, dim, ", ");
  std::string text =
      absl::StrCat("{'descr': '", dtype,
                   "', 'fortran_order': False, 'shape': (", dims, "), }");
  const size_t size = kPreamble + text.size() + 1;
  text.append((kAlignment - size % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace gguf
