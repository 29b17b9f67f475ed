// The status of a file, to detect that it changed.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_FILE_STATUS_H_
#define GGUF_CONFORMANCE_INPUT_FILE_STATUS_H_

#include <sys/stat.h>

#include <optional>
#include <string>

namespace gguf {

// Returns whether the two are of the same file in the same state.
bool Same(const struct stat& a, const struct stat& b);

// Waits until the current file-time tick ends, if the file was changed in it:
// file times advance in ticks of some milliseconds, and another change in the
// same tick would not be visible.
void AwaitNextStep(const timespec& changed);

// Returns the current status of a path, or of standard input.
std::optional<struct stat> StatusOf(const std::string& path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_FILE_STATUS_H_
