// The part of Input that reads URLs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_URLS_H_
#define GGUF_CONFORMANCE_INPUT_URLS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "conformance/input/open.h"
#include "conformance/input/read_header.h"

namespace gguf {

// Opens a path for which IsUrl() returns true.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenUrl(const std::string& path,
                                                    const OpenOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_URLS_H_
