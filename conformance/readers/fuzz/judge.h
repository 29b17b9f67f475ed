// What is wrong about what a reader did with a mutant.
//
// Unlike a case of the corpus, a mutant comes without an expectation: the
// validator says whether it is valid, and the case language what it contains.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_FUZZ_JUDGE_H_
#define GGUF_CONFORMANCE_READERS_FUZZ_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {

// What the validator says about a file.
struct Opinion {
  std::vector<std::string> found;        // The rules of all findings.
  std::vector<std::string> errors;       // Those that are an error in a profile.
  std::vector<std::string> rejected_by;  // The profiles in which one is.
  std::string first;                     // The first of the container, or "".
  std::string must;                      // A rule for which every reader rejects the file, or "".
  bool plain = false;                    // Every reader of containers accepts it.
};

Opinion OpinionOf(absl::string_view file);

// Rules whose violation no reader accepts, whatever it does with the file.
absl::Span<const absl::string_view> MustRules();

// One thing that a reader does wrong.  Failures with the same key are a group.
struct Signature {
  std::string kind;  // An outcome, or "false-accept", "false-reject", "wrong-values".
  std::string message;
  std::vector<std::string> frames;
  std::string key;
};

// A reading of a file, and that of another reader, which then is the judge of
// what is not a crash.
struct Reading {
  const Observation* seen = nullptr;
  Caps caps;
  const Observation* other = nullptr;
  Caps other_caps;
};

// Returns nothing if nothing is wrong.
std::optional<Signature> SignatureOf(const Reading& reading, absl::string_view file,
                                     const Opinion& opinion);

// Returns what is new about a mutant that nothing like it showed before: pairs
// of a rule of ours and what the reader did, with its message.
std::vector<uint64_t> FeaturesOf(const Observation& seen, const Opinion& opinion);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_FUZZ_JUDGE_H_
