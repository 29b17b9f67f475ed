// Checks that a file has the tensors of its origin, with their weights.  No
// built-in profile turns these rules on; `ggufcheck compare` does.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "conformance/compare/bounds.h"
#include "conformance/compare/likeness.h"
#include "conformance/model/base_model.h"
#include "conformance/rules/compare/checks.h"
#include "conformance/rules/compare/compared.h"
#include "conformance/rules/judged.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// ---- Names and shapes ----

constexpr Rule kPresent = {
    "compare-tensors-present",
    kOnlyOnRequest,
    "The file shall have every tensor of its origin.",
    "Without one of its tensors, such as a bias, the model produces different "
    "output, if it loads at all.",
    "Recreate the file from its origin, with a current converter or quantizer.",
    kClaim,
    Since("0.2.0")};

// Returns why tensors may be in a shard that was not given; empty if not.
Reason WhyInPart(const Model& model) {
  const std::string why = WhyNotAllTensors(model);
  return model.tensors().empty() || why.empty()
             ? Reason()
             : Reason("not all shards of the file were given");
}

void TensorsPresent(const Model& model, Finder& find) {
  const Reason in_part = WhyInPart(model);
  if (!in_part.empty()) return find.CannotCheck(in_part);
  const auto missing = [&](absl::string_view name, absl::string_view of) {
    if (model.FindTensor(name) != nullptr) return;
    find(model.file.tensor_count.where, Subject{"header"}.Of("tensor_count"),
         absl::StrCat("counts {count} tensors, but {name} of ", of,
                      " is missing"),
         {{"count", model.file.tensors.size()}, {"name", name}});
  };
  const Origin& origin = *model.comparison()->origin;
  if (origin.base() != nullptr) {
    const TensorTable& tensors = origin.base()->tensors();
    for (uint32_t i = 0; i < tensors.size(); ++i) {
      missing(tensors[i].name.value, "the base");
    }
    return;
  }
  const SourceModel& source = *origin.source();
  for (const auto& [name, tensor] : source.tensors) {
    if (source.optional_tensors.count(name) > 0) continue;
    missing(name, absl::StrCat("the source (", tensor.from, ")"));
  }
  if (!source.why_no_tensors.empty()) find.CannotCheck(source.why_no_tensors);
}

constexpr Rule kKnown = {
    "compare-tensors-known",
    kOnlyOnRequest,
    "The file shall have no tensor that its origin lacks.",
    "The tensor comes from elsewhere, and changes what the model computes.",
    "Recreate the file from its origin, with a current converter or quantizer.",
    kClaim,
    Since("0.2.0")};

// Tensors that a converter computes from the configuration.
bool IsComputed(absl::string_view name) {
  return absl::StartsWith(name, "rope_f") || absl::EndsWith(name, ".scale") ||
         absl::EndsWith(name, ".input_scale");
}

void TensorsKnown(const Model& model, Finder& find) {
  const Origin& origin = *model.comparison()->origin;
  const SourceModel* source = origin.source();
  if (source != nullptr && !source->why_no_tensors.empty()) {
    return find.CannotCheck(source->why_no_tensors);
  }
  for (const TensorInfo& tensor : model.file.tensors) {
    const absl::string_view name = tensor.name.value;
    if (source != nullptr) {
      if (IsComputed(name) ||
          source->tensors.find(name) != source->tensors.end()) {
        continue;
      }
      find(tensor.name.where, tensor.subject(), "is not in the source", {});
    } else if (origin.FindTensor(name).info == nullptr) {
      find(tensor.name.where, tensor.subject(), "is not in the base", {});
    }
  }
}

constexpr Rule kShape = {
    "compare-shapes-equal",
    kOnlyOnRequest,
    "Each tensor shall have the shape that it has in the origin.",
    "The weights belong to another model, or were transposed or truncated.",
    "Recreate the file from its origin, with a current converter or quantizer.",
    kClaim,
    Since("0.2.0")};

// Returns whether the dimensions are these, apart from ones at the end.
bool HasShape(const TensorInfo& tensor, const std::vector<uint64_t>& dims) {
  if (dims.size() > kMaxDimensions) return false;
  for (uint32_t i = 0; i < kMaxDimensions; ++i) {
    const uint64_t dim = i < tensor.rank() ? tensor.dims[i] : 1;
    if (dim != (i < dims.size() ? dims[i] : 1)) return false;
  }
  return true;
}

void ShapesEqual(const Model& model, Finder& find) {
  const Origin& origin = *model.comparison()->origin;
  for (const TensorInfo& tensor : model.file.tensors) {
    if (const SourceModel* source = origin.source()) {
      const auto wanted = source->tensors.find(tensor.name.value);
      if (wanted == source->tensors.end()) continue;
      const std::vector<uint64_t>& dims = wanted->second.dims;
      if (HasShape(tensor, dims)) continue;
      find(tensor.at_dims(), "are {dims}, but {wanted} in the source ({from})",
           {{"dims", Word{tensor.ShapeText()}},
            {"wanted", Word{absl::StrCat("[", absl::StrJoin(dims, ", "), "]")}},
            {"from", wanted->second.from}});
      continue;
    }
    const TensorInfo* base = origin.FindTensor(tensor.name.value).info;
    if (base == nullptr) continue;  // compare-tensors-known.
    if (base->dims == tensor.dims && base->rank() == tensor.rank()) continue;
    find(tensor.at_dims(), "are {dims}, but {wanted} in the base",
         {{"dims", Word{tensor.ShapeText()}},
          {"wanted", Word{base->ShapeText()}}});
  }
}

// ---- Weights ----

// Requires a base, whose data was read.
Reason OnlyWithData(const Model& model) {
  if (model.comparison()->origin->base() == nullptr) {
    return "the weights of a source are not read";
  }
  return model.comparison()->tensors.size() == model.file.tensors.size()
             ? Reason()
             : "the weights were not read";
}

// Calls each(tensor, comparison) with the tensors of a result.
template <class Function>
void ForEach(const Model& model, ComparedTensor::Result result, Function each) {
  for (const TensorInfo& tensor : model.file.tensors) {
    const ComparedTensor& compared = model.comparison()->tensors[tensor.index];
    if (compared.result == result) each(tensor, compared);
  }
}

std::string TypeName(const TensorInfo& tensor) {
  const TensorTypeInfo* type = tensor.type_info();
  return type != nullptr ? type->name : absl::StrCat(tensor.type.value);
}

Arg Number(absl::string_view name, double value) {
  return {name, Word{absl::StrFormat("%.4g", value)}};
}

constexpr Rule kRead = {
    "compare-weights-read",
    kOnlyOnRequest,
    "The weights of each tensor that the file and its origin share shall be "
    "readable, and of a type that can be compared.",
    "Weights that were not compared may differ in any way.",
    "Run ggufcheck check to see what is wrong with the tensor.",
    kClaim,
    Since("0.2.0")};

void WeightsRead(const Model& model, Finder& find) {
  const Origin& origin = *model.comparison()->origin;
  ForEach(model, ComparedTensor::kNotCompared,
          [&](const TensorInfo& tensor, const ComparedTensor&) {
            const Origin::Tensor base = origin.FindTensor(tensor.name.value);
            // Other rules report these.
            if (base.info == nullptr || base.info->dims != tensor.dims ||
                base.info->rank() != tensor.rank()) {
              return;
            }
            find(tensor.at_type(),
                 base.has_data
                     ? "is {type}, which cannot be compared with {base}, or "
                       "the data is misplaced"
                     : "is {type}; in the base, it is {base} and the data is "
                       "misplaced",
                 {{"type", Word{TypeName(tensor)}},
                  {"base", Word{TypeName(*base.info)}}});
          });
}

constexpr Rule kErrorSmall = {
    "compare-error-in-bound",
    kOnlyOnRequest,
    "The weights of each tensor shall match those of the base to within the "
    "loss that the tensor's type allows.",
    "A larger error means that the weights are not those of the base: they "
    "come from another layer or model, or were reordered, transposed, zeroed, "
    "or previously quantized to a type with fewer bits.",
    "Quantize the base again, directly, with a current quantizer.",
    "Not in the specification; the errors of ggml's own quantizers, measured "
    "for each type.",
    Since("0.2.0")};

// Returns the end of a message: what the weights seem to be.
std::string LikenessWords(const Likeness& likeness) {
  switch (likeness.kind) {
    case Likeness::kTensor:
      return absl::StrCat("; it is like ", Quote(likeness.tensor),
                          " of the base");
    case Likeness::kRow:
      return absl::StrCat(
          "; the rows are in another order: row 1 (from 0) is like row ",
          likeness.row, " of the base");
    case Likeness::kTransposed:
      return "; it is like the base, transposed";
    case Likeness::kNone:
      break;
  }
  return "";
}

uint64_t BlocksOf(const ComparedTensor& compared) {
  return (compared.weights + compared.block_weights - 1) /
         compared.block_weights;
}

void ErrorInBound(const Model& model, Finder& find) {
  // Each reads some rows of the base.
  constexpr int kMostLikenesses = 10;
  int likenesses = 0;
  ForEach(
      model, ComparedTensor::kError,
      [&](const TensorInfo& tensor, const ComparedTensor& compared) {
        // Weights that have nothing to do with each other have about 0.
        constexpr double kUnlike = 0.3;
        const bool is_unlike = compared.cosine < kUnlike;
        Likeness likeness;
        if (is_unlike && likenesses++ < kMostLikenesses) {
          likeness =
              FindLikeness(model.file, tensor, *model.comparison()->origin);
        }
        find(DataRange(model.file, tensor), tensor.subject().Of("data"),
             is_unlike
                 ? "is unlike the base: the error is {rmse} times the root "
                   "mean square of the base, and the cosine is {cosine}; from "
                   "{base}, {type} loses at most {bound}{like}"
             : compared.rmse <= compared.bound
                 ? "differs in {bad} of {blocks} blocks of {size} weights by "
                   "more than {type} loses; the error of the whole tensor, "
                   "{rmse} times the base's root mean square, is in bound"
                 : "has an error of {rmse} times the base's root mean "
                   "square (cosine {cosine}), but from {base}, {type} "
                   "loses at most {bound}{like}",
             {Number("rmse", compared.rmse),
              Number("cosine", compared.cosine),
              {"base", Word{compared.base_type}},
              {"type", Word{compared.type}},
              {"bad", compared.bad_blocks},
              {"blocks", BlocksOf(compared)},
              {"size", compared.block_weights},
              Number("bound", compared.bound),
              {"like", Word{LikenessWords(likeness)}}});
      });
  ForEach(
      model, ComparedTensor::kRequantized,
      [&](const TensorInfo& tensor, const ComparedTensor& compared) {
        find(
            DataRange(model.file, tensor), tensor.subject().Of("data"),
            "does not tell large weights of the base from small ones, as after "
            "a quantization to one bit: the slope of the magnitudes is "
            "{slope}, but {type} has at least {least}",
            {Number("slope", *compared.slope),
             {"type", Word{compared.type}},
             Number("least", FindLossBound(*tensor.type_info())->least_slope)});
      });
}

constexpr Rule kBlocks = {
    "compare-blocks-in-bound",
    kOnlyOnRequest,
    "Each block of weights shall match the base's block to within the loss "
    "that the tensor's type allows.",
    "The weights of some blocks were swapped, zeroed or overwritten, which "
    "hardly changes the error of the whole tensor.",
    "Quantize the base again; if you copy the file, compare the SHA-256 of the "
    "copy with that of the original.",
    "Not in the specification; the errors of ggml's own quantizers, measured "
    "for each type.",
    Since("0.2.0")};

void BlocksInBound(const Model& model, Finder& find) {
  ForEach(model, ComparedTensor::kBlock,
          [&](const TensorInfo& tensor, const ComparedTensor& compared) {
            const TensorTypeInfo& type = *tensor.type_info();
            const auto at = [&](uint64_t weight) {
              return DataRange(model.file, tensor).begin +
                     (weight + type.block_elements - 1) / type.block_elements *
                         type.block_bytes;
            };
            const uint64_t end = std::min(
                compared.worst_at + compared.block_weights, compared.weights);
            find({at(compared.worst_at), at(end)}, tensor.subject().Of("data"),
                 "differs in {bad} of {blocks} blocks of {size} weights by "
                 "more than {type} loses; the error of the worst block, from "
                 "weight {weight} on, is {excess} times the bound",
                 {{"bad", compared.bad_blocks},
                  {"blocks", BlocksOf(compared)},
                  {"size", compared.block_weights},
                  {"type", Word{compared.type}},
                  {"weight", compared.worst_at},
                  Number("excess", compared.worst_block)});
          });
}

constexpr Rule kScaled = {
    "compare-scale-equal",
    kOnlyOnRequest,
    "The weights of each tensor shall have the same scale as those of the "
    "base.",
    "Scales were lost or applied twice, so the model produces different "
    "output.",
    "Quantize the base again, with a current quantizer.",
    "Not in the specification; how closely ggml's own quantizers preserve the "
    "scale, measured for each type.",
    Since("0.2.0")};

void ScaleEqual(const Model& model, Finder& find) {
  ForEach(model, ComparedTensor::kScale,
          [&](const TensorInfo& tensor, const ComparedTensor& compared) {
            find(DataRange(model.file, tensor), tensor.subject().Of("data"),
                 "has weights that fit the base best if divided by {times} "
                 "(gain {gain}); {type} allows from {low} to {high}",
                 {Number("times", 1 / compared.scale),
                  Number("gain", compared.gain),
                  {"type", Word{compared.type}},
                  Number("low", 1 / compared.scale_high),
                  Number("high", 1 / compared.scale_low)});
          });
  uint64_t unjudged = 0;
  std::string type;
  for (const ComparedTensor& compared : model.comparison()->tensors) {
    const bool is_zero = compared.cosine == 0 && compared.rmse == 0;
    if (compared.result != ComparedTensor::kPass || compared.scale_judged ||
        is_zero) {
      continue;
    }
    ++unjudged;
    type = compared.type;
  }
  if (unjudged == 0) return;
  find.CannotCheck(absl::StrCat(
      unjudged, unjudged == 1 ? " tensor" : " tensors", ", the last of type ",
      type, ", with too few bits or too small weights to show a scale"));
}

constexpr Check kChecks[] = {
    {&kPresent, Needs::kTensors, TensorsPresent, OnlyIfCompared,
     OnlyFirstShard},
    {&kKnown, Needs::kTensors, TensorsKnown, OnlyIfCompared},
    {&kShape, Needs::kTensors, ShapesEqual, OnlyIfCompared},
    {&kRead, Needs::kLayout, WeightsRead, OnlyIfCompared, OnlyWithData},
    {&kErrorSmall, Needs::kLayout, ErrorInBound, OnlyIfCompared, OnlyWithData},
    {&kBlocks, Needs::kLayout, BlocksInBound, OnlyIfCompared, OnlyWithData},
    {&kScaled, Needs::kLayout, ScaleEqual, OnlyIfCompared, OnlyWithData},
};

}  // namespace

absl::Span<const Check> CompareTensorChecks() { return kChecks; }

}  // namespace gguf
