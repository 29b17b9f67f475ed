// The identifiers of the SPDX licence list: rows of spdx_ids.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_SPDX_IDS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_SPDX_IDS_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace gguf {

// In lower case and in order.
extern const absl::string_view kSpdxLicenses[];
extern const size_t kSpdxLicensesCount;
extern const absl::string_view kSpdxExceptions[];
extern const size_t kSpdxExceptionsCount;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_SPDX_IDS_H_
