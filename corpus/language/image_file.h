// Files of the corpus on disk: written from an image, read as a text.
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

// Creates or replaces the file.  Where the file system can, runs of zeros take
// no space.  A pipe or a device gets them all.  Errors: "cannot write PATH: "
// and the system's words; then the file may be there in part.
absl::Status WriteImage(const Image& image, const std::string& path);

// The same for an open descriptor, which it leaves open.  Errors: "cannot
// write: " and the system's words.
absl::Status WriteImage(const Image& image, int fd);

// Writes all bytes to a stream.
void StreamImage(const Image& image, std::ostream& out);

// All of a file.  Errors: "cannot read PATH: " and the system's words.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// The same; of a directory, a pipe or a device: "is not a regular file",
// without opening it.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_IMAGE_FILE_H_
