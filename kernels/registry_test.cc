// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace gguf {
namespace {

// Current types without a kernel, each with a reason.
const std::map<std::string, std::string> kWithoutKernel = {};

TEST(RegistryTest, EveryLivingTypeHasAKernelOrAReason) {
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    const TensorType type = static_cast<TensorType>(info.id);
    const bool expected = info.removed == nullptr && kWithoutKernel.count(info.name) == 0;
    EXPECT_EQ(FindKernel(type, "reference") != nullptr, expected) << info.name;
  }
}

TEST(RegistryTest, EveryLegacyTypeHasAKernel) {
  for (const TensorTypeInfo& info : OldTensorTypes()) {
    EXPECT_NE(BestKernel(static_cast<TensorType>(info.id)), nullptr) << info.name;
  }
}

TEST(RegistryTest, NoRowStandsTwice) {
  std::set<std::pair<TensorType, std::string>> seen;
  for (const Kernel& kernel : AllKernels()) {
    EXPECT_TRUE(seen.emplace(kernel.type, kernel.variant).second)
        << GetTensorType(kernel.type).name << " " << kernel.variant;
  }
}

TEST(RegistryTest, FindsARowByTypeAndVariant) {
  const Kernel* const kernel = FindKernel(TensorType::kQ6_K, "reference");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->type, TensorType::kQ6_K);
  EXPECT_STREQ(kernel->variant, "reference");
  EXPECT_EQ(FindKernel(TensorType::kQ6_K, "gpu"), nullptr);
  EXPECT_EQ(FindKernel(static_cast<TensorType>(31), "reference"), nullptr);
  EXPECT_EQ(BestKernel(static_cast<TensorType>(99)), nullptr);
}

TEST(RegistryTest, PlainTypesAreTheirOwnBestKernel) {
  EXPECT_STREQ(BestKernel(TensorType::kI32)->variant, "reference");
}

}  // namespace
}  // namespace gguf
