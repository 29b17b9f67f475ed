// Reads files of the corpus as text, and writes them from an image.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_IMAGE_FILE_H_
#define GGUF_CORPUS_LANGUAGE_IMAGE_FILE_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/language/image.h"

namespace gguf::corpus {

// Creates or replaces the file.  Runs of zeros take no space if the file system
// supports it; a pipe or a device receives all of them.  Errors: "cannot write
// PATH: " and the system's message; the file may then be incomplete.
absl::Status WriteImage(const Image& image, const std::string& path);

// The same for an open descriptor, which stays open.  Errors: "cannot write: "
// and the system's message.
absl::Status WriteImage(const Image& image, int fd);

// Writes all bytes to a stream.
void StreamImage(const Image& image, std::ostream& out);

// Reads a whole file.  Errors: "cannot read PATH: " and the system's message.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// The same, but does not open a directory, pipe or device: "is not a regular
// file".
absl::StatusOr<std::string> ReadRegularFile(const std::string& path);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_IMAGE_FILE_H_
