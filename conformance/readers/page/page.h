// The page that `readers report --format html` writes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_
#define GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_

#include "conformance/base/page_source.h"

namespace gguf::readers {

extern const PageSource kReadersPage;

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PAGE_PAGE_H_
