// Evaluates the conditions of reader_effects.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_PREDICT_READER_CONDITION_H_
#define GGUF_CONFORMANCE_PREDICT_READER_CONDITION_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/tables/reader_effects.h"

namespace gguf {

// Arguments of a finding and facts about a file, by name.  If two have the same
// name, the first counts.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// Returns whether the row's condition holds for `texts`.  It does not hold if
// the name is missing.  Numbers of more than 64 bits are ignored.
bool Holds(const ReaderEffectRow& row, const NamedTexts& texts);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_PREDICT_READER_CONDITION_H_
