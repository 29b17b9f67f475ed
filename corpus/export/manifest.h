// The manifest: what every case is, as JSON (manifest.schema.json).
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

// One line for each case.  Texts that do not fit come out with U+FFFD.
std::string ManifestText(const Collection& collection);

// Whether the text is UTF-8.
bool FitsManifest(const std::string& text);

constexpr char kManifestName[] = "manifest.json";

// The ids in a manifest's text; none when it is no manifest.
std::optional<std::vector<std::string>> ManifestIds(absl::string_view text);

// The files and dumps that a manifest's text lists, as far as their names are
// such as we give: "section/name.gguf" or ".json".
std::set<std::string> ManifestFiles(absl::string_view text);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_MANIFEST_H_
