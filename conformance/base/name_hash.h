// NameHash: hashes names that a stranger chose.
//
// absl::Hash maps names that are made for it to few values, whatever its seed:
// a file of 80,000 such keys took 22 seconds.  This hash is XXH3 with a random
// secret of the process, so nobody can know which names collide.  Every hash
// table whose keys are strings of a file uses it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_NAME_HASH_H_
#define GGUF_CONFORMANCE_BASE_NAME_HASH_H_

#include <cstddef>
#include <functional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace gguf {

struct NameHash {
  using is_transparent = void;
  size_t operator()(absl::string_view name) const;
};

template <class Value, class Name = absl::string_view>
using NameMap = absl::flat_hash_map<Name, Value, NameHash, std::equal_to<>>;

template <class Name = absl::string_view>
using NameSet = absl::flat_hash_set<Name, NameHash, std::equal_to<>>;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_NAME_HASH_H_
