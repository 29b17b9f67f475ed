// Which programs will take a file, foretold from what was found in it.
//
// What they do is known from running them, or from their sources (readers.tsv,
// reader_effects.tsv); nothing is run here.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_READERS_H_
#define GGUF_CONFORMANCE_RULES_READERS_H_

#include <string>
#include <vector>

#include "conformance/rules/tables/reader_effects.h"
#include "conformance/rules/tables/readers.h"
#include "conformance/rules/validate.h"
#include "parser/diagnostic.h"

namespace gguf {

struct ReaderVerdict {
  const Reader* reader = nullptr;
  ReaderEffect::Effect effect = ReaderEffect::kAccepts;

  // What it is because of: the first findings, at most two.  They live as long
  // as the report.
  std::vector<const Diagnostic*> because;
  // The same in words, when it is no finding: a limit of the reader's own, or
  // what is not known.  Text of our own; empty when there is nothing to say.
  std::string why;
};

// What each reader will do with the file, in the order of readers.tsv.  The
// report is one of a check with ValidateOptions::off_rules.
std::vector<ReaderVerdict> JudgeReaders(const FileReport& file);

// "accepts", "degrades", "unknown", "rejects" or "crashes".
const char* EffectName(ReaderEffect::Effect effect);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_READERS_H_
