// Collection: all cases of a folder, and what can be said of their bytes.
//
// A folder of cases, "corpus/cases", has neighbours: flags.tsv, manifest.json,
// manifest.schema.json and README.md.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_COLLECTION_H_
#define GGUF_CORPUS_EXPORT_COLLECTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/language/case.h"
#include "corpus/language/flags.h"

namespace gguf::corpus {

// Larger files are recipes: built when they are needed.
constexpr uint64_t kLargestFile = 64 << 10;

// Of larger files there is no digest.
constexpr uint64_t kLargestDigested = 64 << 20;

// A case, without its bytes: those of all cases would fill the memory.
// Assemble(source.document) makes them again.
struct BuiltCase {
  Case source;
  uint64_t size = 0;                  // In bytes.
  std::optional<std::string> sha256;  // None above kLargestDigested.
  std::optional<uint32_t> version;    // None without GGUF's magic.
  std::string endian;                 // "little", "big", or empty.

  bool is_recipe() const { return size > kLargestFile; }
  std::string file_name() const;  // Relative to the top of an export.
  std::string dump_name() const;  // Empty when there is none, or no text of it.
  std::string dump_sha256() const;  // When there is no text of it; else empty.
};

struct Collection {
  std::vector<BuiltCase> cases;  // Sorted by id.
  std::vector<Flag> flags;       // In the order of flags.tsv.
};

// Reads a case.  Errors: its path, and what is wrong.
absl::StatusOr<Case> LoadCase(const std::string& cases, absl::string_view id);

// Reads and assembles it.
absl::StatusOr<BuiltCase> BuildCase(const std::string& cases,
                                    absl::string_view id);

// All cases; the first error there is.
absl::StatusOr<Collection> ReadCollection(const std::string& cases);

// The path of a case, and of a neighbour of the folder of cases.
std::string CasePath(const std::string& cases, absl::string_view id);
std::string Beside(const std::string& cases, absl::string_view name);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_COLLECTION_H_
