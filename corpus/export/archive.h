// Archive: many small files as one.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_ARCHIVE_H_
#define GGUF_CORPUS_EXPORT_ARCHIVE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace gguf::corpus {

// The bytes of a ZIP archive of these files, name to contents: in order, all of
// 1980-01-01, so that the same files make the same bytes with the same zlib.
// Errors: libzip's words.
absl::StatusOr<std::string> Zip(
    const std::map<std::string, std::string>& files);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_ARCHIVE_H_
