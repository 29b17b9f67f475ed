// Files on Hugging Face: hf://ORG/REPO/FILE and hf://ORG/REPO.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_HUB_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_HUB_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/input/http/client.h"
#include "conformance/input/http/url.h"

namespace gguf {

// "hf://ORG/REPO@REVISION/FILE"; the revision is "main" unless given.
struct HubPath {
  std::string repository;  // "ORG/REPO".
  std::string revision;    // A branch, a tag or a commit.
  std::string file;        // May have folders; empty for the repository.
};

// Returns whether an argument begins with hf://.
bool IsHubPath(absl::string_view text);

// Errors: InvalidArgument without an organisation or a repository.
absl::StatusOr<HubPath> ParseHubPath(absl::string_view text);

// The server: the variable HF_ENDPOINT, or https://huggingface.co.  A token in
// the variable HF_TOKEN is sent to this server only.  Tests give others.
struct Hub {
  static absl::StatusOr<Hub> FromEnvironment();

  // Returns the URL of a file.
  Url FileUrl(const HubPath& path) const;
  // Adds the token to the headers that the user gave.
  HttpAccess AccessWith(HttpAccess access) const;
  // Returns the GGUF files of a repository as hf:// paths, sorted; at least
  // one.
  //
  // Errors: those of HttpClient; NotFound without GGUF files or repository;
  // PermissionDenied; Unavailable for an answer that is not understood.
  absl::StatusOr<std::vector<std::string>> ListFiles(const HubPath& repository,
                                                     HttpOptions options) const;

  Url server;
  std::string token;  // Empty for none.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_HUB_H_
