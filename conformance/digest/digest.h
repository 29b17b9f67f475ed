// Digests of a file: SHA-256 of each tensor's data, and of all other bytes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_DIGEST_DIGEST_H_
#define GGUF_CONFORMANCE_DIGEST_DIGEST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parser/core/bytes.h"
#include "parser/core/file.h"

namespace gguf {

// The digest of one tensor.  Digests are 64 lower-case hex digits.
struct TensorDigest {
  std::string name;  // Any bytes.
  uint64_t size = 0;
  std::string sha256;
};

struct FileDigest {
  uint64_t size = 0;
  // Covers all bytes outside tensor data, in file order: header, keys, tensor
  // table, padding, trailing bytes.
  std::string metadata;
  std::vector<TensorDigest> tensors;  // In the order of the table.
};

struct DigestOptions {
  unsigned jobs = 1;  // Threads; each tensor is read by one thread.
  // Called between pieces of work, by one thread at a time, with the number of
  // bytes read and the total.  May be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // Returning true ends the work.  May be empty.
  std::function<bool()> stop;
};

// Digests a file, reading each byte once.  Returns nothing when `stop` ended
// it.
//
// `data` has the bytes of each tensor, by index.  The ranges must be inside the
// file and must not overlap.
std::optional<FileDigest> DigestFile(const File& file, const std::vector<Range>& data,
                                     const DigestOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DIGEST_DIGEST_H_
