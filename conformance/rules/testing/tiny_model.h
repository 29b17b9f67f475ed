// TinyModel: small models made from the tables of the architectures, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TESTING_TINY_MODEL_H_
#define GGUF_CONFORMANCE_RULES_TESTING_TINY_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

struct TinyTensor {
  std::string name;
  std::vector<uint64_t> dims;
  uint32_t type = 0;  // F32
};

struct TinyModel {
  GgufBuilder keys;
  std::vector<TinyTensor> tensors;

  // The tensor of this name, which there is.
  TinyTensor& Tensor(absl::string_view name);
  void Remove(absl::string_view name);
  std::string Build() const;
};

// The tensors that tensors.tsv requires with these keys, and those of `also`,
// in every block, where the table asks for them.
std::vector<TinyTensor> TensorsFor(const GgufBuilder& keys,
                                   const std::vector<std::string>& also = {});

// The keys that all models have, with sizes that are all different.
GgufBuilder TinyKeys(absl::string_view architecture);

// A valid model of one of the architectures below.
TinyModel MakeTinyModel(absl::string_view architecture);
const std::vector<std::string>& TinyArchitectures();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TESTING_TINY_MODEL_H_
