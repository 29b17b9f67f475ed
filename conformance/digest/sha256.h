// Sha256: a SHA-256 that is computed piece by piece.
//
// Source of the algorithm: FIPS 180-4, as OpenSSL implements it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_DIGEST_SHA256_H_
#define GGUF_CONFORMANCE_DIGEST_SHA256_H_

#include <memory>
#include <string>

#include "parser/core/bytes.h"

namespace gguf {

class Sha256 {
 public:
  Sha256();
  ~Sha256();

  void Add(Bytes bytes);

  // Returns 64 lower-case hex digits.  Call it once.
  std::string Hex();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DIGEST_SHA256_H_
