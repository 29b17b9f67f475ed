// Checking files from the disk, with several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_CHECK_FILES_H_
#define GGUF_CLI_CHECK_FILES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "cli/shard_files.h"
#include "conformance/input/open.h"
#include "conformance/integrity/digest_manifest.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"

namespace gguf {

// How files are found and opened, beyond what they are validated by.
struct FileFlags {
  HeaderOptions header;
  const DigestManifest* digests = nullptr;  // Of --digest; null for none.
};

// Hands over a report for each file of the groups, in their order and one at a
// time; each is forgotten then.  A file that cannot be opened has one, too.
// Ends early when `take` returns false, or by an interruption (interrupts.h).
// Returns the number of files that were handed over.
//
// `options.jobs` are the threads in all; sets `options.interrupted`,
// `options.progress`, `options.header_only` and `options.digest_of` itself.
uint64_t CheckFiles(const std::vector<FileGroup>& groups,
                    const Profile& profile, ValidateOptions options,
                    const FileFlags& flags,
                    const std::function<bool(FileReport report)>& take);

}  // namespace gguf

#endif  // GGUF_CLI_CHECK_FILES_H_
