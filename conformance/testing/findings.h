// Findings: what a profile says of a file, one line a finding, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_FINDINGS_H_
#define GGUF_CONFORMANCE_TESTING_FINDINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/engine/validate.h"
#include "parser/core/limits.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

// "error tensor-offset-aligned tensor[w].offset", in the order of the report.
// Leaves out the rules about models (Scope::kModel).
// Fails the test when the file takes a second of processor time or a range lies
// outside of it; "incomplete" is the first line of a check that did not finish.
std::vector<std::string> Findings(absl::string_view bytes,
                                  absl::string_view profile = "upload",
                                  const Limits& limits = {});

// The same of the rules about models.
std::vector<std::string> ModelFindings(absl::string_view bytes,
                                       absl::string_view profile = "upload");

// The same, but for findings that keys are missing.
std::vector<std::string> HparamFindings(const GgufBuilder& file,
                                        absl::string_view profile = "upload");

// The findings of the rules in `section`, as "error key-known kv[x].key" or,
// with `messages`, as "kv[x].key is no ...", in the order of the report.
struct FindingsOf {
  std::vector<std::string> section;  // Rule ids.

  std::vector<std::string> In(const GgufBuilder& file,
                              absl::string_view profile = "upload",
                              absl::string_view name = "") const;
  std::vector<std::string> MessagesIn(const GgufBuilder& file,
                                      absl::string_view profile = "upload",
                                      absl::string_view name = "") const;
  // "rule: why" of those that could not be judged.
  std::vector<std::string> NotCheckedIn(const GgufBuilder& file,
                                        absl::string_view profile = "upload",
                                        absl::string_view name = "") const;
};

// A file with nothing but an architecture.
GgufBuilder FileOf(absl::string_view architecture);

// Removes what the rules about models found or did not check.
void LeaveOutModels(FileReport* report);

// A file of a known architecture with nothing to find in it: the start of most
// one-fault files.
GgufBuilder PlainFile(uint32_t version = 3, bool big_endian = false);

// PlainFile with one F32 tensor, "w", of 32 elements.
GgufBuilder FileWithTensor();

// One test file of a class of faults, and what `upload` says of it.
struct FaultCase {
  std::string title;
  std::string bytes;
  std::vector<std::string> expected;
};

void ExpectFindings(const std::vector<FaultCase>& cases);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_FINDINGS_H_
