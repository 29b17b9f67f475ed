// Sha256: a SHA-256 that is computed piece by piece, by OpenSSL (FIPS 180-4).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_THIRD_PARTY_SHA256_H_
#define GGUF_THIRD_PARTY_SHA256_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

class Sha256 {
 public:
  Sha256();
  ~Sha256();

  void Add(absl::string_view bytes);

  // Returns 64 lower-case hex digits.  Call it once.
  std::string Hex();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace gguf

#endif  // GGUF_THIRD_PARTY_SHA256_H_
