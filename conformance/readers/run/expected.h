// Computes the expected answer for a file, and the expected verdict for a case.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_
#define GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_

#include <string>

#include "conformance/readers/protocol/protocol.h"
#include "corpus/language/case.h"
#include "parser/core/bytes.h"

namespace gguf::readers {

// Returns the contents of the file, limited to the capabilities of `caps`, and
// kAccept; or kReject if the parser stops.  Lines longer than kMaxLine are
// omitted, as in the protocol.  Tensors whose type has a kernel have weights.
Answer ReadAnswer(Bytes file, const Caps& caps);

enum class Should { kAccept, kReject, kEither, kNotTested };

struct ExpectedVerdict {
  Should should = Should::kEither;
  std::string why;  // For kNotTested: the capability or quirk.
};

// Returns the expected verdict of a case for these capabilities.
ExpectedVerdict VerdictFor(const corpus::Case& a_case, const Caps& caps);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_
