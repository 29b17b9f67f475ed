// The C library, which has no option for digests, contains no OpenSSL.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/digest.h"
#include "parser/core/assert.h"

namespace gguf {

std::optional<FileDigest> DigestFile(const File&, const std::vector<Range>&,
                                     const DigestOptions&) {
  Assert(false, "the C library has no digests");
  return std::nullopt;
}

}  // namespace gguf
