// Checks of what the metadata states about the tensors' types:
// general.file_type and general.quantization_version.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/reason.h"
#include "conformance/model/tensor_table.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/file_types.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

constexpr char kVersionKey[] = "general.quantization_version";
constexpr char kTypeKey[] = "general.file_type";
constexpr uint64_t kCurrentVersion = 2;

// Returns the first quantized tensor; null when there is none.
const TensorInfo* FirstQuantized(const TensorTable& tensors) {
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const TensorTypeInfo* type = tensors[i].type_info();
    if (type != nullptr && type->quantized) return &tensors[i];
  }
  return nullptr;
}

void QuantizationVersionPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  if (model.FindKey(kVersionKey) != nullptr) return;
  // The files of stable-diffusion.cpp have no keys: image-architecture-present.
  if (model.file.keys.empty() && model.kind().kind == GgufKind::kImageModel) {
    return;
  }
  const TensorInfo* first = FirstQuantized(model.tensors());
  if (first == nullptr) return;
  if (model.hparams().Get(Symbol::kSplitNo).value_or(0) > 0) {
    return find.CannotCheck(kKeysInFirst);
  }
  const KeyValue* kv = model.hparams().architecture_key();
  find(kv != nullptr ? kv->at_value() : AbsentKey(model, kVersionKey),
       kv != nullptr ? "is that of a file with quantized tensors, such as {tensor} ({type}), but "
                       "{key} is missing; write 2"
                     : "is missing, although tensors are quantized, such as {tensor} ({type}); "
                       "write 2",
       {{"key", Trusted{kVersionKey}},
        {"tensor", first->name.value},
        {"type", Trusted{first->type_info()->name}}});
}

// Requires the key, with a number.
template <const char* name>
Reason OnlyWithNumber(const Model& model) {
  const KeyValue* kv = model.FindKey(name);
  if (kv == nullptr) return Reason::Silent();
  return model.file.Unsigned(*kv) ? Reason() : "its type is wrong";
}

// The value of general.file_type, which is present and a number.
struct StatedType {
  explicit StatedType(const Model& model)
      : kv(*model.FindKey(kTypeKey)), id(*model.file.Unsigned(kv)) {
    if (id < kFileTypes.size) type = &kFileTypes[id];
  }

  const KeyValue& kv;
  const uint64_t id;
  const FileType* type = nullptr;  // Null for an unknown id.
};

Reason OnlyWithKnownType(const Model& model) {
  Reason why = OnlyWithNumber<kTypeKey>(model);
  if (!why.empty() || StatedType(model).type != nullptr) return why;
  return "it is not known";
}

// Returns " (file type 7)" if one is about this type alone.
std::string FileTypeFor(const TensorTypeInfo& type) {
  for (uint64_t id = 0; id < kFileTypes.size; ++id) {
    const FileType& row = kFileTypes[id];
    if (row.types == uint64_t{1} << type.id && row.name == absl::string_view(type.name)) {
      return absl::StrCat(" (file type ", id, ")");
    }
  }
  return "";
}

void FileTypeMatchesTensors(const CheckContext& context, Finder& find) {
  const StatedType stated(context.model);
  if (stated.type == nullptr) return;
  const Majority most = MostTensors(context.model.tensors(), stated.type->types);
  if (!most.contradicts()) return;
  find(stated.kv.at_value(),
       "is {id} ({name}), but this is the type of {asked} of {all matrix|matrices}; "
       "{type}{file_type} is the type of {count}",
       {{"id", stated.id},
        {"name", Trusted{stated.type->name}},
        {"asked", most.asked},
        {"count", most.tensors},
        {"all", most.of},
        {"type", Trusted{most.type->name}},
        {"file_type", Trusted{FileTypeFor(*most.type)}}});
}

// Returns whether a weight of type `a` takes fewer bits than one of type `b`.
bool IsSmaller(const TensorTypeInfo& a, const TensorTypeInfo& b) {
  return uint64_t{a.block_bytes} * b.block_elements < uint64_t{b.block_bytes} * a.block_elements;
}

// Returns the type of `types` with the fewest bits.
const TensorTypeInfo* Smallest(uint64_t types) {
  const TensorTypeInfo* smallest = nullptr;
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if ((types >> type.id & 1) == 0) continue;
    if (smallest == nullptr || IsSmaller(type, *smallest)) smallest = &type;
  }
  return smallest;
}

// Some models are published in these types, and quantizers leave them so.
bool IsOriginal(const TensorTypeInfo& type) {
  return type.id == static_cast<uint32_t>(TensorType::kMXFP4) ||
         type.id == static_cast<uint32_t>(TensorType::kNVFP4);
}

void FileTypeBounds(const CheckContext& context, Finder& find) {
  const StatedType stated(context.model);
  if (stated.type == nullptr) return;
  const uint64_t mix = stated.type->mix;
  const bool is_mix = (mix & (mix - 1)) != 0;
  const TensorTypeInfo* least = Smallest(mix);
  if (!is_mix || least == nullptr || !least->quantized) return;
  const TensorTypeInfo* smallest = nullptr;
  uint64_t count = 0;
  for (uint32_t i = 0; i < context.model.tensors().size(); ++i) {
    const TensorInfo& tensor = context.model.tensors()[i];
    const TensorTypeInfo* type = tensor.type_info();
    if (tensor.rank() < 2 || type == nullptr || !type->quantized || IsOriginal(*type) ||
        !IsSmaller(*type, *least)) {
      continue;
    }
    ++count;
    if (smallest == nullptr || IsSmaller(*type, *smallest)) smallest = type;
  }
  if (smallest == nullptr) return;
  find(stated.kv.at_value(),
       "is {id} ({name}), whose smallest type is {least}, but {count matrix has|matrices have} a "
       "smaller one, down to {type}",
       {{"id", stated.id},
        {"name", Trusted{stated.type->name}},
        {"least", Trusted{least->name}},
        {"count", count},
        {"type", Trusted{smallest->name}}});
}

}  // namespace

constexpr RuleTable kQuantizationRules = {
    {.id = "quantization-version-present",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kWarning},
     .summary = "A file with quantized tensors shall have general.quantization_version.",
     .why = "If the layout of a type's blocks changes again, readers cannot tell which version the "
            "file has.",
     .repair = "Write general.quantization_version as a u32 with the value 2.",
     .citation =
         "gguf.md, required keys: \"If any tensors are quantized, this _must_ be present\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard},
     .check = QuantizationVersionPresent},
    {.id = "quantization-version-current",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kNote},
     .summary = "general.quantization_version should be 2.",
     .why = "In other versions, blocks have a different layout, but no reader checks the version.",
     .repair = "If the file was quantized in or after May 2023, write 2; otherwise quantize the "
               "model again.",
     .citation = "Not in the specification; GGML_QNT_VERSION has always been 2 in GGUF.",
     .requirements = {OnlyWithNumber<kVersionKey>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue& kv = *context.model.FindKey(kVersionKey);
           const uint64_t version = *context.model.file.Unsigned(kv);
           if (version == kCurrentVersion) return;
           find(kv.at_value(), "is {version}, not 2", {{"version", version}});
         }},
    {.id = "file-type-known",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kNote},
     .summary = "general.file_type should be a number that was assigned and not removed.",
     .why = "Programs show the type of the file as unknown.",
     .repair = "Write the number of the type that most tensors have, or leave the key out.",
     .citation = "gguf.md, `general.file_type`; llama.cpp's llama_ftype goes up to 41.",
     .requirements = {OnlyWithNumber<kTypeKey>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const StatedType stated(context.model);
           if (stated.type == nullptr) {
             find(stated.kv.at_value(), "is {id}, which stands for no type", {{"id", stated.id}});
           } else if (stated.type->status == FileTypeStatus::kRemoved) {
             find(stated.kv.at_value(), "is {id} ({name}), which was removed",
                  {{"id", stated.id}, {"name", Trusted{stated.type->name}}});
           }
         }},
    {.id = "file-type-specified",
     .severities = {.spec = kWarning},
     .summary = "general.file_type should be a number that the specification lists.",
     .why = "A reader that follows the specification does not know the type.",
     .repair = "No change is needed for llama.cpp, which knows more types.",
     .citation = "gguf.md, `general.file_type`: the list ends with MOSTLY_Q6_K = 18.",
     .requirements = {OnlyWithNumber<kTypeKey>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const StatedType stated(context.model);
           if (stated.type == nullptr || stated.type->status != FileTypeStatus::kNewer) return;
           find(stated.kv.at_value(), "is {id} ({name}), which the specification does not list",
                {{"id", stated.id}, {"name", Trusted{stated.type->name}}});
         }},
    {.id = "file-type-matches-tensors",
     .severities = {.upload = kNote, .spec = kNote, .llama_cpp = kNote},
     .summary = "general.file_type should be the type of most of the tensors.",
     .why = "Catalogues and programs show the wrong quantization.",
     .repair = "Write the number of the type that most tensors have, or leave the key out.",
     .citation =
         "gguf.md, `general.file_type`: \"the type of the majority of the tensors in the file\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithKnownType, OnlyWithAllTensors},
     .check = FileTypeMatchesTensors},
    {.id = "file-type-bounds-tensors",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "If general.file_type is a mix of types, no matrix should have fewer bits per "
                "weight than the smallest type that llama.cpp's quantizer uses for it.",
     .why = "The file name and catalogues promise more precision than some of the tensors have.",
     .repair = "Write the number of the type that the file has, or leave the key out if the types "
               "were chosen by hand.",
     .citation = "Not in the specification; the quantizer in llama.cpp of August 2026; the files "
                 "in llama.cpp's tests/snapshots list the tensor types of twelve models.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithKnownType, OnlyWithAllTensors},
     .check = FileTypeBounds},
};

}  // namespace gguf
