// The conditions of reader_effects.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_PREDICT_READER_CONDITION_H_
#define GGUF_CONFORMANCE_PREDICT_READER_CONDITION_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/tables/reader_effects.h"

namespace gguf {

// Arguments of a finding and facts about a file, by name; of two with the same
// name, the first counts.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// Whether the row's condition holds for these.  Never for a name that is not
// there.  Numbers are those that fit in 64 bits.
bool Holds(const ReaderEffectRow& row, const NamedTexts& texts);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_PREDICT_READER_CONDITION_H_
