// LintCase: requirements on a single case that need no validator.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_LINT_CASE_H_
#define GGUF_CORPUS_EXPORT_LINT_CASE_H_

#include <string>
#include <vector>

#include "corpus/export/collection.h"

namespace gguf::corpus {

// Returns complaints, each as "what is wrong; what to do".
std::vector<std::string> LintCase(const BuiltCase& built,
                                  const std::vector<Flag>& flags);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_LINT_CASE_H_
