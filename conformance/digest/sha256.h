// Sha256: a SHA-256 that is computed piece by piece.
//
// Source of the algorithm: FIPS 180-4, as OpenSSL implements it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_DIGEST_SHA256_H_
#define GGUF_CONFORMANCE_DIGEST_SHA256_H_

#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "openssl/evp.h"
#include "parser/core/assert.h"
#include "parser/core/bytes.h"

namespace gguf {

class Sha256 {
 public:
  Sha256() {
    Assert(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
           "OpenSSL has no SHA-256");
  }

  void Add(Bytes bytes) {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }

  // Returns 64 lower-case hex digits.  Call it once.
  std::string Hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    return absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(digest), size));
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  const std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DIGEST_SHA256_H_
