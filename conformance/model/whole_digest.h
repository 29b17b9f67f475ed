// The SHA-256 of a whole file: WholeDigest computes it while others read the weights, and
// Sha256List has the expected ones.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_WHOLE_DIGEST_H_
#define GGUF_CONFORMANCE_MODEL_WHOLE_DIGEST_H_

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"

namespace gguf {

// WholeDigest: the SHA-256 of a whole file, computed by a thread of its own
// while others read the weights.

// A SHA-256 cannot be divided among threads, so it is what takes longest.  The
// thread begins with the object, and reads each byte once, in the order of the
// file, as the scan of the weights does: both find the same bytes in memory.
class WholeDigest {
 public:
  using Progress = std::function<void(uint64_t done, uint64_t total)>;

  // Begins.  `progress` receives the number of bytes read, and of all bytes;
  // `stop` ends the work when it returns true.  Both may be empty.
  WholeDigest(Bytes bytes, Progress progress, std::function<bool()> stop);
  ~WholeDigest();
  WholeDigest(const WholeDigest&) = delete;
  WholeDigest& operator=(const WholeDigest&) = delete;

  // Waits for the end.  Returns 64 hex digits, or nothing if it was stopped.
  std::optional<std::string> Finish();

 private:
  void Run();

  const Bytes bytes_;
  const Progress progress_;
  const std::function<bool()> stop_;
  std::atomic<bool> is_cancelled_{false};
  std::optional<std::string> digest_;
  std::exception_ptr error_;
  std::thread thread_;
};

// Sha256List: the SHA-256 that files are expected to have, from what publishers
// of files state.

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

#endif  // GGUF_CONFORMANCE_MODEL_WHOLE_DIGEST_H_
