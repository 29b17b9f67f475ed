// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/sha256.h"

#include <cstdlib>
#include <memory>

#include "absl/strings/escaping.h"
#include "openssl/evp.h"

namespace gguf::corpus {
namespace {

// OpenSSL fails only when it runs out of memory.
void Must(int succeeded) {
  if (succeeded != 1) std::abort();
}

class Digest {
 public:
  Digest() { Must(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }

  bool Add(absl::string_view bytes) {
    Must(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
    return true;
  }

  std::string Hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    Must(EVP_DigestFinal_ex(context_.get(), digest, &size));
    return absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(digest), size));
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  const std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

}  // namespace

std::string Sha256(absl::string_view bytes) {
  Digest digest;
  digest.Add(bytes);
  return digest.Hex();
}

std::string Sha256(const Image& image) {
  Digest digest;
  image.ForEachPiece(
      [&](absl::string_view piece) { return digest.Add(piece); });
  return digest.Hex();
}

}  // namespace gguf::corpus
