// Assemble: computes a document's bytes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
#define GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_

#include <cstdint>

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
absl::StatusOr<Image> Assemble(const Document& document,
                               uint64_t max_stored = kMaxStored);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
