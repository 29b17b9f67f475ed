// Archive: packs many small files into a ZIP archive.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_ARCHIVE_H_
#define GGUF_CORPUS_EXPORT_ARCHIVE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace gguf::corpus {

// Returns a ZIP archive of these files (name to contents), in order, all dated
// 1980-01-01: the same files make the same bytes with the same zlib.
//
// Errors: Internal for what needs ZIP64, 65,536 files or 4 GiB, and when there
// is no memory.
absl::StatusOr<std::string> Zip(const std::map<std::string, std::string>& files);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_ARCHIVE_H_
