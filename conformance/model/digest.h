// Digests of the parts of a file, and the manifest that `ggufcheck digest` writes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_DIGEST_H_
#define GGUF_CONFORMANCE_MODEL_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "parser/file.h"

namespace gguf {

// Digests of a file: SHA-256 of each tensor's data, and of all other bytes.

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

// The manifest of digests, written by `ggufcheck digest` and read by
// `check --digest` (schema ggufcheck/digest/1).

struct DigestEntry {
  std::string path;  // As given.
  FileDigest digest;
};

class DigestManifest {
 public:
  explicit DigestManifest(std::vector<DigestEntry> files);

  // In the order of the manifest.
  const std::vector<DigestEntry>& files() const { return files_; }

  // Returns the entry of this path; otherwise the only entry with the same base
  // name.  Null when there is none.
  const FileDigest* Find(absl::string_view path) const;

 private:
  using Index = std::map<std::string, size_t, std::less<>>;
  static constexpr size_t kSeveral = ~size_t{0};

  std::vector<DigestEntry> files_;
  Index by_path_;  // The first of each path.
  Index by_base_;  // Or kSeveral.
};

// Returns the manifest as JSON, one tensor per line; equal files give equal
// bytes.
std::string WriteDigests(const std::vector<DigestEntry>& files);

// Parses a manifest.  InvalidArgument describes what was expected.
absl::StatusOr<DigestManifest> ReadDigests(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_DIGEST_H_
