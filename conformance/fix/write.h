// WriteFixed: writes planned files to disk, each complete or not at all.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_FIX_WRITE_H_
#define GGUF_CONFORMANCE_FIX_WRITE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/fix/draft.h"

namespace gguf {

// One file to be written.
struct FixedOutput {
  std::string input;                // The path of the original.
  std::string output;               // The same when written in place.
  const Spliced* result = nullptr;  // Null: the original is copied.
};

struct WriteOptions {
  // Looks at a written file before it gets its name; an error discards all.
  std::function<absl::Status(const std::string& path, size_t index)> check;
  // Says whether the original is still what was planned for; empty if it is.
  std::function<std::string(size_t index)> why_changed;
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<bool()> interrupted;
};

// Returns why a file is not changed in place: a link, one of several names of it, or a file that a
// store names by its hash.
absl::Status CheckMayReplace(const std::string& path);

// Writes all files, or none.  A change within one aligned page of 4 KiB of a file in place is one
// write; everything else is a temporary file beside the output, which is synchronized and renamed.
// What a killed run left there is removed first.  The data of each tensor is compared, by digest,
// with that of the original while it is copied.
//
// Errors: Aborted if an input changes; Cancelled; Unavailable with the system's message; those of
// the options.
absl::Status WriteFixed(const std::vector<FixedOutput>& files, const WriteOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_FIX_WRITE_H_
