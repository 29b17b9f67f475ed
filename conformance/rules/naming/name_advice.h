// Advice on a file name that does not follow the naming convention.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_NAME_ADVICE_H_
#define GGUF_CONFORMANCE_RULES_NAMING_NAME_ADVICE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"

namespace gguf {

// Returns what the name lacks, or what it should not have: "has no size label
// and no version".  Contains no text of the name beyond one printable
// character.
std::string WhyNotByConvention(absl::string_view name);

// Returns a name that follows the convention, made of the file's keys and
// tensors; empty if they do not suffice.
std::string ProposeFileName(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_NAME_ADVICE_H_
