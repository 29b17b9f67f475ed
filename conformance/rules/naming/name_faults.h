// What a file name that does not follow the naming convention lacks, or has too
// much.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_NAME_FAULTS_H_
#define GGUF_CONFORMANCE_RULES_NAMING_NAME_FAULTS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Returns the faults of a name that ParseFileName() refuses: "has no size label
// such as 7B and an encoding with a dash (\"Q4-0\")".  Quotes text of the name.
std::string WhyNotByConvention(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_NAME_FAULTS_H_
