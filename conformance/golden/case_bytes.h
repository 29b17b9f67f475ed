// CaseBytes: the bytes of an assembled file of any size.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GOLDEN_CASE_BYTES_H_
#define GGUF_CONFORMANCE_GOLDEN_CASE_BYTES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "conformance/base/bytes.h"
#include "corpus/language/image.h"

namespace gguf {

// Holds a small file in memory, and maps a large one from a sparse, unlinked
// temporary file.
class CaseBytes {
 public:
  static absl::StatusOr<CaseBytes> Make(const corpus::Image& image);

  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  std::shared_ptr<const void> owner_;  // Of the bytes.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GOLDEN_CASE_BYTES_H_
