// The page that `check --format html` writes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_PAGE_PAGE_H_
#define GGUF_CONFORMANCE_REPORT_PAGE_PAGE_H_

#include "conformance/base/page_source.h"

namespace gguf {

extern const PageSource kCheckPage;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_PAGE_PAGE_H_
