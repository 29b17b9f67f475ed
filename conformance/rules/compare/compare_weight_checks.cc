// Checks that the tensors of a file have the weights of its origin.  No
// built-in profile turns these rules on; `ggufcheck compare` does.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "conformance/base/limits.h"
#include "conformance/base/text.h"
#include "conformance/compare/comparison.h"
#include "conformance/compare/origin.h"
#include "conformance/compare/tensor_judge.h"
#include "conformance/model/tensor_data.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "kernels/weight_scan.h"

namespace gguf {
namespace {

// Requires a GGUF origin, whose data was read.
Reason OnlyWithData(const CheckContext& context) {
  if (context.comparison->origin->model() == nullptr) {
    return "the weights of a source are not read";
  }
  return context.comparison->tensors.size() == context.model.file.tensors.size()
             ? Reason()
             : "the weights were not read";
}

// Calls each(tensor, comparison) with the tensors of a result.
template <class Function>
void ForEach(const CheckContext& context, ComparedTensor::Result result, Function each) {
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const ComparedTensor& compared = context.comparison->tensors[tensor.index];
    if (compared.result == result) each(tensor, compared);
  }
}

Arg Number(absl::string_view name, double value) {
  return {name, Trusted{absl::StrFormat("%.4g", value)}};
}

void WeightsRead(const CheckContext& context, Finder& find) {
  const Origin& origin = *context.comparison->origin;
  ForEach(
      context, ComparedTensor::kNotCompared, [&](const TensorInfo& tensor, const ComparedTensor&) {
        const Origin::Tensor other = origin.FindTensor(tensor.name.value);
        // Other rules report these.
        if (other.info == nullptr || other.info->dims != tensor.dims ||
            other.info->rank() != tensor.rank()) {
          return;
        }
        const bool has_data = context.model.placement().places[tensor.index] == Place::kGood;
        find(tensor.at_type(),
             !has_data        ? "is {type}, but its data is not in the file or is misplaced"
             : other.has_data ? "is {type}, which cannot be compared with {base}"
                              : "is {type}; in the base, it is {base} and the data is misplaced",
             {{"type", Trusted{tensor.TypeName()}}, {"base", Trusted{other.info->TypeName()}}});
      });
}

// Returns the end of a message: what the weights seem to be.
std::string LikenessWords(const Likeness& likeness) {
  switch (likeness.kind) {
    case Likeness::kTensor:
      return absl::StrCat("; it is like ", Quote(likeness.tensor), " of the base");
    case Likeness::kRow:
      return absl::StrCat("; the rows are in another order: row 1 (from 0) is like row ",
                          likeness.row, " of the base");
    case Likeness::kTransposed:
      return "; it is like the base, transposed";
    case Likeness::kNone:
      break;
  }
  return "";
}

// Returns whether a tensor has a weight that is NaN or infinite.
bool HasBadWeight(const File& file, const TensorInfo& tensor) {
  constexpr uint64_t kBlocksAtATime = 1 << 12;
  const TensorTypeInfo& type = *tensor.type_info();
  const Range data = DataRange(file, tensor);
  const uint64_t step = kBlocksAtATime * type.block_bytes;
  std::string buffer;
  for (uint64_t at = data.begin; at < data.end; at += step) {
    PollDeadline();
    const Bytes blocks = file.Read({at, at + std::min(step, data.end - at)}, &buffer);
    const auto id = static_cast<TensorType>(type.id);
    if (!ScanWeights(id, blocks, file.encoding.endian).none()) return true;
  }
  return false;
}

// Returns whether the numbers of a comparison mean nothing, because the origin
// is zero or a number is not finite.
bool IsUndefined(const ComparedTensor& compared) {
  return compared.rmse == 0 || !std::isfinite(compared.rmse) || !std::isfinite(compared.cosine);
}

// Reports a tensor whose comparison IsUndefined().
void ReportUndefined(const CheckContext& context, const TensorInfo& tensor,
                     const ComparedTensor& compared, Finder& find) {
  const Origin::Tensor other = context.comparison->origin->FindTensor(tensor.name.value);
  const bool is_bad = HasBadWeight(context.model.file, tensor);
  const bool is_origin_bad = HasBadWeight(*other.file, *other.info);
  const char* message =
      is_bad && is_origin_bad ? "has weights that are NaN or infinite, as has the base; ggufcheck "
                                "check --weights locates them"
      : is_bad ? "has weights that are NaN or infinite, but the base has none; ggufcheck check "
                 "--weights locates them"
      : is_origin_bad ? "is finite, but the base has weights that are NaN or infinite; ggufcheck "
                        "check --weights locates them"
      : compared.rmse == 0 && compared.cosine == 0
          ? "has weights up to {largest}, but the squares of those of the base are zero"
          : "cannot be compared: it or the base has weights whose squares exceed the largest F32";
  find(DataRange(context.model.file, tensor), tensor.subject().Of("data"), message,
       {Number("largest", compared.max_error)});
}

// Counts tensors and their types: "1 tensor of Q2_K", "12 tensors of Q2_K,
// IQ2_XS".
class TensorsByType {
 public:
  void Add(std::string type) {
    ++count_;
    if (std::find(types_.begin(), types_.end(), type) == types_.end()) {
      types_.push_back(std::move(type));
    }
  }

  bool empty() const { return count_ == 0; }

  std::string Words() const {
    return absl::StrCat(count_, count_ == 1 ? " tensor of " : " tensors of ",
                        absl::StrJoin(types_, ", "));
  }

 private:
  uint64_t count_ = 0;
  std::vector<std::string> types_;  // Distinct, in the order of the tensors.
};

// States that the origin has fewer bits than the file, which cannot be what was
// quantized.
void NoteBitsOfOrigin(const CheckContext& context, Finder& find) {
  TensorsByType fewer;
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const ComparedTensor& compared = context.comparison->tensors[tensor.index];
    if (compared.result == ComparedTensor::kNotCompared) continue;
    const TensorTypeInfo& type = *tensor.type_info();
    const TensorTypeInfo& other =
        *context.comparison->origin->FindTensor(tensor.name.value).info->type_info();
    if (uint64_t{other.block_bytes} * type.block_elements <
        uint64_t{type.block_bytes} * other.block_elements) {
      fewer.Add(absl::StrCat(type.name, " against ", other.name));
    }
  }
  if (fewer.empty()) return;
  find.CannotCheckRest(absl::StrCat("the file has more bits than the base in ", fewer.Words(),
                                    ": are the arguments in the order BASE FILE?"));
}

uint64_t BlocksOf(const ComparedTensor& compared) {
  return (compared.weights + compared.block_weights - 1) / compared.block_weights;
}

void ErrorInBound(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  // Each reads some rows of the origin.
  constexpr int kMostLikenesses = 10;
  int likenesses = 0;
  ForEach(
      context, ComparedTensor::kError,
      [&](const TensorInfo& tensor, const ComparedTensor& compared) {
        if (IsUndefined(compared)) {
          return ReportUndefined(context, tensor, compared, find);
        }
        // Weights that have nothing to do with each other have about 0.
        constexpr double kUnlike = 0.3;
        const bool is_unlike = compared.cosine < kUnlike;
        Likeness likeness;
        if (is_unlike && likenesses++ < kMostLikenesses) {
          likeness = FindLikeness(model.file, tensor, *context.comparison->origin);
        }
        find(
            DataRange(model.file, tensor), tensor.subject().Of("data"),
            is_unlike
                ? "is unlike the base: the error is {rmse} times the root mean square of the base, "
                  "and the cosine is {cosine}; from {base}, {type} loses at most {bound}{like}"
            : compared.rmse <= compared.bound
                ? "differs in {bad} of {blocks block|blocks} of {size} weights by more than {type} "
                  "loses; the error of the whole tensor, {rmse} times the base's root mean square, "
                  "is in bound"
                : "has an error of {rmse} times the base's root mean square (cosine {cosine}), but "
                  "from {base}, {type} loses at most {bound}{like}",
            {Number("rmse", compared.rmse),
             Number("cosine", compared.cosine),
             {"base", Trusted{compared.origin_type}},
             {"type", Trusted{compared.type}},
             {"bad", compared.bad_blocks},
             {"blocks", BlocksOf(compared)},
             {"size", compared.block_weights},
             Number("bound", compared.bound),
             {"like", Trusted{LikenessWords(likeness)}}});
      });
  ForEach(
      context, ComparedTensor::kRequantized,
      [&](const TensorInfo& tensor, const ComparedTensor& compared) {
        find(DataRange(model.file, tensor), tensor.subject().Of("data"),
             "does not tell large weights of the base from small ones, as after a quantization to "
             "one bit: the slope of the magnitudes is {slope}, but {type} has at least {least}",
             {Number("slope", *compared.slope),
              {"type", Trusted{compared.type}},
              Number("least", FindLossBound(*tensor.type_info())->least_slope)});
      });
  NoteBitsOfOrigin(context, find);
}

// States which tensors pass only because an importance matrix may explain what
// some of their blocks lose.
void NoteUnevenTensors(const CheckContext& context, Finder& find) {
  constexpr uint64_t kMostNamed = 3;
  std::vector<std::string> named;
  uint64_t tensors = 0;
  ForEach(context, ComparedTensor::kUneven, [&](const TensorInfo&, const ComparedTensor& compared) {
    if (++tensors > kMostNamed) return;
    named.push_back(absl::StrFormat("%s (%s), %d of %d blocks, the worst %.3g times its bound",
                                    Quote(compared.name), compared.type, compared.uneven_blocks,
                                    BlocksOf(compared), compared.worst_block));
  });
  if (tensors == 0) return;
  if (tensors > kMostNamed) {
    named.push_back(absl::StrCat(tensors - kMostNamed, " more"));
  }
  find.CannotCheckRest(
      absl::StrCat("an importance matrix that favors few columns may explain why some blocks lose "
                   "more than usual: ",
                   absl::StrJoin(named, "; ")));
}

void BlocksInBound(const CheckContext& context, Finder& find) {
  ForEach(context, ComparedTensor::kBlock,
          [&](const TensorInfo& tensor, const ComparedTensor& compared) {
            const TensorTypeInfo& type = *tensor.type_info();
            const auto at = [&](uint64_t weight) {
              return DataRange(context.model.file, tensor).begin +
                     (weight + type.block_elements - 1) / type.block_elements * type.block_bytes;
            };
            const uint64_t end =
                std::min(compared.worst_at + compared.block_weights, compared.weights);
            find({at(compared.worst_at), at(end)}, tensor.subject().Of("data"),
                 "differs in {bad} of {blocks block|blocks} of {size} weights by more than {type} "
                 "loses; the "
                 "error of the worst block, from weight {weight} on, is {excess} times the bound",
                 {{"bad", compared.bad_blocks},
                  {"blocks", BlocksOf(compared)},
                  {"size", compared.block_weights},
                  {"type", Trusted{compared.type}},
                  {"weight", compared.worst_at},
                  Number("excess", compared.worst_block)});
          });
  NoteUnevenTensors(context, find);
}

void ScaleEqual(const CheckContext& context, Finder& find) {
  ForEach(context, ComparedTensor::kScale,
          [&](const TensorInfo& tensor, const ComparedTensor& compared) {
            find(DataRange(context.model.file, tensor), tensor.subject().Of("data"),
                 "has weights that fit the base best if divided by {times} (gain {gain}); {type} "
                 "allows from {low} to {high}",
                 {Number("times", 1 / compared.scale),
                  Number("gain", compared.gain),
                  {"type", Trusted{compared.type}},
                  Number("low", 1 / compared.scale_high),
                  Number("high", 1 / compared.scale_low)});
          });
  TensorsByType unjudged;
  for (const ComparedTensor& compared : context.comparison->tensors) {
    const bool is_zero = compared.cosine == 0 && compared.rmse == 0;
    const bool passes =
        compared.result == ComparedTensor::kPass || compared.result == ComparedTensor::kUneven;
    if (!passes || compared.scale_judged || is_zero) continue;
    unjudged.Add(compared.type);
  }
  if (unjudged.empty()) return;
  find.CannotCheck(
      absl::StrCat(unjudged.Words(), ": too few bits, or too small weights, to show a scale"));
}

}  // namespace

constexpr RuleTable kCompareWeightRules = {
    {.id = "compare-weights-read",
     .summary = "The weights of each tensor that the file and its origin share shall be readable, "
                "and of a type that can be compared.",
     .why = "Weights that were not compared may differ in any way.",
     .repair = "Run ggufcheck check to see what is wrong with the tensor.",
     .citation = kClaim,
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .against = Against::kOrigin,
     .requirements = {OnlyWithData},
     .check = WeightsRead},
    {.id = "compare-error-in-bound",
     .summary = "The weights of each tensor shall match those of the base to within the loss that "
                "the tensor's type allows.",
     .why = "A larger error means that the weights are not those of the base: they come from "
            "another layer or model, or were reordered, transposed, zeroed, or previously "
            "quantized to a type with fewer bits.",
     .repair = "Quantize the base again, directly, with a current quantizer.",
     .citation =
         "Not in the specification; the errors of ggml's own quantizers, measured for each type.",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .against = Against::kOrigin,
     .requirements = {OnlyWithData},
     .check = ErrorInBound},
    {.id = "compare-blocks-in-bound",
     .summary = "Each block of weights shall match the base's block to within the loss that the "
                "tensor's type allows.",
     .why = "The weights of some blocks were swapped, zeroed or overwritten, which hardly changes "
            "the error of the whole tensor.",
     .repair = "Quantize the base again; if you copy the file, compare the SHA-256 of the copy "
               "with that of the original.",
     .citation =
         "Not in the specification; the errors of ggml's own quantizers, measured for each type.",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .against = Against::kOrigin,
     .requirements = {OnlyWithData},
     .check = BlocksInBound},
    {.id = "compare-scale-equal",
     .summary = "The weights of each tensor shall have the same scale as those of the base.",
     .why = "Scales were lost or applied twice, so the model produces different output.",
     .repair = "Quantize the base again, with a current quantizer.",
     .citation = "Not in the specification; how closely ggml's own quantizers preserve the scale, "
                 "measured for each type.",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .against = Against::kOrigin,
     .requirements = {OnlyWithData},
     .check = ScaleEqual},
};

}  // namespace gguf
