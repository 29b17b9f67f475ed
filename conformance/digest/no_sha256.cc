// The C library, which has no option for digests, contains no OpenSSL.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/sha256.h"
#include "parser/core/assert.h"

namespace gguf {

struct Sha256::State {};

Sha256::Sha256() { Assert(false, "the C library has no digests"); }
Sha256::~Sha256() = default;
void Sha256::Add(Bytes) {}
std::string Sha256::Hex() { return ""; }

}  // namespace gguf
