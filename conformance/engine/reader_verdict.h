// ReaderVerdict: what a program that reads GGUF will do with a file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_READER_VERDICT_H_
#define GGUF_CONFORMANCE_ENGINE_READER_VERDICT_H_

#include <string>
#include <vector>

#include "conformance/tables/reader_effects.h"
#include "conformance/tables/readers.h"
#include "parser/core/diagnostic.h"

namespace gguf {

struct ReaderVerdict {
  const Reader* reader = nullptr;
  ReaderEffect effect = ReaderEffect::kAccepts;

  // What it is because of: the first findings, at most two.
  std::vector<Diagnostic> because;
  // The same in words, when it is no finding: a limit of the reader's own, or
  // what is not known.  Text of our own; empty when there is nothing to say.
  std::string why;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_READER_VERDICT_H_
