// ReaderVerdict: the prediction of what a reader will do with a file.
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

  // The findings that cause the effect: the first ones, at most two.
  std::vector<Diagnostic> because;
  // The cause in words if it is not a finding: a limit of the reader, or
  // missing information.  Contains no text from the file; may be empty.
  std::string why;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_READER_VERDICT_H_
