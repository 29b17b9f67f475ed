// Checking files from the disk, with several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_CHECK_FILES_H_
#define GGUF_CLI_CHECK_FILES_H_

#include <vector>

#include "cli/shard_files.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"

namespace gguf {

// From now on the first SIGINT or SIGTERM ends CheckFiles early, with what was
// found until then; the next one ends the program.
void CatchInterrupts();

// A report for each file of the groups, in their order.  A file that cannot be
// opened has one, too.  `options.jobs` are the threads in all; sets
// `options.interrupted` and `options.progress` itself.
std::vector<FileReport> CheckFiles(const std::vector<FileGroup>& groups,
                                   const Profile& profile,
                                   ValidateOptions options);

}  // namespace gguf

#endif  // GGUF_CLI_CHECK_FILES_H_
