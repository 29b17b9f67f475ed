// Finds symptoms and rules by the words of somebody who has a problem.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_SEARCH_H_
#define GGUF_CONFORMANCE_RULES_SEARCH_H_

#include <string>
#include <vector>

#include "conformance/tables/symptoms.h"
#include "parser/rule.h"

namespace gguf {

struct SearchResult {
  std::vector<const Symptom*> symptoms;
  std::vector<const Rule*> rules;  // Those of the symptoms first.
};

// Returns at most `most` symptoms that have the words, the best first, and the rules that have them
// in their id, summary, reason or repair, or that are behind these symptoms.  The case of letters
// and a final s do not count, nor do words such as "the".
SearchResult Search(const std::vector<std::string>& words, size_t most = 3);

// Returns docs/troubleshooting.md.
std::string TroubleshootingText();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_SEARCH_H_
