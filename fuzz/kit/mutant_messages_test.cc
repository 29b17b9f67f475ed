// Tests how the messages about mutants are written.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>

#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/message_style.h"
#include "fuzz/kit/mutator_inputs.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(MutantMessagesTest, AreSentences) {
  constexpr uint32_t kMutants = 2000;
  CheckOptions options;
  options.weights = true;
  uint32_t seed = 0;
  for (auto file = Corpus().begin(); seed < kMutants; ++seed) {
    const std::string mutant = Mutant(file->second, seed);
    const FileReport report = Validate(AsBytes(mutant), *Profile::Find("pedantic"), options);
    for (const Finding& finding : report.findings) {
      const Diagnostic& d = finding.diagnostic;
      EXPECT_EQ(StyleFault(d), "") << file->first << " by seed " << seed << ": " << d.rule->id
                                   << ": " << d.subject << " " << d.message;
    }
    if (++file == Corpus().end()) file = Corpus().begin();
  }
}

}  // namespace
}  // namespace gguf
