// Findings: the findings of a profile in a file, one line each, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_FINDINGS_H_
#define GGUF_CONFORMANCE_TESTING_FINDINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/limits.h"
#include "conformance/rules/validate.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

// Returns lines such as "error tensor-offset-aligned tensor[w].offset", in the
// order of the report, without rules about models (Scope::kModel).  The first
// line is "incomplete" if the check did not finish.  Fails the test if the file
// takes a second of CPU time or a range lies outside of it.
std::vector<std::string> Findings(absl::string_view bytes, absl::string_view profile = "upload",
                                  const Limits& limits = {});

// Returns the findings of the rules about models.
std::vector<std::string> ModelFindings(absl::string_view bytes,
                                       absl::string_view profile = "upload");

// Returns the same, without findings about missing keys, and about graphs, which need all keys.
std::vector<std::string> HparamFindings(const GgufBuilder& file,
                                        absl::string_view profile = "upload");

// Returns the findings of the rules in `section`, in the order of the report:
// In() as "error key-known kv[x].key", MessagesIn() with their messages.
struct FindingsOf {
  std::vector<std::string> section;  // Rule ids.

  std::vector<std::string> In(const GgufBuilder& file, absl::string_view profile = "upload",
                              absl::string_view name = "") const;
  std::vector<std::string> MessagesIn(const GgufBuilder& file, absl::string_view profile = "upload",
                                      absl::string_view name = "") const;
  // Returns "rule: why" for rules that could not be checked.
  std::vector<std::string> NotCheckedIn(const GgufBuilder& file,
                                        absl::string_view profile = "upload",
                                        absl::string_view name = "") const;
};

// Returns a file with only an architecture.
GgufBuilder FileOf(absl::string_view architecture);

// Removes the results of the rules about models.
void LeaveOutModels(FileReport* report);

// Returns a file of a known architecture without findings: the base of most
// one-fault files.
GgufBuilder PlainFile(uint32_t version = 3, bool big_endian = false);

// Returns a PlainFile with one F32 tensor, "w", of 32 elements.
GgufBuilder FileWithTensor();

// A test file with a fault, and the findings of `upload`.
struct FaultCase {
  std::string title;
  std::string bytes;
  std::vector<std::string> expected;
};

void ExpectFindings(const std::vector<FaultCase>& cases);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_FINDINGS_H_
