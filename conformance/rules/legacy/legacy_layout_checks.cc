// Checks of the place, the type and the shape of tensors in legacy (pre-GGUF)
// files.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "conformance/rules/legacy/checks.h"
#include "parser/legacy/legacy_rules.h"

namespace gguf {
namespace {

void DimensionCount(const Model& model, Finder& find) {
  const LegacyFamily& family = *model.file.legacy->family;
  for (const TensorInfo& tensor : model.file.tensors) {
    const uint32_t count = tensor.n_dims.value;
    if (count >= family.least_dims && count <= family.most_dims) continue;
    find(tensor.at_n_dims(), "is {count}, not {least} to {most} as in {family}",
         {{"count", count},
          {"least", family.least_dims},
          {"most", family.most_dims},
          {"family", Word{family.name}}});
  }
}

constexpr Rule kDataAligned = {
    "legacy-data-aligned",
    Everywhere(kError),
    "The data of a tensor in a GGJT file shall begin at a multiple of 32.",
    "Readers skip to the next multiple of 32 and read the wrong bytes as "
    "weights.",
    "Write zeros after the tensor's name up to the next multiple of 32.",
    "gguf.md, historical state of affairs: \"Aligns the tensors to allow for "
    "use with `mmap`\"; llama.cpp's reader of 2023 skips to a multiple of 32."};

void DataAligned(const Model& model, Finder& find) {
  const uint64_t alignment = model.file.kind.legacy->alignment;
  uint64_t count = 0;
  const TensorInfo* first = nullptr;
  for (const TensorInfo& tensor : model.file.tensors) {
    const bool is_aligned = tensor.offset.value % alignment == 0;
    if (!is_aligned && count++ == 0) first = &tensor;
  }
  if (count == 0) return;
  find(first->offset.where, first->subject().Of("data"),
       "begins at {offset}, as the rest of the file shows; the data of {count} "
       "tensors is not aligned",
       {{"offset", first->offset.value}, {"count", count}});
}

constexpr Rule kPaddingZero = {
    "legacy-padding-zero",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kNote).Safety(kWarning),
    "The bytes before the data of a tensor in a GGJT file should be zero.",
    "Nonzero bytes are remnants of the writer's memory, or hidden data.",
    "Write zeros.",
    "Not in the specification; llama.cpp's writer of 2023 wrote zeros; its "
    "reader did not check."};

void PaddingZero(const Model& model, Finder& find) {
  for (const TensorInfo& tensor : model.file.tensors) {
    const uint64_t begin = tensor.name.where.end;
    const Bytes padding = model.file.At({begin, tensor.offset.value});
    const auto first = std::find_if(padding.begin(), padding.end(),
                                    [](uint8_t byte) { return byte != 0; });
    if (first == padding.end()) continue;
    const uint64_t at = begin + (first - padding.begin());
    find({at, at + 1}, tensor.subject().Of("padding"),
         "has a byte that is not zero", {});
  }
}

constexpr Rule kQuantizationCurrent = {
    "legacy-quantization-current",
    Severities().Upload(kWarning),
    "Quantized tensors should have the blocks that current readers support.",
    "ggml changed the block layouts of Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0 in May "
    "2023 but kept the ids of these types; readers refuse the older blocks or "
    "misread them.",
    "Quantize the model again from its F16 or F32 file, or use ggufcheck "
    "dequantize to recover the weights.",
    "ggml's GGML_QNT_VERSION; rwkv.cpp's FILE_FORMAT.md: \"new version of "
    "`ggml` can not handle loading version `100` quantized models\"."};

void QuantizationCurrent(const Model& model, Finder& find) {
  uint64_t count = 0;
  const TensorInfo* first = nullptr;
  for (const TensorInfo& tensor : model.file.tensors) {
    const bool is_old =
        tensor.type_info()->id >= static_cast<uint32_t>(TensorType::kFirstOld);
    if (is_old && count++ == 0) first = &tensor;
  }
  if (count == 0) return;
  const TypeScheme scheme = first->scheme;
  find(first->at_type(), "is {type}, {when}; {count} tensors have such blocks",
       {{"type", Word{first->type_info()->name}},
        {"when",
         Word{scheme == TypeScheme::kQnt1
                  ? "quantization version 1, used from 12 to 18 May 2023"
              : scheme == TypeScheme::kRwkv100
                  ? "from rwkv.cpp before 27 May 2023, and now refused by it"
                  : "quantization version 0, used before 12 May 2023"}},
        {"count", count}});
}

constexpr Check kChecks[] = {
    {&kLegacyTensorTypeKnown, Needs::kTensors, nullptr, Files::kLegacy},
    {&kLegacyTensorSizeKnown, Needs::kTensors, nullptr, Files::kLegacy},
    {&kLegacyRecordsWhole, Needs::kTensors, nullptr, Files::kLegacy},
    {&kLegacyDimensionCount, Needs::kTensors, DimensionCount, Files::kLegacy},
    {&kDataAligned, Needs::kTensors, DataAligned, Files::kLegacy},
    {&kPaddingZero, Needs::kTensors, PaddingZero, Files::kLegacy},
    {&kQuantizationCurrent, Needs::kTensors, QuantizationCurrent,
     Files::kLegacy},
};

}  // namespace

absl::Span<const Check> LegacyLayoutChecks() { return kChecks; }

}  // namespace gguf
