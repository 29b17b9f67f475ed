// What the corpus expects of a reader, and how what it did compares.
//
// The expected results are derived from the cases alone, never from our own
// reader.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_
#define GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/run_log.h"
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
absl::StatusOr<Answer> ExpectedAnswer(const corpus::Document& document, const Caps& caps);

enum class Should { kAccept, kReject, kEither, kNotTested };

struct ExpectedVerdict {
  Should should = Should::kEither;
  std::string why;  // For kNotTested: the capability or quirk.
};

// Returns the expected verdict of a case for these capabilities.
ExpectedVerdict VerdictFor(const corpus::Case& a_case, const Caps& caps);

struct LevelResult {
  int level = 0;  // 2 metadata, 3 tensor table, 4 bytes, 5 weights
  LevelState state = LevelState::kNotTested;
  Difference difference;  // For kFail: the first one.
};

// Returns the levels L2 to L5, in order.  Both answers accept the file.  A
// level without the capability is not tested, nor is L5 if the answer has no
// weights.
std::vector<LevelResult> Compare(const Answer& expected, const Answer& observed, const Caps& caps);

// Returns the record of a case, without the members that only a case has which
// did not pass.  The contents are compared if the reader correctly accepts the
// file and reports contents, and if the case states them.  Error: the case
// cannot be assembled.
absl::StatusOr<CaseRecord> Judge(const corpus::Case& a_case, const Caps& caps,
                                 const Observation& seen);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_
