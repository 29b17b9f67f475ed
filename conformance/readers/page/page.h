// The texts of the page, as they stand in the files beside this one.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_
#define GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_

namespace gguf::readers {

extern const char kPageHtml[];  // With {{name}} where something is filled in.
extern const char kPageCss[];
extern const char kPageJs[];

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_
