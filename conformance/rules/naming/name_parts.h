// The parts of a file's name and the words between its dashes, and the keys
// that they are compared with.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_NAME_PARTS_H_
#define GGUF_CONFORMANCE_RULES_NAMING_NAME_PARTS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"

namespace gguf {

// Returns the key's string; empty when it is missing or not a string.
absl::string_view Text(const Model& model, absl::string_view key);

// Returns this part of the name (FileNameParts); empty when the name does not
// have it.  A name that does not follow the convention has only the parts that
// are certain.
std::string Part(const Model& model, absl::string_view part);

// Returns the size label of the name; empty for a context length in its place.
std::string SizeIn(const Model& model);

// Returns a bit for each tensor type that an encoding stands for; 0 if it is
// not known.  Outside the convention, publishers have more words.
uint64_t TypesOfEncoding(const Model& model, absl::string_view encoding);

// Returns whether a word is a size label without attributes: "8x7B", not "4k".
bool IsSizeLabel(absl::string_view word);

// Returns whether a word is a version: "v1.0".
bool IsVersion(absl::string_view word);

// What a file name that does not follow the naming convention lacks, or has too
// much.

// Returns the faults of a name that ParseFileName() refuses: "has no size label
// such as 7B and an encoding with a dash (\"Q4-0\")".  Quotes text of the name.
std::string WhyNotByConvention(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_NAME_PARTS_H_
