// PageSource: the sources of an HTML page, embedded in the program
// (third_party/page.bzl).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_PAGE_SOURCE_H_
#define GGUF_CONFORMANCE_BASE_PAGE_SOURCE_H_

#include <string>

namespace gguf {

struct PageSource {
  const char* html;  // With placeholders {{name}}.
  const char* style;
  const char* script;
  // For the Content-Security-Policy: "sha256-" and base64.
  const char* style_hash;
  const char* script_hash;
};

// Returns the HTML with {{style}}, {{script}}, {{style-hash}} and
// {{script-hash}} replaced.
std::string WithStyleAndScript(const PageSource& page);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_PAGE_SOURCE_H_
