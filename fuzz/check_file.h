// Checks of files with every kind of option, for the targets that validate.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_CHECK_FILE_H_
#define GGUF_FUZZ_CHECK_FILE_H_

#include <string>

#include "conformance/base/bytes.h"
#include "conformance/rules/file_report.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "fuzz/target.h"

namespace gguf {

// Returns one of the built-in profiles, half of the time with the rules of a
// policy and of digests as errors.
const Profile& AnyProfile(Choice* choice);

// Returns weights, statistics, a policy, rules that are off, or small limits;
// most of the time few of them.  The policy is that of `expected`.
CheckOptions AnyOptions(Choice* choice, Expected* expected);

// Returns a file name: of the convention, of another tool, hostile, or made of
// the last bytes of the file.
std::string AnyName(Bytes file, Choice* choice);

// Returns whether the reports have the same findings, totals and reasons.
bool Same(const FileReport& a, const FileReport& b);

// Requires that every finding lies inside a file of this size.
void RequireInside(const FileReport& report, uint64_t size);

// Checks a file, or only its header, with options that its last bytes choose.
// Requires that findings lie in the file, that a second run gives the same
// report, and that only a legacy format has no header.
FileReport CheckFile(Bytes file);

}  // namespace gguf

#endif  // GGUF_FUZZ_CHECK_FILE_H_
