// The same functions where there is no network: in the C library.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "conformance/input/http/url.h"
#include "conformance/input/urls.h"

namespace gguf {
namespace {

absl::Status NoNetwork() {
  return absl::UnimplementedError("is a URL, which the library does not read");
}

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> OpenUrl(const std::string&, const OpenOptions&) {
  return NoNetwork();
}

bool IsUrl(const std::string& path) { return IsHttpUrl(path) || absl::StartsWith(path, "hf://"); }

bool IsRepository(const std::string&) { return false; }

absl::StatusOr<std::vector<std::string>> ListRepository(const std::string&, const OpenOptions&) {
  return NoNetwork();
}

std::string ShownPath(const std::string& path) { return path; }

}  // namespace gguf
