// Files with tensors of floats, and what the rules of compare find in them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_TENSOR_FILES_H_
#define GGUF_CONFORMANCE_TESTING_TENSOR_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/compare/origin.h"
#include "conformance/rules/validate.h"

namespace gguf {

struct NamedWeights {
  std::string name;
  std::vector<uint64_t> dims;
  std::vector<float> weights;
};

// Returns Gaussian weights that depend on the name.
NamedWeights Random(const std::string& name, std::vector<uint64_t> dims);

// Returns the tensors of a model of two blocks.
std::vector<NamedWeights> TwoBlocks();

std::string FileOf(const std::vector<NamedWeights>& tensors, uint32_t type = 0);

// Checks a file with the rules compare-*.
FileReport Check(const std::string& bytes, const Origin& origin);

// Returns "RULE: SUBJECT MESSAGE" of each finding of these rules.
std::vector<std::string> FindingsOf(const FileReport& report);
std::vector<std::string> Found(const std::vector<NamedWeights>& base,
                               const std::vector<NamedWeights>& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_TENSOR_FILES_H_
