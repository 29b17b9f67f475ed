// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/sha256.h"

#include "third_party/sha256.h"

namespace gguf::corpus {

std::string Sha256(absl::string_view bytes) {
  gguf::Sha256 digest;
  digest.Add(bytes);
  return digest.Hex();
}

std::string Sha256(const Image& image) {
  gguf::Sha256 digest;
  image.ForEachPiece([&](absl::string_view piece) {
    digest.Add(piece);
    return true;
  });
  return digest.Hex();
}

}  // namespace gguf::corpus
