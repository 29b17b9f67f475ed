// Digests of a file: SHA-256 of each tensor's data, and of all other bytes.
//
// Source of the algorithm: FIPS 180-4, as OpenSSL implements it.
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

// Of one tensor.  Digests are 64 lower-case hex digits.
struct TensorDigest {
  std::string name;  // Any bytes.
  uint64_t size = 0;
  std::string sha256;
};

struct FileDigest {
  uint64_t size = 0;
  // Of all bytes that are no tensor's data, in the order of the file: header,
  // keys, tensor table, padding, what trails.
  std::string metadata;
  std::vector<TensorDigest> tensors;  // In the order of the table.
};

struct DigestOptions {
  unsigned jobs = 1;  // Threads; a tensor is one thread's.
  // Called between pieces of work, by one thread at a time, with the bytes that
  // were read and those there are.  May be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // Ends the work when it says true.  May be empty.
  std::function<bool()> stop;
};

// Nothing when `stop` ended it.  Reads each byte of the file once.
//
// `data` has the bytes of each tensor, by index: inside the file, and no byte
// is in two of them.  Nothing else may have a digest.
std::optional<FileDigest> DigestFile(const File& file,
                                     const std::vector<Range>& data,
                                     const DigestOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DIGEST_DIGEST_H_
