// The part of Input that reads URLs, and HttpSource, which reads a file on a web server from its
// beginning.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_URLS_H_
#define GGUF_CONFORMANCE_INPUT_URLS_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/input/http/client.h"
#include "conformance/input/http/url.h"
#include "conformance/input/open.h"
#include "conformance/input/read_header.h"

namespace gguf {

// HttpSource: reads a file on a web server from its beginning.

// Errors of ReadTo(): those of RangeSource and of HttpClient.
class HttpSource : public RangeSource {
 public:
  HttpSource(Url url, HttpOptions options) : url_(std::move(url)), client_(std::move(options)) {}

 protected:
  absl::Status Get(RangeResponse* response) override;

 private:
  const Url url_;
  HttpClient client_;
};

// The part of Input that reads URLs.

// Opens a path for which IsUrl() returns true.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenUrl(const std::string& path,
                                                    const OpenOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_URLS_H_
