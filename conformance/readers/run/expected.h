// What a testee should say of a file, and of a case.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_
#define GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_

#include <string>

#include "conformance/readers/protocol/protocol.h"
#include "corpus/language/case.h"
#include "parser/core/bytes.h"

namespace gguf::readers {

// Everything that the file says, as far as `caps` asks for it, and kAccept; or
// kReject when the parser stops.  Lines longer than kMaxLine are left out, as
// they are by testees.  Weights are there for tensors whose type has a kernel.
Answer ReadAnswer(Bytes file, const Caps& caps);

enum class Should { kAccept, kReject, kEither, kNotTested };

struct ExpectedVerdict {
  Should should = Should::kEither;
  std::string why;  // Of kNotTested: which capability or quirk, for people.
};

// The verdict of a case for a testee with these capabilities.
ExpectedVerdict VerdictFor(const corpus::Case& a_case, const Caps& caps);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_
