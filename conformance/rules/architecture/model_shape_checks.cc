// Checks of the shapes and types of a model's tensors, of tensors that belong
// together, and of where their data begins.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "conformance/base/bytes.h"
#include "conformance/rules/architecture/expected_shape.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/computed_types.h"

namespace gguf {
namespace {

constexpr char kTokenEmbedding[] = "token_embd.weight";

Trusted Listed(absl::Span<const int64_t> dims) {
  return Trusted{absl::StrCat("[", absl::StrJoin(dims, ", "), "]")};
}

void CheckShape(const Model& model, const Component& component, bool lacks_key,
                const TensorInfo& tensor, Finder& find) {
  const TensorRole& role = component.RoleOf(model, tensor);
  if (!HasExpectedShape(role, tensor)) return;
  const Dims& dims = role.row->shape;
  const Shape found = ShapeOf(tensor);
  const auto expected =
      ExpectedShape(model.whole(), component.hparams, lacks_key, found, dims, role.block);
  if (!expected) return find.CannotCheck("a hyperparameter that gives a shape is not known");
  if (Fits(dims, found, *expected)) return;
  std::vector<const Expr*> wrong;
  for (uint32_t d = 0; d < dims.rank; ++d) {
    if (dims.any_shape || found[d] != (*expected)[d]) wrong.push_back(&dims.dims[d]);
  }
  const std::string keys = KeysBehind(component.hparams, std::move(wrong), role.block);
  const char* const follows = keys.empty() ? "" : ", which follows from {keys}";
  if (dims.any_shape) {
    find(tensor.dims_where(), tensor.subject().Of("dims"),
         absl::StrCat("are those of {count element|elements}, not {expected}", follows),
         {{"count", *ElementsOf(found)},
          {"expected", *ElementsOf(*expected)},
          {"keys", Trusted{keys}}});
    return;
  }
  const absl::Span<const int64_t> shown(expected->data(), std::max<size_t>(dims.rank, 1));
  find(tensor.dims_where(), tensor.subject().Of("dims"),
       absl::StrCat("are {dims}, not {expected}", follows),
       {{"dims", Listed({found.data(), tensor.rank()})},
        {"expected", Listed(shown)},
        {"keys", Trusted{keys}}});
}

void ModelTensorShapes(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  for (const Component& component : ComponentsOf(model)) {
    const bool lacks_key = !component.is_encoder && LacksKeyOfLoader(model.whole());
    for (const TensorInfo& tensor : model.file.tensors) {
      CheckShape(model, component, lacks_key, tensor, find);
    }
  }
}

void VocabularyFitsEmbedding(const CheckContext& context, Finder& find) {
  const TensorRoles& roles = context.model.whole().tensor_roles();
  const Model& whole = context.model.whole();
  const TensorInfo* tensor = whole.FindTensor(kTokenEmbedding);
  const TensorRow* row = roles.RowFor(kTokenEmbedding, 0);
  if (tensor == nullptr || row == nullptr || !context.model.Owns(*tensor)) {
    return;
  }
  if (row->shape.rank < 2 || row->shape.dims[1].empty()) return;
  const auto tokens = whole.hparams().Get(Symbol::kNVocab);
  if (!tokens || (*tokens == 0 && LacksKeyOfLoader(whole))) {
    return find.CannotCheck("the number of tokens is not known");
  }
  const int64_t rows = ShapeOf(*tensor)[1];
  if (rows == *tokens) return;
  find(tensor->dims_where(), tensor->subject().Of("dims"),
       "make {rows row|rows}, but the vocabulary has {tokens token|tokens}",
       {{"rows", static_cast<uint64_t>(rows)}, {"tokens", static_cast<uint64_t>(*tokens)}});
}

Reason OnlyRwkv(const Model& model) {
  return model.whole().hparams().architecture_name() == "rwkv" ? OnlyWholeModels(model)
                                                               : Reason::Silent();
}

// Where the table requires one of the forms, model-tensors-present reports a
// missing one.
void AttentionHasProjections(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const TensorRoles& roles = model.tensor_roles();
  const KeyValue& architecture = *model.hparams().architecture_key();
  constexpr char kFused[] = "blk.%d.attn_qkv.weight";
  const int64_t blocks = model.hparams().Get(Symbol::kNLayer).value_or(kMostBlocks);
  for (const int64_t block : roles.BlocksOf("blk.")) {
    const TensorRow* fused = roles.RowFor(kFused, block);
    if (fused == nullptr || roles.Has(kFused, block)) continue;
    for (const char* name :
         {"blk.%d.attn_q.weight", "blk.%d.attn_k.weight", "blk.%d.attn_v.weight"}) {
      const TensorRow* part = roles.RowFor(name, block);
      if (part == nullptr || roles.Requires(*part, block).value_or(true)) break;
      if (roles.Has(name, block)) continue;
      const std::string part_name = model.hparams().Expand(name, block);
      const std::string fused_name = model.hparams().Expand(kFused, block);
      find(architecture.value, architecture.subject(),
           "is that of a model with attention, but there is neither {fused} nor {part}",
           {{"fused", absl::string_view(fused_name)},
            {"part", absl::string_view(part_name)},
            {"for", Trusted{block < blocks ? "text" : "prediction"}}});
      break;
    }
  }
}

// Reports the rows of computed_types.tsv that name the rule.
void CheckComputedTypes(const CheckContext& context, Finder& find) {
  for (const Component& component : ComponentsOf(context.model)) {
    for (const TensorInfo& tensor : context.model.file.tensors) {
      const TensorTypeInfo* type = tensor.type_info();
      const Role role = component.RoleOf(context.model, tensor).role;
      if (type == nullptr || role != Role::kAskedFor) continue;
      const ComputedType* row =
          ForbidsType(component.hparams.architecture(), tensor.name.value, type->id);
      if (row == nullptr || find.rule().id != absl::string_view(row->rule)) continue;
      find(tensor.type.where, tensor.subject().Of("type"), row->says,
           {{"type", Trusted{type->name}}, {"stage", Trusted{WordOf(row->stage)}}});
    }
  }
}

// Returns whether llama.cpp multiplies a vector by the tensor: it may have types other than F32,
// and is not a table in which tokens are looked up.
bool IsMultiplied(uint16_t architecture, const TensorInfo& tensor) {
  const absl::string_view name = tensor.name.value;
  return !absl::StrContains(name, "_embd") && !absl::StrContains(name, "token_types") &&
         ForbidsType(architecture, name, static_cast<uint32_t>(TensorType::kF16)) == nullptr;
}

constexpr uint64_t kMappedAlignment = 32;

// Requires a file with tensors that llama.cpp loads as a model or part of one.
Reason OnlyMapped(const Model& model) {
  if (model.file.tensors.empty()) return Reason::Silent();
  Reason why = OnlyModels(model.whole());
  return why.empty() || model.is_whole() ? why : Reason::Silent();
}

}  // namespace

constexpr RuleTable kModelShapeRules = {
    {.id = "model-tensor-shapes",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A tensor's dimensions shall follow from the hyperparameters.",
     .why = "llama.cpp refuses the file; a reader that does not compare the shapes reads outside "
            "the tensor.",
     .repair = "Correct the hyperparameter, or convert the model again.",
     .citation = "Not in the specification; llama.cpp compares the shape of each tensor "
                 "with the hyperparameters.",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithComponents},
     .check = ModelTensorShapes},
    {.id = "vocabulary-fits-embedding",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError},
     .summary = "The token embedding shall have a row for each token of the vocabulary.",
     .why = "The lookup of a token id without a row reads outside the tensor; llama.cpp refuses "
            "the file.",
     .repair = "Write the tokenizer that belongs to the model, padded to as many tokens as the "
               "embedding has rows.",
     .citation = "gguf.md, tokenizer.ggml.tokens: \"indexed by the token ID\"; llama.cpp compares "
                 "the number of tokens with the number of rows.",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithRoles},
     .check = VocabularyFitsEmbedding},
    {.id = "rwkv-head-rows",
     .severities = {.upload = kWarning, .spec = kWarning},
     .summary = "In a model of the architecture rwkv, the head should have a row for each token.",
     .why = "Readers take the vocabulary size from the head; if it differs from the number of "
            "tokens, some tokens have no logit, or some logits have no token.",
     .repair = "Write the tokenizer that belongs to the model.",
     .citation = "gguf.md, RWKV: \"The vocabulary size is the same as the number of rows in the "
                 "`head` matrix\".",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyRwkv},
     // The specification gives the matrix no name: these are those of the
     // original model and of the other architectures.
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto tokens = context.model.hparams().Get(Symbol::kNTokens);
           if (!tokens) return;
           for (const char* name : {"head.weight", "output.weight"}) {
             const TensorInfo* tensor = context.model.FindTensor(name);
             if (tensor == nullptr || !context.model.Owns(*tensor)) continue;
             const int64_t rows = ShapeOf(*tensor)[1];
             if (rows == *tokens) continue;
             find(tensor->dims_where(), tensor->subject().Of("dims"),
                  "make {rows row|rows}, but the vocabulary has {tokens token|tokens}",
                  {{"rows", static_cast<uint64_t>(rows)},
                   {"tokens", static_cast<uint64_t>(*tokens)}});
           }
         }},
    {.id = "attention-has-projections",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "A block with attention shall have the tensors for Q, K and V, fused or separate.",
     .why =
         "In some architectures, llama.cpp treats both forms as optional. It also skips the blocks "
         "for multi-token prediction unless it is told to use them. In both cases, llama.cpp loads "
         "a file without these tensors, and crashes when it evaluates the block.",
     .repair = "Convert the model again.",
     .citation = "Not in the specification; attention does not work without these tensors; "
                 "llama.cpp's loader for phi3 requires neither form.",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithRoles},
     .check = AttentionHasProjections},
    {.id = "model-norms-f32",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "Norms, biases and other tensors that are added or multiplied element by element "
                "shall be F32.",
     .why = "llama.cpp loads the file, and aborts when it computes.",
     .repair = "Leave these tensors as F32 when quantizing; they are small.",
     .citation = "Not in the specification; llama.cpp's converters and quantizer keep these "
                 "tensors as F32. Observed in llama.cpp v0.5.0 and b12211 on a CPU.",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithComponents},
     .check = CheckComputedTypes},
    {.id = "model-weights-computable",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "Weights shall have a type with which llama.cpp computes.",
     .why = "llama.cpp loads the file, and crashes when it computes: for I8, I16, I32, I64, F64, "
            "Q8_1 and Q8_K, ggml has no multiplication of matrices, and calls a null pointer.",
     .repair = "Convert the model again, to F32, F16, BF16 or a quantized type of weights.",
     .citation = "Not in the specification; observed in llama.cpp v0.5.0 and b12211 on a CPU.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithComponents},
     .check = CheckComputedTypes},
    {.id = "model-matrices-not-empty",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The rows of a matrix of a model shall have elements.",
     .why = "llama.cpp aborts while it loads the file.",
     .repair = "Write the values of the original model's configuration, and convert it again.",
     .citation = "Not in the specification; ggml asserts that a matrix is not transposed, and "
                 "takes one with empty rows for such.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithRoles},
     .check =
         [](const CheckContext& context, Finder& find) {
           const uint16_t architecture = context.model.whole().hparams().architecture();
           for (const TensorInfo& tensor : context.model.file.tensors) {
             if (tensor.rank() < 2 || tensor.dims[0] != 0) continue;
             if (context.model.RoleOf(tensor).role != Role::kAskedFor) continue;
             if (!IsMultiplied(architecture, tensor)) continue;
             const Shape found = ShapeOf(tensor);
             find(tensor.dims_where(), tensor.subject().Of("dims"),
                  "are {dims}, so a row has no elements",
                  {{"dims", Listed({found.data(), tensor.rank()})}});
           }
         }},
    {.id = "model-rope-factors-f32",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The factors of the rotary embedding shall be F32.",
     .why = "llama.cpp aborts while it loads a file in which rope_freqs or rope_factors have "
            "another type.",
     .repair = "Leave these tensors as F32 when quantizing; they are small.",
     .citation =
         "Not in the specification; ggml asserts that the factors of ggml_rope_ext are F32.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithRoles},
     .check = CheckComputedTypes},
    {.id = "model-data-start-aligned",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The data section of a model shall begin at a multiple of 32 bytes in the file, "
                "and so shall that of each shard.",
     .why = "By default, llama.cpp maps the file into memory, and aborts if the data begins "
            "anywhere else. With --no-mmap, llama.cpp loads the file.",
     .repair = "Write the file with an alignment of 32, or lengthen a string value, such as "
               "general.description, by the number of bytes that the message states.",
     .citation =
         "Not in the specification, which also allows an alignment of 8 or 16; ggml-backend.cpp "
         "asserts \"buffer pointer must be aligned\", with TENSOR_ALIGNMENT 32.",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .requirements = {OnlyMapped},
     // Only an alignment below 32 allows such a start.
     .check =
         [](const CheckContext& context, Finder& find) {
           const File& file = context.model.file;
           const uint64_t beyond = file.data_begin % kMappedAlignment;
           const KeyValue* kv = context.model.FindKey("general.alignment");
           if (beyond == 0 || kv == nullptr) return;
           find(kv->at_value(),
                "is {alignment}, so the data begins at byte {begin}, which is not a multiple of "
                "32; lengthening a string value by {padding byte|bytes} aligns the data",
                {{"alignment", file.alignment},
                 {"begin", file.data_begin},
                 {"padding", kMappedAlignment - beyond}});
         }},
    {.id = "model-tensor-start-aligned",
     .severities = {.upload = kError},
     .summary = "A tensor of a model shall begin at a multiple of 32 bytes in the file, unless it "
                "directly follows a tensor that is not quantized.",
     .why = "By default, llama.cpp maps the file into memory. Since b11669, tensors without a gap "
            "between them share a buffer, and llama.cpp aborts if a buffer begins anywhere else. "
            "Padding is a gap, and so is a quantized tensor that llama.cpp repacks.",
     .repair = "Write the file with an alignment of 32.",
     .citation = "Not in the specification, which also allows an alignment of 8 or 16. Observed "
                 "in llama.cpp b11669, which asserts \"buffer pointer must be aligned\".",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .requirements = {OnlyMapped},
     .check =
         [](const CheckContext& context, Finder& find) {
           const File& file = context.model.file;
           if (file.alignment % kMappedAlignment == 0) return;
           // Only tensors in a section that model-data-start-aligned accepts.
           if (file.data_begin % kMappedAlignment != 0) return;
           // The offset of a tensor that shares the buffer of the one before.
           uint64_t next = 0;
           for (const TensorInfo& tensor : file.tensors) {
             const uint64_t offset = tensor.offset.value;
             if (offset != next && offset % kMappedAlignment != 0) {
               find(tensor.at_offset(),
                    "is {offset}, not a multiple of 32, after padding or a quantized tensor",
                    {{"offset", offset}});
             }
             const TensorTypeInfo* type = tensor.type_info();
             const bool is_plain = type != nullptr && type->block_elements == 1 && tensor.bytes;
             next = is_plain ? offset + *tensor.bytes : 0;
           }
         }},
};

}  // namespace gguf
