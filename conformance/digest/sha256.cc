// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/sha256.h"

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "openssl/evp.h"
#include "parser/core/assert.h"

namespace gguf {

struct Sha256::State {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  Assert(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1,
         "OpenSSL has no SHA-256");
}

Sha256::~Sha256() = default;

void Sha256::Add(Bytes bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Sha256::Hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(state_->context, digest, &size);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), size));
}

}  // namespace gguf
