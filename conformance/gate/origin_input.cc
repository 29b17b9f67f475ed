// Opens a base, or reads the files of a folder.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/origin_input.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/compare/read_source.h"
#include "conformance/input/open.h"
#include "parser/core/quote.h"

namespace gguf {

absl::StatusOr<std::unique_ptr<OriginInput>> OriginInput::OpenBase(
    const std::string& path, const Limits& limits) {
  if (IsUrl(path)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the base ", Quote(ShownPath(path)),
                     ": weights are not read from URLs; use a copy on disk"));
  }
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the base ", Quote(path),
        ": is a directory; name a file in it, or use --source if it is a "
        "Hugging Face folder"));
  }
  auto base = BaseInput::Open(path, limits, false, BaseInput::kComparisons);
  if (!base.ok()) return base.status();
  std::unique_ptr<OriginInput> input(new OriginInput);
  input->base_ = *std::move(base);
  input->origin_.emplace(input->base_->whole());
  input->paths_ = input->base_->paths();
  return input;
}

absl::StatusOr<std::unique_ptr<OriginInput>> OriginInput::OpenSource(
    const std::string& folder, const Limits& limits) {
  const auto failed = [&](absl::string_view why) {
    return absl::FailedPreconditionError(
        absl::StrCat("--source ", Quote(folder), ": ", why));
  };
  struct stat status;
  if (stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return failed("no such folder");
    return failed(absl::ErrnoToStatus(errno, "cannot open").message());
  }
  if (!S_ISDIR(status.st_mode)) return failed("is not a folder");
  std::unique_ptr<OriginInput> input(new OriginInput);
  const auto read = [&](const std::string& name,
                        uint64_t most) -> absl::StatusOr<std::string> {
    const std::string path = absl::StrCat(folder, "/", name);
    const auto file = Input::Open(path, limits.stream_bytes, Streams::kAny);
    if (absl::IsNotFound(file.status())) return file.status();
    if (!file.ok()) {
      return absl::Status(
          file.status().code(),
          absl::StrCat(Quote(path), ": ", file.status().message()));
    }
    input->paths_.push_back(path);
    const Bytes bytes = file->bytes();
    std::string text(
        AsText(bytes.subspan(0, std::min<uint64_t>(most, bytes.size()))));
    const std::string changed = file->WhyChanged();
    if (!changed.empty()) return absl::AbortedError(changed);
    return text;
  };
  auto source = ReadSource(read);
  if (!source.ok()) {
    return failed(source.status().message());
  }
  input->origin_.emplace(*std::move(source));
  return input;
}

}  // namespace gguf
