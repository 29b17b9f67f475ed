// The secret of the process, and XXH3 with it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/name_hash.h"

#include <array>
#include <random>

#define XXH_INLINE_ALL
#include "xxhash.h"

namespace gguf {
namespace {

using Secret = std::array<unsigned, XXH3_SECRET_SIZE_MIN / sizeof(unsigned)>;

Secret MakeSecret() {
  std::random_device random;  // The system's, for cryptographic use.
  Secret secret;
  for (unsigned& word : secret) word = random();
  return secret;
}

}  // namespace

size_t NameHash::operator()(absl::string_view name) const {
  static const Secret secret = MakeSecret();
  return XXH3_64bits_withSecret(name.data(), name.size(), secret.data(), sizeof secret);
}

}  // namespace gguf
