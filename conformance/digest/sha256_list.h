// Sha256List: the SHA-256 that files are expected to have, from what publishers
// of files state.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_DIGEST_SHA256_LIST_H_
#define GGUF_CONFORMANCE_DIGEST_SHA256_LIST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf {

struct ExpectedSha256 {
  std::string sha256;            // 64 lower-case hex digits.
  std::optional<uint64_t> size;  // If it was stated.
};

class Sha256List {
 public:
  // Returns the list of a digest alone, which is that of every file: 64 hex
  // digits, or after "sha256:" or "sha256-".  Nothing for any other text.
  static std::optional<Sha256List> OfDigest(absl::string_view text);

  // Returns the list in which each file has the digest in its name, as the
  // blobs of ollama have: "sha256-" and 64 hex digits.
  static Sha256List OfNames();

  // Parses a Git LFS pointer, whose digest is that of every file, or the output
  // of sha256sum, with or without --tag.  InvalidArgument describes what was
  // expected.
  static absl::StatusOr<Sha256List> Parse(absl::string_view text);

  // Returns what is expected of the file at this path: the entry of the path,
  // or of the only path with the same base name; otherwise nothing.
  std::optional<ExpectedSha256> Find(absl::string_view path) const;

 private:
  bool of_names_ = false;
  std::optional<ExpectedSha256> all_;  // That of every file.
  std::map<std::string, std::string, std::less<>> by_path_;
  // Empty if several paths have the base name.
  std::map<std::string, std::string, std::less<>> by_base_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DIGEST_SHA256_LIST_H_
