// Checks of weights that no trained model has: zeros, copies, norms too large, NVFP4 without
// scales.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

bool IsNormWeight(absl::string_view name) {
  return absl::EndsWith(name, ".weight") && absl::StrContains(name, "norm");
}

// Returns whether the tensor is a matrix of a block with which a model computes attention or its
// feed-forward part.
bool IsBlockMatrix(absl::string_view name) {
  if (!absl::StartsWith(name, "blk.") || !absl::EndsWith(name, ".weight")) return false;
  for (const char* const part : {".attn_q", ".attn_k", ".attn_v", ".attn_output", ".attn_kv",
                                 ".ffn_gate", ".ffn_up", ".ffn_down"}) {
    if (absl::StrContains(name, part)) return !IsNormWeight(name);
  }
  return false;
}

// Returns the tensor's first bytes, at most `most`.
std::string Head(const File& file, const TensorInfo& tensor, uint64_t most) {
  const Range data = DataRange(file, tensor);
  std::string buffer;
  return std::string(
      AsText(file.Read({data.begin, std::min(data.end, data.begin + most)}, &buffer)));
}

// Returns whether all weights are zero, by the scan.
bool IsAllZero(const File& file, const TensorInfo& tensor, const TensorScan& scan) {
  if (!scan.scanned || scan.varies || *tensor.bytes == 0) return false;
  const std::string head = Head(file, tensor, tensor.type_info()->block_bytes);
  return absl::c_all_of(head, [](char c) { return c == 0; });
}

void NotZero(const CheckContext& context, Finder& find) {
  const File& file = context.model.file;
  // A file with no data at all was made so, for tests, or never filled (tensor-data-filled).
  if (absl::c_all_of(file.tensors, [&](const TensorInfo& tensor) {
        const TensorScan& scan = context.scans[tensor.index];
        return !scan.scanned || IsAllZero(file, tensor, scan);
      })) {
    return;
  }
  for (const TensorInfo& tensor : file.tensors) {
    const bool is_norm = IsNormWeight(tensor.name.value);
    if (!is_norm && !IsBlockMatrix(tensor.name.value)) continue;
    if (!IsAllZero(file, tensor, context.scans[tensor.index])) continue;
    find(DataRange(file, tensor), tensor.subject().Of("data"),
         is_norm ? "is all zeros: this norm erases all that the model computed before it"
                 : "is all zeros: this matrix passes nothing on",
         {});
  }
}

// Returns whether two tensors of the same size have the same data.
bool HaveSameData(const File& file, const TensorInfo& a, const TensorInfo& b) {
  constexpr uint64_t kPiece = 1 << 20;
  std::string buffer_a, buffer_b;
  const Range in_a = DataRange(file, a), in_b = DataRange(file, b);
  for (uint64_t at = 0; at < in_a.size(); at += kPiece) {
    PollDeadline();
    const uint64_t size = std::min(kPiece, in_a.size() - at);
    if (AsText(file.Read({in_a.begin + at, in_a.begin + at + size}, &buffer_a)) !=
        AsText(file.Read({in_b.begin + at, in_b.begin + at + size}, &buffer_b))) {
      return false;
    }
  }
  return true;
}

void Distinct(const CheckContext& context, Finder& find) {
  constexpr uint64_t kHead = 256;  // Two matrices with the same first bytes are rarely different.
  const File& file = context.model.file;
  std::map<std::tuple<uint32_t, uint64_t, std::string>, const TensorInfo*> seen;
  const TensorInfo* copy = nullptr;
  const TensorInfo* original = nullptr;
  uint64_t count = 0;
  for (const TensorInfo& tensor : file.tensors) {
    const TensorScan& scan = context.scans[tensor.index];
    if (!scan.scanned || !scan.varies || !IsBlockMatrix(tensor.name.value)) continue;
    const auto [it, is_new] =
        seen.try_emplace({tensor.type.value, *tensor.bytes, Head(file, tensor, kHead)}, &tensor);
    if (is_new || !HaveSameData(file, *it->second, tensor)) continue;
    if (count++ > 0) continue;
    copy = &tensor;
    original = it->second;
  }
  if (count == 0) return;
  find(DataRange(file, *copy), copy->subject().Of("data"),
       count == 1 ? "is that of {original}: one of the two is not the model's"
                  : "is that of {original}, and {count} matrices repeat others so: the model has "
                    "blocks or matrices that are copies",
       {{"original", original->name.value}, {"count", count}});
}

// Reports the first weight of a norm that F16 cannot hold.
void FindBeyondF16(const File& file, const TensorInfo& tensor, Finder& find) {
  constexpr float kMostF16 = 65504;
  const bool is_bf16 = tensor.type.value == static_cast<uint32_t>(TensorType::kBF16);
  if (!is_bf16 && tensor.type.value != static_cast<uint32_t>(TensorType::kF32)) return;
  const uint64_t size = is_bf16 ? 2 : 4;
  ForEachPiece(file, tensor, [&](Bytes bytes, uint64_t begin) {
    for (uint64_t i = 0; i + size <= bytes.size(); i += size) {
      const uint8_t* const at = bytes.data() + i;
      const float weight =
          FloatFromBits(is_bf16 ? uint32_t{LoadUnsigned<uint16_t>(at, file.encoding.endian)} << 16
                                : LoadUnsigned<uint32_t>(at, file.encoding.endian));
      if (!std::isfinite(weight) || std::fabs(weight) <= kMostF16) continue;
      const uint64_t offset = begin + i;
      find(
          {offset, offset + size}, tensor.subject().Of("data"),
          "has {weight} as element {element}, more than the 65504 of F16: programs that compute in "
          "F16 get infinity",
          {{"weight", Trusted{absl::StrFormat("%g", weight)}},
           {"element", (offset - DataRange(file, tensor).begin) / size}});
      return false;
    }
    return true;
  });
}

void NormsFitF16(const CheckContext& context, Finder& find) {
  const File& file = context.model.file;
  for (const TensorInfo& tensor : file.tensors) {
    if (!IsNormWeight(tensor.name.value) || !context.scans[tensor.index].scanned) continue;
    FindBeyondF16(file, tensor, find);
  }
}

void Nvfp4ScalesPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  uint64_t all = 0, missing = 0;
  const TensorInfo* first = nullptr;
  for (const TensorInfo& tensor : model.file.tensors) {
    absl::string_view name = tensor.name.value;
    if (tensor.type.value != static_cast<uint32_t>(TensorType::kNVFP4) || !IsBlockMatrix(name)) {
      continue;
    }
    ++all;
    name.remove_suffix(absl::string_view("weight").size());
    if (model.whole().FindTensor(absl::StrCat(name, "scale")) != nullptr) continue;
    if (missing++ == 0) first = &tensor;
  }
  if (missing == 0) return;
  find(first->name.where, first->subject(),
       "is NVFP4, but the file lacks its scale, a tensor of the same name that ends in .scale, as "
       "for {missing} of {all} such matrices: without it, the weights are too large or too small",
       {{"missing", missing}, {"all", all}});
}

}  // namespace

constexpr RuleTable kTrainedWeightRules = {
    {.id = "nvfp4-scales-present",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "Each matrix of type NVFP4 should have a scale tensor.",
     .why = "Quantizers to NVFP4 divide a matrix by one scale, which brings the scales of its "
            "blocks into the range of E4M3; readers multiply by the scale tensor, if there is one.",
     .repair = "Convert the model again with a converter that writes the tensors .scale. A matrix "
               "that was quantized without one needs none; known quantizers do not do this.",
     .citation = "Not in the specification; convert_hf_to_gguf.py of llama.cpp writes them.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyWholeModels},
     .check = Nvfp4ScalesPresent},
    {.id = "weights-not-zero",
     .severities = {.upload = kError, .llama_cpp = kNote},
     .summary = "A norm, or a matrix of a block's attention or feed-forward part, shall not be all "
                "zeros.",
     .why = "A norm of zeros makes every output the same, and a matrix of zeros disables its part "
            "of the block. No training ends so: the conversion or the download lost the data.",
     .repair = "Convert the model again, or fetch the file again. A block that was disabled on "
               "purpose is better removed.",
     .citation = "Not in the specification; published models have no such tensors.",
     .since = "0.2.0",
     .needs = Needs::kWeights,
     .requirements = {OnlyModels},
     .check = NotZero},
    {.id = "weights-distinct",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "Two matrices of the blocks should not have the same data.",
     .why = "A converter that mixes up K and V, or blocks, writes one matrix twice, and the model "
            "talks nonsense.",
     .repair = "Convert the model again. Models that were made by repeating blocks of another one "
               "(merges) have equal blocks on purpose.",
     .citation = "Not in the specification; trained matrices differ.",
     .since = "0.2.0",
     .needs = Needs::kWeights,
     .requirements = {OnlyModels},
     .check = Distinct},
    {.id = "norm-weights-in-f16",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "The weights of norms should be within the range of F16.",
     .why = "GPU programs that compute in F16 get infinity, and then NaN in every output.",
     .repair = "Convert the model again. If the original has such weights, it must be run in BF16 "
               "or F32.",
     .citation = "Not in the specification; IEEE 754 binary16 ends at 65504.",
     .since = "0.2.0",
     .needs = Needs::kWeights,
     .requirements = {OnlyModels},
     .check = NormsFitF16},
};

}  // namespace gguf
