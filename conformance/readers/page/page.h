// The source files of the page in this folder, embedded.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_
#define GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_

namespace gguf::readers {

extern const char kPageHtml[];  // With placeholders {{name}}.
extern const char kPageCss[];
extern const char kPageJs[];

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_
