// Checks of the tensors of legacy (pre-GGUF) files: their place, types, names
// and shapes.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/rules/legacy/legacy_names.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

void QuantizationCurrent(const CheckContext& context, Finder& find) {
  uint64_t count = 0;
  const TensorInfo* first = nullptr;
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const bool is_old = tensor.type_info()->id >= static_cast<uint32_t>(TensorType::kFirstOld);
    if (is_old && count++ == 0) first = &tensor;
  }
  if (count == 0) return;
  const TypeScheme scheme = first->scheme;
  find(first->at_type(), "is {type}, {when}; {count tensor has|tensors have} such blocks",
       {{"type", Trusted{first->type_info()->name}},
        {"when",
         Trusted{scheme == TypeScheme::kQnt1 ? "quantization version 1, used from 12 to 18 May 2023"
                 : scheme == TypeScheme::kRwkv100
                     ? "from rwkv.cpp before 27 May 2023, and now refused by it"
                     : "quantization version 0, used before 12 May 2023"}},
        {"count", count}});
}

// Reports the tensors that the readers of the family do not look up.
void NamesKnown(const CheckContext& context, Finder& find) {
  const LegacyNames names(context.model);
  if (!names.why_incomplete().empty()) return find.CannotCheck(names.why_incomplete());
  for (const TensorInfo& tensor : context.model.file.tensors) {
    if (names.Find(tensor.name.value) != nullptr) continue;
    find(tensor.at_name(), "{name} is not a tensor of this family", {{"name", tensor.name.value}});
  }
}

void TensorTypes(const CheckContext& context, Finder& find) {
  const LegacyNames names(context.model);
  if (!names.why_incomplete().empty()) return find.CannotCheck(names.why_incomplete());
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const LegacyTensorRow* row = names.Find(tensor.name.value);
    if (row == nullptr) continue;
    const uint32_t type = tensor.type_info()->id;
    if (type == static_cast<uint32_t>(TensorType::kQ8_1) ||
        type == static_cast<uint32_t>(TensorType::kQ8_K)) {
      find(tensor.at_type(), "is {type}, with which ggml multiplies no activations",
           {{"type", Trusted{tensor.type_info()->name}}});
      continue;
    }
    const TensorTypeInfo* wanted = names.TypeOf(*row);
    if (wanted == nullptr || wanted == tensor.type_info()) continue;
    find(tensor.at_type(), "is {type}, not {wanted}",
         {{"type", Trusted{tensor.type_info()->name}}, {"wanted", Trusted{wanted->name}}});
  }
}

bool IsRwkv(const Model& model) {
  return model.file.legacy->family->name == absl::string_view("rwkv");
}

// Returns where to report something that the file as a whole lacks.
Range LastHparam(const Model& model) { return model.file.legacy->hparams.back().where; }

// Requires a whole model: llama.cpp's first formats split the larger ones into
// 2, 4 or 8 files and cut their matrices.
Reason OnlyUncut(const Model& model) {
  const Field<uint32_t>* n_embd = model.file.legacy->Find("n_embd");
  const TensorInfo* embedding = model.FindTensor("tok_embeddings.weight");
  if (n_embd == nullptr || embedding == nullptr) return {};
  constexpr std::pair<uint32_t, uint32_t> kParts[] = {{5120, 2}, {6656, 4}, {8192, 8}};
  for (const auto& [width, parts] : kParts) {
    if (n_embd->value == width && embedding->dims[0] == width / parts) {
      return "one part of a model: its matrices are cut";
    }
  }
  return {};
}

void TensorsPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  if (model.file.tensors.empty()) {
    const bool is_read = model.file.progress == Progress::kTensors;
    if (!is_read || model.file.legacy->vocabulary.size() > 0) return;
    return find(LastHparam(model), {"file", false, 0, {}, "tensors"},
                "are missing, and so are tokens", {});
  }
  const LegacyNames names(model);
  if (!names.why_incomplete().empty()) {
    return find.CannotCheck(names.why_incomplete());
  }
  if (model.file.progress < Progress::kTensors) return;
  const auto missing = names.FindMissing();
  if (!missing) return;
  find(LastHparam(model), {"file", false, 0, {}, "tensors"}, "lack {name}, for example",
       {{"name", absl::string_view(*missing)}});
}

// The hyperparameters that are widths of models.
constexpr const char* kWidths[] = {"n_embd", "n_embed", "d_model", "n_audio_state"};

void WeightsFit(const CheckContext& context, Finder& find) {
  const File& file = context.model.file;
  const LegacyHeader& header = *file.legacy;
  if (file.tensors.empty() && header.family->allows_vocabulary_alone()) return;
  const auto value = [&](const char* name) {
    const Field<uint32_t>* field = name == nullptr ? nullptr : header.Find(name);
    return field == nullptr ? 0.0 : static_cast<double>(field->value);
  };
  double blocks = 0;
  for (const BlockStack& stack : header.family->stacks) blocks += value(stack.count);
  for (const char* const name : kWidths) {
    const double width = value(name);
    // At least: a block of any family has more than 8 * width * width weights, a weight of any type
    // more than 2 bits.  Readers also allocate two numbers for each n_ctx.
    const double numbers = width * (value("n_vocab") + blocks * (8 * width + value("n_ctx")));
    if (numbers <= 4 * static_cast<double>(file.size)) continue;
    find(header.Find(name)->where, {"header", false, 0, {}, name},
         "is {width}, so readers allocate {numbers} numbers or more, but the file has {size} bytes",
         {{"width", header.Find(name)->value},
          {"numbers", Trusted{absl::StrFormat("%.0f", numbers)}},
          {"size", file.size}});
  }
}

// RWKV's heads share the width of the model.
void FindBadHeads(const LegacyNames& names, const Model& model, Finder& find) {
  const auto heads = names.FindHeads();
  if (!heads || heads->width) return;
  find(heads->tensor->at_dims(), "are {dims}, for {heads head|heads}, but n_embed is {n_embed}",
       {{"dims", Trusted{heads->tensor->ShapeText()}},
        {"heads", heads->count},
        {"n_embed", model.file.legacy->Find("n_embed")->value}});
}

void TensorShapes(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const LegacyNames names(model);
  if (!names.why_incomplete().empty()) {
    find.CannotCheck(names.why_incomplete());
  }
  for (const TensorInfo& tensor : model.file.tensors) {
    const LegacyTensorRow* row = names.Find(tensor.name.value);
    // The number of dimensions has a rule of its own.
    if (row == nullptr || tensor.n_dims.value < model.file.legacy->family->least_dims) {
      continue;
    }
    std::vector<std::string> wanted;
    // llama.cpp compares the number of dimensions, too.
    const uint32_t rank = row->ne1 == LegacySize::kOne ? 1 : 2;
    bool fits = model.file.legacy->family->name != absl::string_view("llama") ||
                tensor.n_dims.value == rank;
    fits &= tensor.rank() < 4 || tensor.dims[3] == 1;
    const LegacyNames::Shape shape = names.ShapeOf(tensor.name.value, *row);
    for (uint32_t i = 0; i < 3; ++i) {
      const auto& size = shape[i];
      const uint64_t dim = i < tensor.rank() ? tensor.dims[i] : 1;
      fits &= !size || *size == dim;
      wanted.push_back(size ? absl::StrCat(*size) : "any");
    }
    if (fits) continue;
    while (wanted.size() > 1 && wanted.back() == "1") wanted.pop_back();
    find(tensor.at_dims(), "are {dims}, not [{wanted}]",
         {{"dims", Trusted{tensor.ShapeText()}}, {"wanted", Trusted{absl::StrJoin(wanted, ", ")}}});
  }
  FindBadHeads(names, model, find);
}

}  // namespace

void CheckLegacyDimensionCounts(const CheckContext& context, Finder& find) {
  const LegacyFamily& family = *context.model.file.legacy->family;
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const uint32_t count = tensor.n_dims.value;
    if (count >= family.least_dims && count <= family.most_dims) continue;
    find(tensor.at_n_dims(), "is {count}, not {least} to {most} as in {family}",
         {{"count", count},
          {"least", family.least_dims},
          {"most", family.most_dims},
          {"family", Trusted{family.name}}});
  }
}

constexpr RuleTable kLegacyTensorRules = {
    {.id = "legacy-data-aligned",
     .severities = Everywhere(kError),
     .summary = "The data of a tensor in a GGJT file shall begin at a multiple of 32.",
     .why = "Readers skip to the next multiple of 32 and read the wrong bytes as weights.",
     .repair = "Write zeros after the tensor's name up to the next multiple of 32.",
     .citation = "gguf.md, historical state of affairs: \"Aligns the tensors to allow for use with "
                 "`mmap`\"; llama.cpp's reader of 2023 skips to a multiple of 32.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           const uint64_t alignment = context.model.file.kind.legacy->alignment;
           uint64_t count = 0;
           const TensorInfo* first = nullptr;
           for (const TensorInfo& tensor : context.model.file.tensors) {
             const bool is_aligned = tensor.offset.value % alignment == 0;
             if (!is_aligned && count++ == 0) first = &tensor;
           }
           if (count == 0) return;
           find(first->offset.where, first->subject().Of("data"),
                "begins at {offset}, as the rest of the file shows; the data of {count "
                "tensor|tensors} is "
                "not aligned",
                {{"offset", first->offset.value}, {"count", count}});
         }},
    {.id = "legacy-padding-zero",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kNote, .safety = kWarning},
     .summary = "The bytes before the data of a tensor in a GGJT file should be zero.",
     .why = "Nonzero bytes are remnants of the writer's memory, or hidden data.",
     .repair = "Write zeros.",
     .citation = "Not in the specification; llama.cpp's writer of 2023 wrote zeros; its reader did "
                 "not check.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.file.tensors) {
             const uint64_t begin = tensor.name.where.end;
             const Bytes padding = context.model.file.At({begin, tensor.offset.value});
             const auto first = std::find_if(padding.begin(), padding.end(),
                                             [](uint8_t byte) { return byte != 0; });
             if (first == padding.end()) continue;
             const uint64_t at = begin + (first - padding.begin());
             find({at, at + 1}, tensor.subject().Of("padding"), "has a byte that is not zero", {});
           }
         }},
    {.id = "legacy-quantization-current",
     .severities = {.upload = kWarning},
     .summary = "Quantized tensors should have the blocks that current readers support.",
     .why = "ggml changed the block layouts of Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0 in May 2023 but "
            "kept the ids of these types; readers refuse the older blocks or misread them.",
     .repair = "Quantize the model again from its F16 or F32 file, or use ggufcheck dequantize to "
               "recover the weights.",
     .citation = "ggml's GGML_QNT_VERSION; rwkv.cpp's FILE_FORMAT.md: \"new version of `ggml` can "
                 "not handle loading version `100` quantized models\".",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .check = QuantizationCurrent},
    {.id = "legacy-tensor-names-known",
     .severities = {.upload = kError, .spec = kWarning},
     .summary = "The tensors shall be those that the readers of the format look up.",
     .why = "llama.cpp, whisper.cpp and the readers of ggml's examples refuse a file with any "
            "other tensor.",
     .repair = "Name the tensor as the reader does, or leave it out.",
     .citation = "Not in the specification; the tensor names in whisper.cpp, ggml's examples and "
                 "llama.cpp's reader of 2023.",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           if (!IsRwkv(context.model)) NamesKnown(context, find);
         }},
    {.id = "rwkv-tensor-names-known",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "The tensors of an RWKV model shall be those that rwkv.cpp looks up.",
     .why =
         "rwkv.cpp allocates memory for the tensors it looks up, copies every tensor of the file, "
         "and aborts at one without memory.",
     .repair = "Name the tensor as the reader does, or leave it out.",
     .citation = "Not in the specification; the tensor names in rwkv.cpp, which depend on the "
                 "version of RWKV.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           if (IsRwkv(context.model)) NamesKnown(context, find);
         }},
    {.id = "legacy-tensor-types",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary =
         "A tensor shall have a type that its readers compute with: F32 for norms, biases and "
         "other tensors that are no matrices; in the formats of whisper.cpp and ggml's "
         "examples, the type of the ftype for matrices.",
     .why =
         "llama.cpp and rwkv.cpp abort, or read past the end of the tensor; other readers refuse "
         "the file.",
     .repair = "Convert the model again, with its converter's types.",
     .citation = "Not in the specification; the operations of ggml that add and multiply elements "
                 "take F32, and whisper.cpp and ggml's examples compare sizes.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels},
     .check = TensorTypes},
    {.id = "legacy-tensors-present",
     .severities = {.upload = kError, .spec = kWarning, .safety = kWarning},
     .summary =
         "A file shall have all tensors that its readers look up, unless it is only a vocabulary.",
     .why = "Some readers refuse the file; others use a tensor that does not exist.",
     .repair = "Convert the model again, and write its number of layers as n_layer.",
     .citation = "Not in the specification; whisper.cpp, rwkv.cpp and llama.cpp's reader of 2023 "
                 "refuse the file.",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels},
     .check = TensorsPresent},
    {.id = "legacy-weights-fit",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "The file shall be large enough for the model that its hyperparameters describe, "
                "unless it is only a vocabulary.",
     .why = "Readers allocate the whole model from the hyperparameters alone, before they notice "
            "that tensors are missing.",
     .repair = "Convert the model again, so that header and tensors belong to the same model.",
     .citation = "Not in the specification; whisper.cpp and the readers of ggml's examples "
                 "allocate all tensors before they read one.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels, OnlyUncut},
     .check = WeightsFit},
    {.id = "legacy-block-numbers",
     .severities = {.upload = kError, .spec = kWarning, .safety = kWarning},
     .summary = "The block number in a tensor's name shall be below the number of blocks that the "
                "header states.",
     .why = "Readers allocate memory for the stated number of blocks and refuse the tensor, or "
            "write past the end of this memory.",
     .repair = "Write the model's number of layers into the header.",
     .citation = "Not in the specification; readers build their tables from the header's number.",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           const LegacyNames names(context.model);
           for (const TensorInfo& tensor : context.model.file.tensors) {
             const auto block = names.BlockOf(tensor.name.value);
             if (!block) continue;
             const uint32_t count = context.model.file.legacy->Find(block->hparam)->value;
             if (block->number < count) continue;
             find(tensor.at_name(), "is of block {block}, but {hparam} is {count}",
                  {{"block", block->number}, {"hparam", Trusted{block->hparam}}, {"count", count}});
           }
         }},
    {.id = "legacy-tensor-shapes",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "A tensor's dimensions shall follow from the hyperparameters.",
     .why = "Readers refuse the file, or read past the end of a tensor that is smaller than they "
            "assume.",
     .repair = "Convert the model again, so that header and tensors belong to the same model.",
     .citation = "Not in the specification; whisper.cpp, rwkv.cpp and llama.cpp's reader of 2023 "
                 "refuse the file.",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels, OnlyUncut},
     .check = TensorShapes},
};

}  // namespace gguf
