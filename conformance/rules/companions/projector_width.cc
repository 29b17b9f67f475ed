// Reads the width of an encoder from its tensors.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/companions/projector_width.h"

#include "conformance/rules/companions/companion_tensors.h"

namespace gguf {
namespace {

// Returns how often an encoder makes vectors of the length of `output`.
uint64_t OutputsOf(const Model& model, const ProjectorType& type,
                   const TensorInfo& output) {
  uint64_t outputs = 1;
  if (*type.more == 0) return outputs;
  for (int64_t i = 0; i < kMostBlocks; ++i) {
    const TensorInfo* tensor =
        model.FindTensor(model.hparams().Expand(type.more, i));
    if (tensor != nullptr && tensor != &output) ++outputs;
  }
  return outputs;
}

}  // namespace

std::optional<uint64_t> ProjectorWidth::Total() const {
  uint64_t total;
  if (__builtin_mul_overflow(length, outputs, &total)) return std::nullopt;
  return total;
}

std::optional<ProjectorWidth> WidthOf(const Model& model,
                                      const Encoder& encoder) {
  if (encoder.row == nullptr || *encoder.row->output == 0) return std::nullopt;
  const TensorInfo* tensor = model.FindTensor(encoder.row->output);
  if (tensor == nullptr) return std::nullopt;
  return ProjectorWidth{tensor,
                        DimOf(*tensor, static_cast<uint32_t>(encoder.row->dim)),
                        OutputsOf(model, *encoder.row, *tensor)};
}

}  // namespace gguf
