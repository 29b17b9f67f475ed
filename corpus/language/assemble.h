// Assemble: computes a document's bytes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
#define GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/language/document.h"
#include "corpus/language/image.h"

namespace gguf::corpus {

// The maximum number of bytes stored for a file; counted zeros are not
// included.
constexpr uint64_t kMaxStored = uint64_t{1} << 30;

// Errors name line and column of an impossible layout: a number that does not
// fit its field, a cut after the end, more than 2^62 bytes, or more than
// `max_stored` bytes to store.
absl::StatusOr<Image> Assemble(const Document& document, uint64_t max_stored = kMaxStored);

// The positions that Assemble() computed, and the statements of the tables in
// the order of the file, each with the index of its repetition and its bytes
// [begin, end) of the file.
struct Tables {
  struct Key {
    const KeyValue* statement;
    uint64_t index;
    uint64_t begin = 0, end = 0;
  };
  struct Info {
    const Tensor* statement;
    uint64_t index;
    uint64_t offset;  // Computed; the statement may state another one.
    uint64_t begin = 0, end = 0;
  };
  std::vector<Key> keys;
  std::vector<Info> tensors;
  uint64_t end = 0;         // Of the header and the tables.
  uint64_t data_begin = 0;  // Of the data section; `end` if there is none.
};

// The same, and sets `tables`, whose statements are those of the document.
absl::StatusOr<Image> AssembleWithTables(const Document& document, Tables* tables);

// Returns how many elements of an array these items are.
uint64_t CountElements(const Items& items);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
