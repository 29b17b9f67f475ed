// Collection: all cases of a folder, and facts about their bytes, such as their SHA-256.
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
#include "corpus/language/image.h"

namespace gguf::corpus {

// Sha256: the digest that identifies files.

// Returns 64 lower-case hex digits.
std::string Sha256(absl::string_view bytes);

// Returns the digest of the file's bytes.  Takes about a second for each GiB,
// zeros or not, and no memory for zeros.
std::string Sha256(const Image& image);

// Collection: all cases of a folder, and facts about their bytes.
//
// A folder of cases, "corpus/cases", has siblings: flags.tsv, manifest.json,
// manifest.schema.json and README.md.

// Larger files are recipes, which are built on demand.
constexpr uint64_t kLargestFile = 64 << 10;

// Larger files have no digest.
constexpr uint64_t kLargestDigested = 64 << 20;

// A case without its bytes: those of all cases would fill the memory.
// Assemble(source.document) rebuilds them.
struct BuiltCase {
  Case source;
  uint64_t size = 0;                  // In bytes.
  std::optional<std::string> sha256;  // None above kLargestDigested.
  std::optional<uint32_t> version;    // None without GGUF's magic.
  std::string endian;                 // "little", "big", or empty.

  bool is_recipe() const { return size > kLargestFile; }
  std::string file_name() const;    // Relative to the root of an export.
  std::string dump_name() const;    // Empty if no text of a dump is stored.
  std::string dump_sha256() const;  // If only its digest is stored; else empty.
};

struct Collection {
  std::vector<BuiltCase> cases;  // Sorted by id.
  std::vector<Flag> flags;       // In the order of flags.tsv.
};

// Reads a case.  Errors name the path and the fault.
absl::StatusOr<Case> LoadCase(const std::string& cases, absl::string_view id);

// Reads and assembles a case.
absl::StatusOr<BuiltCase> BuildCase(const std::string& cases, absl::string_view id);

// Returns all cases, or the first error.
absl::StatusOr<Collection> ReadCollection(const std::string& cases);

// Return the path of a case, and of a sibling of the folder of cases.
std::string CasePath(const std::string& cases, absl::string_view id);
std::string Beside(const std::string& cases, absl::string_view name);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_COLLECTION_H_
