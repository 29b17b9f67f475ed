// The manifest: describes every case, as JSON (manifest.schema.json).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_MANIFEST_H_
#define GGUF_CORPUS_EXPORT_MANIFEST_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/export/collection.h"

namespace gguf::corpus {

// Returns the manifest, one line per case.  Invalid UTF-8 is replaced by
// U+FFFD.
std::string ManifestText(const Collection& collection);

// Returns whether the text is UTF-8.
bool FitsManifest(const std::string& text);

constexpr char kManifestName[] = "manifest.json";

// Returns the ids in the text of a manifest, or nothing if it is not a
// manifest.
std::optional<std::vector<std::string>> ManifestIds(absl::string_view text);

// Returns the files and dumps listed in the text of a manifest, ignoring names
// not of the form "section/name.gguf" or ".json".
std::set<std::string> ManifestFiles(absl::string_view text);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_MANIFEST_H_
