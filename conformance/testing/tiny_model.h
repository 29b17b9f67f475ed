// TinyModel: a small model made from the architecture tables, for tests.
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
  std::string value;  // Encoded bytes.
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
  // The same, of a value as in tiny_models.tsv: "u32 2", "i32 [1 2 3]".
  void AddKey(const std::string& name, absl::string_view value);
  void RemoveKey(absl::string_view name);

  // Returns the tensor with this name, which must exist.
  TinyTensor& Tensor(absl::string_view name);
  void Remove(absl::string_view name);

  std::string Build() const;
};

// Makes a model of the architecture with all required keys, the tensors that
// llama.cpp requires, and the rows `tiny` of its file.  Fails the test if
// the tables are incomplete.  `other` overrides values of tiny_models.tsv, such
// as {"{arch}.block_count", "u32 3"}, and may make tensors of no size; the value "-"
// leaves a key out.
using TinyValues = std::vector<std::pair<std::string, std::string>>;
TinyModel MakeTinyModel(absl::string_view architecture, const TinyValues& other = {});

// Returns all architectures that have such a model.
std::vector<std::string> TinyArchitectures();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_TINY_MODEL_H_
