// Checks of a file against the model of --base: of an adapter, a control vector,
// an importance matrix or a projector against its base, and of a draft model, or
// of blocks for prediction in a file of their own, against its target, the model
// for which it drafts tokens.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/base_model.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/draft_models.h"

namespace gguf {
namespace {

// Returns a number of the base; if it is unknown, records that the rule cannot
// be checked.
std::optional<uint64_t> NumberOf(std::optional<int64_t> number, absl::string_view why_not,
                                 Finder& find) {
  if (number.value_or(-1) >= 0) return static_cast<uint64_t>(*number);
  find.CannotCheck(why_not);
  return std::nullopt;
}

// Reports a dimension of the matrix that differs from the base's.
void ExpectDim(const TensorInfo* matrix, uint32_t dim, const TensorInfo& of, uint32_t wanted,
               absl::string_view format, Finder& find) {
  if (matrix == nullptr || DimOf(*matrix, dim) == DimOf(of, wanted)) return;
  find(matrix->at_dims(), format,
       {{"dim", DimOf(*matrix, dim)}, {"base", of.name.value}, {"wanted", DimOf(of, wanted)}});
}

void ShapeOfBase(const CheckContext& context, Finder& find) {
  const BaseModel& base = *context.base;
  constexpr char kFormat[] = "are for a dimension of {dim}, but {base} has {wanted} in the base";
  for (const LoraPair& pair : LoraPairs(context.model)) {
    const TensorInfo* tensor = base.FindTensor(pair.base);
    if (tensor == nullptr) continue;  // lora-tensor-in-base.
    if (pair.is_embedding) {
      ExpectDim(pair.a, 1, *tensor, 1, kFormat, find);
      ExpectDim(pair.b, 1, *tensor, 0, kFormat, find);
    } else {
      ExpectDim(pair.a, 0, *tensor, 0, kFormat, find);
      ExpectDim(pair.b, 1, *tensor, 1, kFormat, find);
    }
  }
}

void LengthOfBase(const CheckContext& context, Finder& find) {
  const BaseModel& base = *context.base;
  const auto wanted =
      NumberOf(base.embedding_length(), "the embedding length of the base is unknown", find);
  if (!wanted) return;
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const bool is_empty = DimOf(tensor, 0) == 0 || DimOf(tensor, 1) == 0;  // As good as none.
    if (DimOf(tensor, 0) == *wanted || is_empty) continue;
    find(tensor.at_dims(), "have length {length}, but the embedding length of the base is {wanted}",
         {{"length", DimOf(tensor, 0)}, {"wanted", *wanted}});
    return;  // control-vector-lengths-equal reports the others.
  }
}

void ProjectorWidthOfBase(const CheckContext& context, Finder& find) {
  const auto wanted =
      NumberOf(context.base->input_length(), "the length of the base's inputs is unknown", find);
  if (!wanted) return;
  bool is_known = false, is_unknown = false;
  for (const Encoder& encoder : context.model.encoders()) {
    const auto width = WidthOf(context.model, encoder);
    (width ? is_known : is_unknown) = true;
    if (!width || width->Total() == *wanted) continue;
    find(width->tensor->at_dims(),
         width->outputs == 1
             ? "make vectors of length {length}, but the inputs of the base have length {wanted}"
             : "make {outputs vector|vectors} of length {length}, but the inputs of the base have "
               "length "
               "{wanted}",
         {{"length", width->length}, {"outputs", width->outputs}, {"wanted", *wanted}});
  }
  if (!is_unknown) return;
  is_known ? find.CannotCheckRest(kUnknownWidth) : find.CannotCheck(kUnknownWidth);
}

// Returns the row of an architecture whose models only draft, or null.
const DraftModelRow* RowOf(const Model& model) {
  for (const DraftModelRow& row : kDraftModels) {
    if (model.hparams().architecture_name() == row.name) return &row;
  }
  return nullptr;
}

// Returns whether the last block is one for prediction, which reads the hidden
// states of a target.  llama.cpp then drafts with it, even if the file has all
// other blocks, too.
bool DraftsWithItsHead(const Model& model) {
  const Hparams& hparams = model.hparams();
  const auto blocks = hparams.Get(Symbol::kNLayer);
  const auto heads = hparams.Get(Symbol::kNLayerNextn);
  int64_t last;
  if (!blocks || !heads || __builtin_add_overflow(*blocks, *heads - 1, &last)) {
    return false;
  }
  return model.FindTensor(absl::StrCat("blk.", last, ".nextn.eh_proj.weight")) != nullptr;
}

// Requires a model that only drafts, and its target.
Reason OnlyDrafts(const CheckContext& context) {
  if (!context.model.kind().Is(GgufKind::kLanguageModel)) {
    return NotOfThisKind(context);
  }
  return context.base != nullptr && RowOf(context.model) != nullptr ? Reason() : Reason::Silent();
}

// Requires a model that reads the hidden states of its target, and the target.
Reason OnlyReadsStates(const CheckContext& context) {
  if (context.model.kind().Is(GgufKind::kLanguageModel) && context.base != nullptr &&
      DraftsWithItsHead(context.model)) {
    return Reason();
  }
  return OnlyDrafts(context);
}

// Requires a draft model that reads the states of certain layers.
Reason OnlyReadsLayers(const CheckContext& context) {
  Reason why = OnlyDrafts(context);
  return why.empty() && *RowOf(context.model)->layers == 0 ? Reason::Silent() : why;
}

// Requires a model of an architecture that does not only draft, and a target.
Reason OnlyTwoModels(const CheckContext& context) {
  if (!context.model.kind().Is(GgufKind::kLanguageModel)) {
    return NotOfThisKind(context);
  }
  if (context.base == nullptr || RowOf(context.model) != nullptr) {
    return Reason::Silent();
  }
  return Reason();
}

// Returns the key with the length of the hidden states that a model reads, or
// null.
const KeyValue* WidthKey(const Model& model) {
  if (const DraftModelRow* row = RowOf(model)) return model.FindKey(row->width);
  const Hparams& hparams = model.hparams();
  const KeyValue* out = hparams.Key(Symbol::kNEmbdOut);
  return out != nullptr ? out : hparams.Key(Symbol::kNEmbd);
}

void WidthOfBase(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const BaseModel& base = *context.base;
  const KeyValue* kv = WidthKey(model);
  const auto width = kv == nullptr ? std::nullopt : IntegerOf(model.file, *kv);
  if (!width) return find.CannotCheck("the file does not state its width");
  const bool is_head = RowOf(model) == nullptr;
  const auto wanted = is_head ? base.output_length() : base.embedding_length();
  if (!wanted) {
    return find.CannotCheck("the embedding length of the base is unknown");
  }
  if (*width == *wanted) return;
  find(kv->at_value(),
       is_head ? "is {width}, but the output embeddings of the base have length {wanted}"
               : "is {width}, but the embedding length of the base is {wanted}",
       {{"width", *width}, {"wanted", *wanted}});
}

void LayersOfBase(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const KeyValue* kv = model.FindKey(RowOf(model)->layers);
  if (kv == nullptr) {
    return find.CannotCheck("the file does not state which layers it reads");
  }
  const auto blocks = context.base->blocks();
  if (!blocks) {
    return find.CannotCheck("the number of blocks of the base is unknown");
  }
  const uint64_t length = LengthOf(*kv).value_or(0);
  for (uint64_t i = 0; i < length; ++i) {
    const auto layer = IntegerOf(model.file, *kv, i);
    if (!layer || *layer <= *blocks) continue;
    find(ElementOf(*kv, i), "is {layer}, but the base has {blocks block|blocks}",
         {{"layer", *layer}, {"blocks", *blocks}});
    return;  // One finding is enough.
  }
}

constexpr uint64_t kMostDifference = 128;
constexpr uint64_t kFirstCompared = 5;

// Compares a special token that both models add, if both state it.  Reports it
// and returns false if it differs.
bool SameSpecial(const CheckContext& context, const char* flag, const char* id, Finder& find) {
  const BaseModel& base = *context.base;
  const auto differs = [&](const char* name) {
    const KeyValue* mine = context.model.FindKey(name);
    const KeyValue* other = base.FindKey(name);
    if (mine == nullptr || other == nullptr) return false;
    const auto value = IntegerOf(context.model.file, *mine);
    const auto wanted = IntegerOf(base.file(), *other);
    if (!value || !wanted || *value == *wanted) return false;
    find(mine->at_value(), "is {value}, but the base has {wanted}",
         {{"value", *value}, {"wanted", *wanted}});
    return true;
  };
  if (differs(flag)) return false;
  const KeyValue* adds = context.model.FindKey(flag);
  return adds == nullptr || IntegerOf(context.model.file, *adds) != 1 || !differs(id);
}

void VocabularyOfBase(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const Vocabulary& mine = model.vocabulary();
  const Vocabulary& other = context.base->vocabulary();
  if (mine.key() == nullptr || other.key() == nullptr || mine.tokenizer() == nullptr ||
      other.tokenizer() == nullptr) {
    return find.CannotCheck({"the model or the base has no known vocabulary", Reason::kNotAbout});
  }
  if (mine.tokenizer()->kind != other.tokenizer()->kind) {
    const KeyValue* kv = model.FindKey("tokenizer.ggml.model");
    return find(kv->at_value(), "is {model}, but the base has {base}",
                {{"model", mine.tokenizer()->model}, {"base", other.tokenizer()->model}});
  }
  if (!SameSpecial(context, "tokenizer.ggml.add_bos_token", "tokenizer.ggml.bos_token_id", find) ||
      !SameSpecial(context, "tokenizer.ggml.add_eos_token", "tokenizer.ggml.eos_token_id", find)) {
    return;
  }
  const uint64_t fewer = std::min(mine.size(), other.size());
  if (std::max(mine.size(), other.size()) - fewer > kMostDifference) {
    return find(mine.key()->at_value(), "has {size token|tokens}, but the base has {wanted}",
                {{"size", mine.size()}, {"wanted", other.size()}});
  }
  for (uint64_t i = kFirstCompared; i < fewer; ++i) {
    if (mine.tokens()[i] == other.tokens()[i]) continue;
    return find(mine.at(i), "is {token}, but the base has {wanted}",
                {{"token", mine.tokens()[i]}, {"wanted", other.tokens()[i]}});
  }
}

constexpr Requirement kProjectorWithBase = OnlyWithBase<GgufKind::kProjector>;
constexpr Requirement kLoraWithBase = OnlyWithBase<GgufKind::kLora>;
constexpr Requirement kVectorWithBase = OnlyWithBase<GgufKind::kControlVector>;

}  // namespace

constexpr RuleTable kBaseRules = {
    {.id = "lora-architecture-of-base",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A LoRA adapter shall have the architecture of its base.",
     .why = "llama.cpp rejects an adapter whose architecture differs from the model's.",
     .repair = "Use the adapter with the model that it was trained on.",
     .citation =
         "Not in the specification; llama.cpp throws \"model arch and LoRA arch mismatch\".",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kLoraWithBase},
     .check =
         [](const CheckContext& context, Finder& find) {
           const BaseModel& base = *context.base;
           const KeyValue* kv = context.model.hparams().architecture_key();
           if (kv == nullptr) return;  // architecture-present.
           if (base.architecture().empty()) {
             return find.CannotCheck("the base has no architecture");
           }
           const absl::string_view name = context.model.hparams().architecture_name();
           if (name == base.architecture()) return;
           find(kv->at_value(), "is {name}, but the base has {base}",
                {{"name", name}, {"base", base.architecture()}});
         }},
    {.id = "lora-tensor-in-base",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "Every tensor that a LoRA adapter adapts shall exist in its base.",
     .why = "llama.cpp rejects an adapter with a tensor that the base lacks.",
     .repair = "Use the adapter with the model that it was trained on.",
     .citation = "Not in the specification; llama.cpp throws \"LoRA tensor '...' does not exist in "
                 "base model\".",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kLoraWithBase},
     .check =
         [](const CheckContext& context, Finder& find) {
           const BaseModel& base = *context.base;
           for (const LoraPair& pair : LoraPairs(context.model)) {
             if (base.FindTensor(pair.base) != nullptr) continue;
             if (!base.why_not_all_tensors().empty()) {
               return find.CannotCheck(base.why_not_all_tensors());
             }
             find(pair.any().name.where, pair.any().subject(),
                  "adapts {name}, which the base does not have", {{"name", pair.base}});
           }
         }},
    {.id = "lora-shape-of-base",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The product of the two matrices of a LoRA adapter shall have the shape of the "
                "tensor that they adapt.",
     .why =
         "The product is added to the tensor; llama.cpp rejects the adapter if the shapes differ.",
     .repair = "Use the adapter with the model that it was trained on.",
     .citation = "Not in the specification; llama.cpp throws \"tensor '...' has incorrect shape\".",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kLoraWithBase},
     .check = ShapeOfBase},
    {.id = "lora-experts-of-base",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary =
         "The matrices of a LoRA adapter shall have as many experts as the tensor that they adapt.",
     .why =
         "llama.cpp uses the base's number of experts and writes out of bounds (llama.cpp #29128).",
     .repair = "Use the adapter with the model that it was trained on.",
     .citation = "Not in the specification; ggml's matrix multiplication for experts "
                 "(ggml_mul_mat_id) uses the model's number of experts.",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kLoraWithBase},
     .check =
         [](const CheckContext& context, Finder& find) {
           const BaseModel& base = *context.base;
           for (const LoraPair& pair : LoraPairs(context.model)) {
             const TensorInfo* tensor = base.FindTensor(pair.base);
             if (tensor == nullptr || !pair.is_used) continue;  // lora-tensor-in-base.
             const uint64_t wanted = DimOf(*tensor, 2);
             for (const TensorInfo* matrix : {pair.a, pair.b}) {
               if (matrix == nullptr || DimOf(*matrix, 2) == wanted) continue;
               find(matrix->at_dims(),
                    "have {dim expert|experts}, but {base} has {wanted} in the base",
                    {{"dim", DimOf(*matrix, 2)},
                     {"base", pair.base},
                     {"wanted", wanted},
                     {"they", Trusted{DimOf(*matrix, 2) < wanted ? "lack some" : "have more"}}});
             }
           }
         }},
    {.id = "lora-embeddings-untied-in-base",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A LoRA adapter of the token embeddings shall have a base with a matrix of its own "
                "for the output.",
     .why = "llama.cpp loads the adapter, and aborts when it computes: the matrices are made for a "
            "lookup of tokens, and it also multiplies with them for the output.",
     .repair = "Merge the adapter into its base.",
     .citation = "Not in the specification; observed in llama.cpp b11669 on a CPU.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kLoraWithBase},
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr absl::string_view kInput = "token_embd.weight", kOutput = "output.weight";
           const absl::string_view why_not = context.base->why_not_all_tensors();
           if (!IsAdapted(context.model.hparams().architecture(), kOutput)) return;
           for (const LoraPair& pair : LoraPairs(context.model)) {
             const bool is_input = pair.base == kInput;
             if (!is_input && pair.base != kOutput) continue;
             if (context.base->FindTensor(is_input ? kOutput : kInput) != nullptr) continue;
             if (!why_not.empty()) return find.CannotCheck(why_not);
             find(pair.any().name.where, pair.any().subject(),
                  "adapts {name}, which the base uses for both input and output",
                  {{"name", pair.base}});
           }
         }},
    {.id = "control-vector-hint-of-base",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "controlvector.model_hint should be the architecture of the base.",
     .why = "The directions have no meaning for a different model.",
     .repair = "Use the control vector with the model that it was made from.",
     .citation = "Not in the specification; llama.cpp's control vector generator writes this key.",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kVectorWithBase},
     .check =
         [](const CheckContext& context, Finder& find) {
           const BaseModel& base = *context.base;
           const KeyValue* kv = context.model.FindKey("controlvector.model_hint");
           if (kv == nullptr) return;  // kind-keys-usual.
           const auto hint = context.model.file.String(*kv);
           if (!hint || base.architecture().empty()) {
             return find.CannotCheck("the hint or the base has no architecture");
           }
           if (*hint == base.architecture()) return;
           find(kv->at_value(), "is {hint}, but the architecture of the base is {base}",
                {{"hint", *hint}, {"base", base.architecture()}});
         }},
    {.id = "control-vector-length-of-base",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The directions of a control vector shall have the embedding length of the base.",
     .why = "The directions are added to the base's hidden states; llama.cpp rejects the control "
            "vector.",
     .repair = "Use the control vector with the model that it was made from.",
     .citation = "Not in the specification; llama.cpp reports \"control vector n_embd does not "
                 "match model\".",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kVectorWithBase},
     .check = LengthOfBase},
    {.id = "control-vector-layer-of-base",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "The layers of a control vector should be below the number of blocks of the base.",
     .why = "llama.cpp ignores directions for layers that do not exist.",
     .repair = "Use the control vector with the model that it was made from.",
     .citation = "Not in the specification; llama.cpp applies the directions of layers 1 to "
                 "block_count - 1.",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kVectorWithBase},
     .check =
         [](const CheckContext& context, Finder& find) {
           const BaseModel& base = *context.base;
           const auto blocks =
               NumberOf(base.blocks(), "the number of blocks of the base is unknown", find);
           if (!blocks) return;
           for (const TensorInfo& tensor : context.model.file.tensors) {
             const auto layer = DirectionLayer(tensor.name.value);
             if (!layer || *layer < *blocks) continue;
             find(tensor.name.where, tensor.subject(),
                  "is for layer {layer}, but the base has {blocks block|blocks}",
                  {{"layer", *layer}, {"blocks", *blocks}});
           }
         }},
    {.id = "projector-width-of-base",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The vectors that a projector produces shall have the length of the base's inputs.",
     .why = "The vectors take the place of token embeddings; llama.cpp refuses a projector of a "
            "different width.",
     .repair = "Use the projector that was converted from the same model.",
     .citation = "Not in the specification; llama.cpp's mtmd.cpp reports \"mismatch between text "
                 "model (n_embd = ...) and mmproj (n_embd = ...)\".",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {kProjectorWithBase},
     .check = ProjectorWidthOfBase},
    {.id = "draft-width-of-base",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary =
         "A draft model that reads the hidden states of its target shall be made for the embedding "
         "length of the target; so shall a model whose last block is for prediction (nextn, MTP).",
     .why = "llama.cpp copies the hidden states into rows of the draft model's width; it aborts or "
            "reads out of bounds if the widths differ.",
     .repair = "Use the draft model with the model that it was trained for, or, if it is a whole "
               "model, draft without its block for prediction: --spec-type.",
     .citation = "Not in the specification; common/speculative.cpp (it selects draft-mtp for a "
                 "model with nextn.eh_proj.weight in the last block, and asserts that the output "
                 "embeddings of both are equally long) and the loaders for eagle3, dflash and "
                 "gemma4-assistant in llama.cpp of August 2026.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .against = Against::kBase,
     .requirements = {OnlyReadsStates},
     .check = WidthOfBase},
    {.id = "draft-layers-of-base",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The layers whose hidden states a draft model reads shall exist in its target.",
     .why = "llama.cpp aborts if the number of such a layer exceeds the target's number of blocks.",
     .repair = "Use the draft model with the model that it was trained for.",
     .citation = "Not in the specification; llama.cpp's common/speculative.cpp: \"target layer id "
                 "... exceeds target n_layer\".",
     .since = "0.2.0",
     .against = Against::kBase,
     .requirements = {OnlyReadsLayers},
     .check = LayersOfBase},
    {.id = "draft-vocabulary-of-base",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "A model that drafts tokens for another shall have a compatible vocabulary: the "
                "same tokenizer model, the same BOS and EOS where they are added, a size that "
                "differs by at most 128, and the same token strings from id 5 on.",
     .why = "llama.cpp compares the tokens that the draft model proposes with those of the target "
            "by token id, and refuses a pair of models with different tokens.",
     .repair = "Choose a draft model of the same family.",
     .citation = "Not in the specification; llama.cpp's common/speculative.cpp: \"the target and "
                 "draft vocabs are not compatible\".",
     .since = "0.2.0",
     .against = Against::kBase,
     .requirements = {OnlyTwoModels},
     .check = VocabularyOfBase},
};

}  // namespace gguf
