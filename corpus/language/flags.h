// Flags: the words of flags.tsv, on which an either- case depends.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_FLAGS_H_
#define GGUF_CORPUS_LANGUAGE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gguf::corpus {

struct Flag {
  std::string name;
  std::string meaning;
};

// In the order of the file.  Errors name the file, and the line that is no
// "name<TAB>meaning" or has a name again.
absl::StatusOr<std::vector<Flag>> ReadFlags(const std::string& path);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_FLAGS_H_
