// Checks that a file has the tensors of its origin, with their shapes.  No
// built-in profile turns these rules on; `ggufcheck compare` does.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "conformance/compare/comparison.h"
#include "conformance/compare/origin.h"
#include "conformance/model/base_model.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

// Returns why tensors may be in a shard that was not given; empty if not.
Reason WhyInPart(const Model& model) {
  const std::string why = WhyNotAllTensors(model);
  return model.tensors().empty() || why.empty()
             ? Reason()
             : Reason("other shards of the file, with the rest of its tensors, are missing",
                      Reason::kIncomplete);
}

void TensorsPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const Reason in_part = WhyInPart(model);
  if (!in_part.empty()) return find.CannotCheck(in_part);
  const auto missing = [&](absl::string_view name, absl::string_view of) {
    if (model.FindTensor(name) != nullptr) return;
    find(model.file.tensor_count.where, {"tensor", true, 0, name},
         absl::StrCat("is missing, but ", of, " has it"), {{"name", name}});
  };
  const Origin& origin = *context.comparison->origin;
  if (origin.model() != nullptr) {
    const TensorTable& tensors = origin.model()->tensors();
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

// Tensors that a converter computes from the configuration.
bool IsComputed(absl::string_view name) {
  return absl::EndsWith(name, ".scale") || absl::EndsWith(name, ".input_scale");
}

void TensorsKnown(const CheckContext& context, Finder& find) {
  const Origin& origin = *context.comparison->origin;
  const SourceModel* source = origin.source();
  if (source != nullptr && !source->why_no_tensors.empty()) {
    return find.CannotCheck(source->why_no_tensors);
  }
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const absl::string_view name = tensor.name.value;
    if (source != nullptr) {
      if (IsComputed(name) || source->tensors.find(name) != source->tensors.end()) {
        continue;
      }
      find(tensor.name.where, tensor.subject(), "is not in the source", {});
    } else if (origin.FindTensor(name).info == nullptr) {
      find(tensor.name.where, tensor.subject(), "is not in the base", {});
    }
  }
}

// Returns whether the dimensions are these, apart from ones at the end.
bool HasShape(const TensorInfo& tensor, const std::vector<uint64_t>& dims) {
  if (dims.size() > kMaxDimensions) return false;
  for (uint32_t i = 0; i < kMaxDimensions; ++i) {
    const uint64_t dim = i < tensor.rank() ? tensor.dims[i] : 1;
    if (dim != (i < dims.size() ? dims[i] : 1)) return false;
  }
  return true;
}

// Returns the dimensions that a tensor of the source has in the file.
std::vector<uint64_t> DimsOf(const SourceModel::Tensor& tensor, const Model& model) {
  std::vector<uint64_t> dims = tensor.dims;
  const KeyValue* tokens = model.FindKey("tokenizer.ggml.tokens");
  if (tensor.has_row_by_token && dims.size() == 2 && tokens != nullptr) {
    dims[1] = std::min(dims[1], tokens->length);
  }
  return dims;
}

void ShapesEqual(const CheckContext& context, Finder& find) {
  const Origin& origin = *context.comparison->origin;
  for (const TensorInfo& tensor : context.model.file.tensors) {
    if (const SourceModel* source = origin.source()) {
      const auto wanted = source->tensors.find(tensor.name.value);
      if (wanted == source->tensors.end()) continue;
      const std::vector<uint64_t> dims = DimsOf(wanted->second, context.model);
      if (HasShape(tensor, dims)) continue;
      find(tensor.at_dims(), "are {dims}, but {wanted} in the source ({from})",
           {{"dims", Trusted{tensor.ShapeText()}},
            {"wanted", Trusted{absl::StrCat("[", absl::StrJoin(dims, ", "), "]")}},
            {"from", wanted->second.from}});
      continue;
    }
    const TensorInfo* wanted = origin.FindTensor(tensor.name.value).info;
    if (wanted == nullptr) continue;  // compare-tensors-known.
    if (wanted->dims == tensor.dims && wanted->rank() == tensor.rank()) continue;
    find(tensor.at_dims(), "are {dims}, but {wanted} in the base",
         {{"dims", Trusted{tensor.ShapeText()}}, {"wanted", Trusted{wanted->ShapeText()}}});
  }
}

}  // namespace

constexpr RuleTable kCompareTensorRules = {
    {.id = "compare-tensors-present",
     .summary = "The file shall have every tensor of its origin.",
     .why = "Without one of its tensors, such as a bias, the model produces different output, if "
            "it loads at all.",
     .repair = "Recreate the file from its origin, with a current converter or quantizer.",
     .citation = kClaim,
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .against = Against::kOrigin,
     .requirements = {OnlyFirstShard},
     .check = TensorsPresent},
    {.id = "compare-tensors-known",
     .summary = "The file shall have no tensor that its origin lacks.",
     .why = "The tensor comes from elsewhere, and changes what the model computes.",
     .repair = "Recreate the file from its origin, with a current converter or quantizer.",
     .citation = kClaim,
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .against = Against::kOrigin,
     .check = TensorsKnown},
    {.id = "compare-shapes-equal",
     .summary = "Each tensor shall have the shape that it has in the origin.",
     .why = "The weights belong to another model, or were transposed or truncated.",
     .repair = "Recreate the file from its origin, with a current converter or quantizer.",
     .citation = kClaim,
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .against = Against::kOrigin,
     .check = ShapesEqual},
};

}  // namespace gguf
