// The manifest of digests, written by `ggufcheck digest` and read by
// `check --digest` (schema ggufcheck/digest/1).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_DIGEST_DIGEST_MANIFEST_H_
#define GGUF_CONFORMANCE_DIGEST_DIGEST_MANIFEST_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/digest/digest.h"

namespace gguf {

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

#endif  // GGUF_CONFORMANCE_DIGEST_DIGEST_MANIFEST_H_
