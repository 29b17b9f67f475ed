// The two tables beside the cases: flags.tsv has the words on which the verdict
// of an either- case depends, retired.tsv the ids that are no longer in use.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_FLAGS_H_
#define GGUF_CORPUS_LANGUAGE_FLAGS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gguf::corpus {

struct Flag {
  std::string name;
  std::string meaning;
};

// Returns the flags in file order.  Errors name the file, and a line that is
// not "name<TAB>meaning" or repeats a name.
absl::StatusOr<std::vector<Flag>> ReadFlags(const std::string& path);

// Returns the ids in a file of "id<TAB>reason", which may be missing.
absl::StatusOr<std::set<std::string>> ReadRetired(const std::string& path);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_FLAGS_H_
