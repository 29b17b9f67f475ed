// Streams and addresses, read as far as their tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/check_header.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/byte_source.h"
#include "cli/header_input.h"
#include "cli/http_source.h"
#include "cli/input.h"

namespace gguf {
namespace {

HttpOptions HttpOptionsOf(const ValidateOptions& options, const Work& work,
                          const HeaderFlags& flags) {
  HttpOptions http;
  http.private_redirects = flags.private_redirects;
  http.stop = work.interrupted;
  if (options.limits.seconds > 0) {
    http.request_timeout =
        std::chrono::milliseconds(std::llround(options.limits.seconds * 1000));
  }
  return http;
}

absl::StatusOr<HeaderInput> Read(const std::string& path,
                                 const ValidateOptions& options,
                                 const Work& work, const HeaderFlags& flags) {
  if (IsHttpUrl(path)) {
    HttpSource source(path, HttpOptionsOf(options, work, flags));
    return HeaderInput::Read(&source, flags.size, options.limits);
  }
  const int fd =
      path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open");
  StreamSource source(fd);
  auto input = HeaderInput::Read(&source, flags.size, options.limits);
  if (fd != STDIN_FILENO) close(fd);
  return input;
}

}  // namespace

bool IsReadByHeader(const std::string& path, const HeaderFlags& flags) {
  std::error_code ignored;
  return IsHttpUrl(path) ||
         (flags.only &&
          (path == "-" || !std::filesystem::is_regular_file(path, ignored)));
}

FileReport CheckHeader(const std::string& path, const Profile& profile,
                       ValidateOptions options, const Work& work,
                       const HeaderFlags& flags) {
  if (options.weights || options.stats || options.digests) {
    return Unchecked(
        "only its beginning is read; --weights, --stats and --digest need all "
        "of it: check a copy on the disk",
        profile);
  }
  const auto input = Read(path, options, work, flags);
  if (!input.ok()) return Unchecked(input.status().message(), profile);
  options.header_only = true;
  options.limits.metadata_bytes =
      std::min(options.limits.metadata_bytes, input->present());
  const std::string name = IsHttpUrl(path) ? ShownUrl(path) : path;
  return Validate(input->bytes(), BaseName(name), profile, options, work);
}

}  // namespace gguf
