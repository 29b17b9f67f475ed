// Checks of LoRA adapters (two low-rank matrices, A and B, for each tensor of
// the base that they adapt), and of control vectors (a direction for each layer
// that they steer).
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "kernels/byte_scan.h"

namespace gguf {
namespace {

constexpr Requirement kOnlyLora = OnlyKind<GgufKind::kLora>;

bool IsVector(const TensorInfo& tensor) {
  for (uint32_t dim = 1; dim < tensor.rank(); ++dim) {
    if (tensor.dims[dim] > 1) return false;
  }
  return true;
}

constexpr Requirement kOnlyVectors = OnlyKind<GgufKind::kControlVector>;

// Returns whether all bytes of the tensor are zero; false if it is not in the file.
bool HasOnlyZeros(const File& file, const TensorInfo& tensor) {
  bool any = false, all_zero = true;
  ForEachPiece(file, tensor, [&](Bytes bytes, uint64_t) {
    any = true;
    all_zero = IsZero(bytes);
    return all_zero;
  });
  return any && all_zero;
}

void AdapterChanges(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const KeyValue* alpha = model.FindKey("adapter.lora.alpha");
  if (alpha != nullptr && FloatOf(model.file, *alpha) == 0) {
    find(alpha->at_value(),
         "is 0: A and B are multiplied by it, so the adapter changes nothing; llama.cpp, however, "
         "adds their product as it is",
         {});
  }
  const std::vector<LoraPair> all = LoraPairs(model);
  uint64_t pairs = 0;
  const TensorInfo* first = nullptr;
  for (const LoraPair& pair : all) {
    if (pair.b == nullptr) continue;
    if (!HasOnlyZeros(model.file, *pair.b)) return;
    if (pairs++ == 0) first = pair.b;
  }
  // Without data in A, too, the file was made without data.
  if (absl::c_all_of(all, [&](const LoraPair& pair) {
        return pair.a == nullptr || HasOnlyZeros(model.file, *pair.a);
      })) {
    return;
  }
  if (first == nullptr) return;
  find(DataRange(model.file, *first), first->subject().Of("data"),
       pairs == 1 ? "has only zeros: the adapter changes nothing"
                  : "has only zeros, as the matrices B of all {pairs} pairs: the adapter changes "
                    "nothing",
       {{"pairs", pairs}});
}

}  // namespace

constexpr RuleTable kAdapterRules = {
    {.id = "lora-tensor-named",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "Every tensor of a LoRA adapter, except norms, shall have the name of a tensor of "
                "the base, followed by .lora_a or .lora_b.",
     .why = "llama.cpp rejects an adapter with a tensor of any other name.",
     .repair = "Convert the adapter again; fully trained tensors belong in a merged model.",
     .citation =
         "Not in the specification; llama.cpp throws \"LoRA tensor '...' has unexpected suffix\".",
     .needs = Needs::kTensors,
     .requirements = {kOnlyLora},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo* tensor : GroupBySuffix(context.model, {kLoraA, kLoraB}).others) {
             if (IsNorm(*tensor)) continue;
             find(tensor->name.where, tensor->subject(), "ends with neither .lora_a nor .lora_b",
                  {});
           }
         }},
    {.id = "lora-norm-unused",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "A LoRA adapter should not contain norms.",
     .why = "llama.cpp ignores norms, so the output differs from that of the trained model.",
     .repair = "Merge the adapter into its base, norms included.",
     .citation = "Not in the specification; llama.cpp's adapter loader skips tensors whose names "
                 "end with _norm.weight.",
     .needs = Needs::kTensors,
     .requirements = {kOnlyLora},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo* tensor : GroupBySuffix(context.model, {kLoraA, kLoraB}).others) {
             if (!IsNorm(*tensor)) continue;
             find(tensor->name.where, tensor->subject(),
                  "is a norm, which llama.cpp does not apply", {});
           }
         }},
    {.id = "lora-tensors-paired",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A LoRA adapter shall have both matrices, .lora_a and .lora_b, for each tensor "
                "that it adapts.",
     .why = "llama.cpp rejects an adapter in which one of the two is missing.",
     .repair = "Convert the adapter again.",
     .citation = "Not in the specification; llama.cpp throws \"LoRA tensor pair for '...' is "
                 "missing one component\".",
     .needs = Needs::kTensors,
     .requirements = {kOnlyLora},
     .check =
         [](const CheckContext& context, Finder& find) {
           if (context.model.file.progress < Progress::kTensors)
             return;  // The other one may follow.
           for (const LoraPair& pair : LoraPairs(context.model)) {
             if (pair.a != nullptr && pair.b != nullptr) continue;
             find(pair.any().name.where, pair.any().subject(), "has no matching {other} tensor",
                  {{"other", Trusted{pair.a != nullptr ? kLoraB : kLoraA}}});
           }
         }},
    {.id = "lora-ranks-agree",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The two matrices of a LoRA adapter shall have the same rank, at least 1.",
     .why = "The matrices are multiplied; llama.cpp rejects the adapter, or aborts when the "
            "adapter is used.",
     .repair = "Convert the adapter again; adapters from llama.cpp's former finetune program are "
               "transposed.",
     .citation = "Not in the specification; llama.cpp throws \"lora_a tensor is not transposed\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyLike<GgufKind::kLora>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto pairs = LoraPairs(context.model);
           for (const LoraPair& pair : pairs) {
             if (pair.a == nullptr || pair.b == nullptr) continue;
             const uint64_t of_a = DimOf(*pair.a, pair.is_embedding ? 0 : 1);
             const uint64_t of_b = DimOf(*pair.b, 0);
             if (of_a == of_b && of_b == 0) {
               find(pair.b->at_dims(), "have rank 0, but at least 1 is needed",
                    {{"matrices", Trusted{pairs.size() == 1 ? "all" : "some"}}});
             }
             if (of_a == of_b || (pair.is_embedding && !pair.is_used)) continue;
             find(pair.b->at_dims(), "have rank {b}, but {other} has rank {a}",
                  {{"b", of_b}, {"other", pair.a->name.value}, {"a", of_a}});
           }
         }},
    {.id = "lora-experts-agree",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The two matrices of a LoRA adapter shall have the same number of experts and no "
                "fourth dimension.",
     .why = "llama.cpp looks up an expert in both matrices without a bounds check, and writes out "
            "of bounds (llama.cpp #29128).",
     .repair = "Convert the adapter again.",
     .citation = "Not in the specification; ggml's matrix multiplication for experts "
                 "(ggml_mul_mat_id) uses the model's number of experts.",
     .needs = Needs::kTensors,
     .requirements = {OnlyLike<GgufKind::kLora>},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const LoraPair& pair : LoraPairs(context.model)) {
             if (!pair.is_used) continue;
             for (const TensorInfo* tensor : {pair.a, pair.b}) {
               if (tensor == nullptr || DimOf(*tensor, 3) == 1) continue;
               find(tensor->at_dims(), "have a fourth dimension, {dim}",
                    {{"dim", DimOf(*tensor, 3)}});
             }
             if (pair.a == nullptr || pair.b == nullptr) continue;
             const uint64_t of_a = DimOf(*pair.a, 2), of_b = DimOf(*pair.b, 2);
             if (of_a == of_b) continue;
             find(pair.b->at_dims(), "have {b expert|experts}, but {other} has {a}",
                  {{"b", of_b}, {"other", pair.a->name.value}, {"a", of_a}});
           }
         }},
    {.id = "lora-weights-computable",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The matrices of a LoRA adapter shall have a type with which llama.cpp computes.",
     .why = "llama.cpp loads the adapter, and crashes when it computes with it.",
     .repair = "Convert the adapter again, to F32, F16, BF16 or a quantized type of weights.",
     .citation = "Not in the specification; observed in llama.cpp b11669 on a CPU.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyLike<GgufKind::kLora>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const uint16_t architecture = context.model.hparams().architecture();
           for (const LoraPair& pair : LoraPairs(context.model)) {
             if (!pair.is_used) continue;
             for (const TensorInfo* tensor : {pair.a, pair.b}) {
               const TensorTypeInfo* type = tensor ? tensor->type_info() : nullptr;
               if (type == nullptr) continue;
               const auto* row = ForbidsType(architecture, tensor->name.value, type->id);
               if (row) find(tensor->at_type(), row->says, {{"type", Trusted{type->name}}});
             }
           }
         }},
    {.id = "lora-changes-base",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "The matrices B of a LoRA adapter should not all be zero, nor should its alpha.",
     .why = "The product of A and B, times alpha and divided by the rank, is added to the base's "
            "weights, so the adapter has no effect. Training begins with zeros in B: the file was "
            "probably saved before it.",
     .repair =
         "Convert the trained adapter, with lora_alpha of its adapter_config.json. An adapter "
         "without effect is right only as a test.",
     .citation = "Not in the specification; LoRA (arXiv 2106.09685) starts from B = 0 "
                 "and scales the product by alpha / rank.",
     .since = "0.2.0",
     .needs = Needs::kPadding,
     .requirements = {OnlyKind<GgufKind::kLora>},
     .check = AdapterChanges},
    {.id = "control-vector-direction-named",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "Every tensor of a control vector shall be named direction.N, where N is the "
                "number of its layer, at least 1.",
     .why = "llama.cpp rejects the file.",
     .repair = "Name the tensors direction.1, direction.2 and so on; layer 0 has no direction.",
     .citation =
         "Not in the specification; llama.cpp's control vector loader reports \"invalid/unparsable "
         "direction tensor layer index\" or \"invalid (zero) direction tensor layer index\".",
     .needs = Needs::kTensors,
     .requirements = {kOnlyVectors},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.file.tensors) {
             if (DirectionLayer(tensor.name.value).value_or(0) >= 1) continue;
             find(tensor.name.where, tensor.subject(),
                  "is not named direction.N with N of at least 1", {});
           }
         }},
    {.id = "control-vector-layer-plain",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "The name of a direction should be direction.N, with N in plain decimal digits.",
     .why = "llama.cpp reads only the digits, and adds up the directions of one layer.",
     .repair = "Name the tensor after the number of its layer.",
     .citation = "Not in the specification; llama.cpp's control vector loader calls std::stoi.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {kOnlyVectors},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.file.tensors) {
             const int64_t layer = DirectionLayer(tensor.name.value).value_or(0);
             if (layer < 1 || tensor.name.value == absl::StrCat("direction.", layer)) continue;
             find(tensor.name.where, tensor.subject(),
                  "is read as layer {layer}, whose direction is named direction.{layer}",
                  {{"layer", static_cast<uint64_t>(layer)}});
           }
         }},
    {.id = "control-vector-layer-plausible",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The number of a direction's layer shall be at most 512.",
     .why = "llama.cpp allocates memory for all layers up to that number, computes the size in 32 "
            "bits, and writes past the end of the buffer when the size wraps.",
     .repair = "Name the tensor after the number of its layer.",
     .citation = "Not in the specification; llama.cpp accepts models of at most 512 blocks.",
     .needs = Needs::kTensors,
     .requirements = {OnlyLike<GgufKind::kControlVector>},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.file.tensors) {
             const auto layer = DirectionLayer(tensor.name.value);
             if (!layer || *layer <= kMostBlocks) continue;
             uint64_t floats;
             if (__builtin_mul_overflow(DimOf(tensor, 0), uint64_t(*layer), &floats)) {
               floats = ~uint64_t{0};
             }
             find(tensor.name.where, tensor.subject(),
                  "is for layer {layer}, which is more than {most}",
                  {{"layer", *layer}, {"most", kMostBlocks}, {"floats", floats}});
           }
         }},
    {.id = "control-vector-type-f32",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The directions of a control vector shall be F32.",
     .why = "llama.cpp rejects directions of any other type.",
     .repair = "Convert the directions to F32.",
     .citation =
         "Not in the specification; llama.cpp reports \"invalid (non-F32) direction tensor type\".",
     .needs = Needs::kTensors,
     .requirements = {kOnlyVectors},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.file.tensors) {
             ExpectF32(tensor, find);
           }
         }},
    {.id = "control-vector-one-dimension",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The directions of a control vector shall have one dimension.",
     .why = "llama.cpp rejects directions with more dimensions.",
     .repair = "Write one vector for each layer.",
     .citation =
         "Not in the specification; llama.cpp reports \"invalid (non-1D) direction tensor shape\".",
     .needs = Needs::kTensors,
     .requirements = {kOnlyVectors},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.file.tensors) {
             if (IsVector(tensor)) continue;
             find(tensor.at_dims(), "have more than one dimension that is not 1", {});
           }
         }},
    {.id = "control-vector-lengths-equal",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "All directions of a control vector shall have the same length.",
     .why = "Each direction has the embedding length of the model; llama.cpp rejects a file with "
            "directions of different lengths.",
     .repair = "Write vectors for different models to separate files.",
     .citation = "Not in the specification; llama.cpp reports \"direction tensor in ... does not "
                 "match previous dimensions\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyLike<GgufKind::kControlVector>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const TensorInfo* first = nullptr;
           for (const TensorInfo& tensor : context.model.file.tensors) {
             if (!IsVector(tensor) || tensor.rank() == 0) continue;
             if (first == nullptr) first = &tensor;
             if (tensor.dims[0] == first->dims[0]) continue;
             find(tensor.at_dims(), "have length {length}, but {first} has length {expected}",
                  {{"length", tensor.dims[0]},
                   {"first", first->name.value},
                   {"expected", first->dims[0]}});
           }
         }},
};

}  // namespace gguf
