// Contents: what a reader should find in the file of a document.
//
// Derived from the statements, never from the bytes, except for the data of
// tensors, which are the file's bytes at the stated place.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_CONTENTS_H_
#define GGUF_CORPUS_LANGUAGE_CONTENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/language/document.h"
#include "corpus/language/image.h"

namespace gguf::corpus {

struct Contents {
  struct Key {
    std::string key;
    uint32_t type;        // Of the value.
    const Item* value;    // Of the document: Scalars, a String or an Array.
    uint64_t index;       // Of the repetition, for ExpandText().
    uint64_t begin, end;  // In the file.
  };
  struct Info {
    std::string name;
    uint32_t type;
    std::vector<uint64_t> dims;
    uint64_t offset;      // Relative to the data section.
    uint64_t begin, end;  // Of the tensor info, in the file.
  };
  std::vector<Key> keys;
  std::vector<Info> tensors;
  bool big_endian = false;
  Image file;
  uint64_t data_begin = 0;

  // Returns the data of a tensor, if all of it is in the file.
  std::optional<Image> DataOf(const Info& tensor) const;
};

// Returns the contents; `document` must outlive them.  FailedPrecondition: the
// document states a count, a length or bytes instead of a key or a tensor, so
// what a reader should find is not stated.  Other errors are Assemble()'s.
absl::StatusOr<Contents> ContentsOf(const Document& document);

// Returns a text with the index of its repetition filled in; at most a little
// more than `most` bytes.
std::string ExpandText(const Text& text, uint64_t index, size_t most);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_CONTENTS_H_
