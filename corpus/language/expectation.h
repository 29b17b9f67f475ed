// The parts of a case's text, and the lines of its expectation.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_EXPECTATION_H_
#define GGUF_CORPUS_LANGUAGE_EXPECTATION_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "corpus/language/case.h"

namespace gguf::corpus {

// A case's three parts, and the line number where the second begins.
struct CaseParts {
  absl::string_view statements;
  absl::string_view expect;
  absl::string_view dump;
  bool has_expect = false;
  int expect_line = 1;
};

CaseParts SplitCase(absl::string_view text);

// Errors name line and column.
absl::Status ReadExpectations(const CaseParts& parts,
                              std::vector<Expectation>* expectations);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_EXPECTATION_H_
