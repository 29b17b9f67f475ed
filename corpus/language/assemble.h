// Assemble: a document's bytes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
#define GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "corpus/language/document.h"
#include "corpus/language/image.h"

namespace gguf::corpus {

// The most bytes that are stored for a file; counted zeros come on top.
constexpr uint64_t kMaxStored = uint64_t{1} << 30;

// Errors name line and column of what cannot be laid out: a number that does
// not fit its field, a cut behind the end, more than 2^62 bytes, more than
// `max_stored` bytes to store.
absl::StatusOr<Image> Assemble(const Document& document,
                               uint64_t max_stored = kMaxStored);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
