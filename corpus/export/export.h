// Export: the corpus as plain files, for people without Bazel.
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

// Larger files are no seeds for fuzzing.
constexpr uint64_t kLargestSeed = 4 << 10;

// Name to contents of everything but the recipes: the files and dumps of the
// cases, manifest.json and its schema, README.md, seeds.zip.
absl::StatusOr<std::map<std::string, std::string>> ExportedFiles(
    const Collection& collection, const std::string& cases);

// Whether there may be written: the folder is missing, empty, or holds an
// export, which would be written over.  Else why not.
absl::Status CheckExportFolder(const std::string& cases,
                               const std::string& folder);

// Writes them below a folder that passes the check, and with `big` the recipes
// too.  Files of a former export that are none any more are deleted.  Errors
// name the path.
absl::Status Export(const std::string& cases, const std::string& folder,
                    bool big);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_EXPORT_H_
