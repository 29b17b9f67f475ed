// TinyModel: small models made from the tables of the architectures, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_TINY_MODEL_H_
#define GGUF_CONFORMANCE_TESTING_TINY_MODEL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

struct TinyKey {
  std::string name;
  uint32_t type;
  std::string value;  // Its bytes.
};

struct TinyTensor {
  std::string name;
  std::vector<uint64_t> dims;
  uint32_t type = 0;  // F32
};

struct TinyModel {
  std::vector<TinyKey> keys;
  std::vector<TinyTensor> tensors;

  bool HasKey(absl::string_view name) const;
  void AddKey(absl::string_view name, uint32_t type, const ByteWriter& value);
  void RemoveKey(absl::string_view name);

  // The tensor of this name, which there is.
  TinyTensor& Tensor(absl::string_view name);
  void Remove(absl::string_view name);

  std::string Build() const;
};

// A model of the architecture with the keys that anything requires of it, the
// tensors that llama.cpp requires, and what tiny_models.tsv adds.  The test
// fails if the tables do not say all of it.  `other` are values of keys as the
// table has them, {"{arch}.block_count", "u32 3"}, which go before its own.
using TinyValues = std::vector<std::pair<const char*, const char*>>;
TinyModel MakeTinyModel(absl::string_view architecture,
                        const TinyValues& other = {});

// All architectures but those that have no such model.
std::vector<std::string> TinyArchitectures();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_TINY_MODEL_H_
