// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http_source.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace gguf {

absl::Status HttpSource::Get(RangeResponse* response) {
  const std::string range = absl::StrCat("bytes=", response->begin(), "-", response->end() - 1);
  const auto code = client_.Get(url_, range, response);
  return code.ok() ? response->Judge(*code) : code.status();
}

}  // namespace gguf
