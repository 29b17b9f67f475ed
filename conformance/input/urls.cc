// The functions of open.h and urls.h that read URLs.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/urls.h"

#include <chrono>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/input/http/hub.h"
#include "conformance/input/http/url.h"

namespace gguf {

absl::Status HttpSource::Get(RangeResponse* response) {
  const std::string range = absl::StrCat("bytes=", response->begin(), "-", response->end() - 1);
  const auto code = client_.Get(url_, range, response);
  return code.ok() ? response->Judge(*code) : code.status();
}

namespace {

HttpOptions HttpOptionsOf(const OpenOptions& options) {
  HttpOptions http;
  http.access = options.header.http;
  http.stop = options.interrupted;
  if (options.limits.seconds > 0) {
    http.request_timeout = std::chrono::milliseconds(std::llround(options.limits.seconds * 1000));
  }
  return http;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> OpenUrl(const std::string& path,
                                                    const OpenOptions& options) {
  HttpOptions http = HttpOptionsOf(options);
  auto url = ParseUrl(path);
  if (IsHubPath(path)) {
    const auto hub = Hub::FromEnvironment();
    const auto file = ParseHubPath(path);
    if (!hub.ok()) return hub.status();
    if (!file.ok()) return file.status();
    url = hub->FileUrl(*file);
    http.access = hub->AccessWith(http.access);
  }
  if (!url.ok()) return url.status();
  return std::make_unique<HttpSource>(*url, http);
}

bool IsUrl(const std::string& path) { return IsHttpUrl(path) || IsHubPath(path); }

bool IsRepository(const std::string& path) {
  const auto parsed = ParseHubPath(path);
  return IsHubPath(path) && parsed.ok() && parsed->file.empty();
}

absl::StatusOr<std::vector<std::string>> ListRepository(const std::string& path,
                                                        const OpenOptions& options) {
  const auto hub = Hub::FromEnvironment();
  const auto repository = ParseHubPath(path);
  if (!hub.ok()) return hub.status();
  if (!repository.ok()) return repository.status();
  return hub->ListFiles(*repository, HttpOptionsOf(options));
}

std::string ShownPath(const std::string& path) { return IsHttpUrl(path) ? ShownUrl(path) : path; }

}  // namespace gguf
