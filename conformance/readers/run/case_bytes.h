// CaseBytes: an assembled file as bytes, however large.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_CASE_BYTES_H_
#define GGUF_CONFORMANCE_READERS_RUN_CASE_BYTES_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "corpus/language/image.h"
#include "parser/core/bytes.h"

namespace gguf {

// In memory when small, else a sparse temporary file that is mapped and has no
// name any more.
class CaseBytes {
 public:
  static absl::StatusOr<CaseBytes> Make(const corpus::Image& image);
  CaseBytes(CaseBytes&& other) noexcept;
  CaseBytes& operator=(CaseBytes&&) = delete;
  ~CaseBytes();

  Bytes bytes() const;

 private:
  CaseBytes() = default;

  std::string small_;
  void* mapped_ = nullptr;
  size_t size_ = 0;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_BYTES_H_
