// Calls OpenSSL's EVP functions.
//
// SPDX-License-Identifier: Apache-2.0

#include "third_party/sha256.h"

#include <cstdlib>

#include "absl/strings/escaping.h"
#include "openssl/evp.h"

namespace gguf {
namespace {

// OpenSSL fails only when it runs out of memory.
void Must(int succeeded) {
  if (succeeded != 1) std::abort();
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  Must(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::Add(absl::string_view bytes) {
  Must(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

std::string Sha256::Hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  Must(EVP_DigestFinal_ex(state_->context, digest, &size));
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

}  // namespace gguf
