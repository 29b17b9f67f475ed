// Tensors for tests of CompareTensors: the weights of corpus/quantized, and
// others.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_COMPARED_WEIGHTS_H_
#define GGUF_CONFORMANCE_TESTING_COMPARED_WEIGHTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/compare/comparison.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"

namespace gguf {

using Floats = std::vector<float>;

// The matrix of corpus/quantized.
inline constexpr uint64_t kColumns = 256;
inline constexpr uint64_t kRows = 256;
inline constexpr uint64_t kSome = 32;  // Rows of the other parts of a file.
Floats Original();

// Returns normal numbers.
Floats GaussianWeights(uint64_t count);

// The types that ggml's quantizers write.
std::vector<const TensorTypeInfo*> WrittenTypes();

// The blocks of a file of corpus/quantized.
class Quantized {
 public:
  explicit Quantized(const TensorTypeInfo& type);

  std::string Matrix() const { return bytes_.substr(0, kRows * row); }
  std::string WithImportance() const { return bytes_.substr(kRows * row, kSome * row); }
  // Empty if there is none.
  std::string ThroughFewerBits() const { return bytes_.substr((kRows + kSome) * row); }

  const TensorTypeInfo& type;
  const uint64_t row;  // Bytes.

 private:
  const std::string bytes_;
};

// A tensor of 256 columns, unless it is a vector.
struct StoredTensor {
  uint32_t type;
  std::string bytes;
  uint64_t columns = kColumns;
};
StoredTensor FirstRows(StoredTensor tensor);  // kSome of the matrix.
// Returns a tensor `times` times.
StoredTensor Repeated(const StoredTensor& tensor, int times);

// Weights of the types that origins have.  BF16 and Q8_0 are for normal
// numbers.
StoredTensor F32(const Floats& weights);
StoredTensor Bf16(const Floats& weights);
StoredTensor Q8_0(const Floats& weights);
// Q5_0 with steps that are larger than need be, by a factor that depends on the
// number of the block of 32 weights.
StoredTensor Q5_0(const Floats& weights, const std::function<float(uint64_t block)>& times);

// The original weights in the types that origins have, as ggml writes them.
std::vector<StoredTensor> Origins();
// Other weights; F16 is like BF16.
std::vector<StoredTensor> OriginsOf(const Floats& weights);

ComparedTensor Compare(const StoredTensor& origin, const StoredTensor& tensor,
                       const CompareOptions& options = {});
ComparedTensor Compare(const Floats& origin, const Quantized& quantized, const std::string& bytes);

std::string Show(const ComparedTensor& t);

#define EXPECT_RESULT(compared, expected)               \
  do {                                                  \
    const ComparedTensor result = compared;             \
    EXPECT_EQ(result.result, expected) << Show(result); \
  } while (false)
#define EXPECT_FOUND(compared)                                       \
  do {                                                               \
    const ComparedTensor result = compared;                          \
    EXPECT_GT(result.result, ComparedTensor::kPass) << Show(result); \
  } while (false)

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_COMPARED_WEIGHTS_H_
