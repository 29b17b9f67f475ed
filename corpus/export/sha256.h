// Sha256: the digest that identifies files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_SHA256_H_
#define GGUF_CORPUS_EXPORT_SHA256_H_

#include <string>

#include "absl/strings/string_view.h"
#include "corpus/language/image.h"

namespace gguf::corpus {

// Returns 64 lower-case hex digits.
std::string Sha256(absl::string_view bytes);

// Returns the digest of the file's bytes.  Takes about a second for each GiB,
// zeros or not, and no memory for zeros.
std::string Sha256(const Image& image);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_SHA256_H_
