// Checks of image models, for the programs that run them.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/image_tensors.h"

namespace gguf {
namespace {

constexpr char kPrefix[] = "model.diffusion_model.";

// Returns the first tensor whose name, after the prefix if it has it, begins
// so; null for an empty `begin`.
const TensorInfo* FindTensorLike(const Model& model, absl::string_view begin) {
  if (begin.empty()) return nullptr;
  const auto found = absl::c_find_if(model.file.tensors, [&](const TensorInfo& tensor) {
    absl::string_view name = tensor.name.value;
    absl::ConsumePrefix(&name, kPrefix);
    return absl::StartsWith(name, begin);
  });
  return found == model.file.tensors.end() ? nullptr : &*found;
}

// Reports what a file that does not state its architecture lacks, at a tensor
// that shows the architecture.
void KeylessTensorsPresent(const Model& model, Finder& find) {
  absl::string_view architecture;  // Empty until a mark of one was found.
  for (const ImageTensorRow& row : kImageTensors) {
    if (!architecture.empty() && architecture != row.architecture) continue;
    const TensorInfo* mark = FindTensorLike(model, row.keyless);
    if (mark == nullptr) continue;
    architecture = row.architecture;
    const absl::string_view name = row.name;
    if (FindTensorLike(model, name.substr(0, name.find('.') + 1)) ||
        FindTensorLike(model, row.unless)) {
      continue;
    }
    find(mark->name.where, mark->subject(),
         "is of the architecture {name}, but there is no tensor {tensor}",
         {{"name", Trusted{row.architecture}}, {"tensor", Trusted{row.name}}});
  }
}

void ImageTensorsPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  if (model.file.progress < Progress::kTensors) return;
  const KeyValue* kv = model.hparams().architecture_key();
  const absl::string_view architecture = model.hparams().architecture_name();
  // gguf-connector writes "pig" for every architecture.
  if (kv == nullptr || architecture == "pig") {
    return KeylessTensorsPresent(model, find);
  }
  for (const ImageTensorRow& row : kImageTensors) {
    if (architecture != row.architecture || model.FindTensor(row.name) != nullptr ||
        model.FindTensor(absl::StrCat(kPrefix, row.name)) != nullptr ||
        FindTensorLike(model, row.unless) != nullptr) {
      continue;
    }
    find(kv->at_value(), "is {name}, but there is no tensor {tensor}",
         {{"name", architecture}, {"tensor", Trusted{row.name}}});
  }
}

constexpr char kOriginalShape[] = "comfy.gguf.orig_shape.";

void OriginalShapeFits(const CheckContext& context, Finder& find) {
  for (const KeyValue& kv : context.model.file.keys) {
    absl::string_view name = kv.key.value;
    if (!absl::ConsumePrefix(&name, kOriginalShape)) continue;
    if (kv.type->kind != ValueKind::kArray || kv.element_type == nullptr ||
        kv.element_type->type != ValueType::kI32) {
      find(kv.type_where(), kv.subject().Of("type"), "is not arr[i32]", {});
      continue;
    }
    const TensorInfo* tensor = context.model.FindTensor(name);
    if (tensor == nullptr) continue;
    std::optional<uint64_t> elements = 1;
    for (uint64_t i = 0; i < LengthOf(kv).value_or(0) && elements; ++i) {
      const int64_t length = IntegerOf(context.model.file, kv, i).value_or(0);
      elements = length < 0 ? std::nullopt : CheckedMultiply(*elements, length);
    }
    if (elements == ElementCount(*tensor)) continue;
    find(kv.at_value(), "is a shape with a different number of elements than {tensor}, {dims}",
         {{"tensor", name}, {"dims", Trusted{tensor->ShapeText()}}});
  }
}

constexpr Requirement kOnlyImages = OnlyKind<GgufKind::kImageModel>;

}  // namespace

constexpr RuleTable kImageRules = {
    {.id = "image-tensors-present",
     .severities = {.upload = kWarning},
     .summary = "An image model should have the tensors that every model of its architecture has.",
     .why = "Programs for image models detect the variant of a model by such tensors and do not "
            "load a model without them. Converters leave out five-dimensional tensors, such as the "
            "patch embedding of wan; a second tool adds them.",
     .repair = "Convert the model again, with all of its tensors.",
     .citation = "Not in the specification; the model classes of stable-diffusion.cpp as of August "
                 "2026, the converter of ComfyUI-GGUF, and ComfyUI's model_detection.py.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {kOnlyImages},
     .check = ImageTensorsPresent},
    {.id = "original-shape-fits-tensor",
     .severities = {.upload = kWarning},
     .summary = "comfy.gguf.orig_shape.NAME should be an array of i32 whose product is the number "
                "of elements of the tensor NAME.",
     .why = "ComfyUI-GGUF gives the tensor this shape, and fails if the elements do not fit it.",
     .repair = "Write the shape that the tensor had before its rows were rearranged.",
     .citation = "Not in the specification; ComfyUI-GGUF's loader.py.",
     .since = "0.2.0",
     .stage = Stage::kPreview,
     .needs = Needs::kTensors,
     .requirements = {kOnlyImages},
     .check = OriginalShapeFits},
};

}  // namespace gguf
