// The manifest of digests: what `ggufcheck digest` writes and `check --digest`
// reads (schema: conformance/report/schemas/digest.schema.json).
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
  std::string path;  // As it was given.
  FileDigest digest;
};

class DigestManifest {
 public:
  explicit DigestManifest(std::vector<DigestEntry> files);

  // In the order of the manifest.
  const std::vector<DigestEntry>& files() const { return files_; }

  // The entry of this path; or else, when there is only one, that of the same
  // base name.  Null when there is none.
  const FileDigest* Find(absl::string_view path) const;

 private:
  using Index = std::map<std::string, size_t, std::less<>>;
  static constexpr size_t kSeveral = ~size_t{0};

  std::vector<DigestEntry> files_;
  Index by_path_;  // The first of each path.
  Index by_base_;  // Or kSeveral.
};

// As JSON, a tensor a line; the same files give the same bytes.
std::string WriteDigests(const std::vector<DigestEntry>& files);

// InvalidArgument says what the text should be.
absl::StatusOr<DigestManifest> ReadDigests(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DIGEST_DIGEST_MANIFEST_H_
