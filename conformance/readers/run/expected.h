// Computes the expected answer for a file, and the expected verdict for a case.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_
#define GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_

#include <string>

#include "absl/status/statusor.h"
#include "conformance/readers/protocol/protocol.h"
#include "corpus/language/case.h"
#include "corpus/language/document.h"

namespace gguf::readers {

// Returns what a reader with these capabilities should report about the file of
// a document: the keys, tensors and bytes that the document states, and the
// weights by the corpus's definition of the tensor types.  Lines longer than
// kMaxLine are omitted, as in the protocol, as are the weights of big-endian
// files.  The verdict is kAccept.
//
// FailedPrecondition: the document does not state what a reader should find.
absl::StatusOr<Answer> ExpectedAnswer(const corpus::Document& document,
                                      const Caps& caps);

enum class Should { kAccept, kReject, kEither, kNotTested };

struct ExpectedVerdict {
  Should should = Should::kEither;
  std::string why;  // For kNotTested: the capability or quirk.
};

// Returns the expected verdict of a case for these capabilities.
ExpectedVerdict VerdictFor(const corpus::Case& a_case, const Caps& caps);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_EXPECTED_H_
