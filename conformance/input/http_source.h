// HttpSource: reads a file on a web server from its beginning.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_

#include <utility>

#include "absl/status/status.h"
#include "conformance/input/http/client.h"
#include "conformance/input/http/url.h"
#include "conformance/input/range_source.h"

namespace gguf {

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

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_
