// Export: writes the corpus as plain files, small ones also in a ZIP archive, for people without
// Bazel.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_EXPORT_H_
#define GGUF_CORPUS_EXPORT_EXPORT_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/export/collection.h"

namespace gguf::corpus {

// Archive: packs many small files into a ZIP archive.

// Returns a ZIP archive of these files (name to contents), in order, all dated
// 1980-01-01: the same files make the same bytes with the same zlib.
//
// Errors: Internal for what needs ZIP64, 65,536 files or 4 GiB, and when there
// is no memory.
absl::StatusOr<std::string> Zip(const std::map<std::string, std::string>& files);

// Export: writes the corpus as plain files, for people without Bazel.

// Larger files are not used as fuzzing seeds.
constexpr uint64_t kLargestSeed = 4 << 10;

// Returns all files except the recipes, as name to contents: the files and
// dumps of the cases, manifest.json and its schema, README.md, seeds.zip.
absl::StatusOr<std::map<std::string, std::string>> ExportedFiles(const Collection& collection,
                                                                 const std::string& cases);

// Returns OK if the folder is missing, empty, or holds an export, which would
// be overwritten; otherwise the reason why it must not be written.
absl::Status CheckExportFolder(const std::string& cases, const std::string& folder);

// Writes the files below a folder that passes the check; with `big`, also the
// recipes.  Deletes files of an earlier export that no longer exist. Errors
// name the path.
absl::Status Export(const std::string& cases, const std::string& folder, bool big);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_EXPORT_H_
