// Checks of a draft model, or of blocks for prediction in a file of their own,
// against its target, the model for which it drafts tokens.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "conformance/model/base_model.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/companions/checks.h"
#include "conformance/rules/companions/with_base.h"
#include "conformance/rules/judged.h"
#include "conformance/tables/draft_models.h"

namespace gguf {
namespace {

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
  return model.FindTensor(
             absl::StrCat("blk.", last, ".nextn.eh_proj.weight")) != nullptr;
}

// Requires a model that only drafts, and its target.
Reason OnlyDrafts(const Model& model) {
  if (!model.kind().Is(GgufKind::kLanguageModel)) return NotOfThisKind(model);
  return model.base() != nullptr && RowOf(model) != nullptr ? Reason()
                                                            : Reason::Silent();
}

// Requires a model that reads the hidden states of its target, and the target.
Reason OnlyReadsStates(const Model& model) {
  if (model.kind().Is(GgufKind::kLanguageModel) && model.base() != nullptr &&
      DraftsWithItsHead(model)) {
    return Reason();
  }
  return OnlyDrafts(model);
}

// Requires a draft model that reads the states of certain layers.
Reason OnlyReadsLayers(const Model& model) {
  Reason why = OnlyDrafts(model);
  return why.empty() && *RowOf(model)->layers == 0 ? Reason::Silent() : why;
}

// Requires a model of an architecture that does not only draft, and a target.
Reason OnlyTwoModels(const Model& model) {
  if (!model.kind().Is(GgufKind::kLanguageModel)) return NotOfThisKind(model);
  if (model.base() == nullptr || RowOf(model) != nullptr) {
    return Reason::Silent();
  }
  return Reason();
}

constexpr Rule kWidth = {
    "draft-width-of-base",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "A draft model that reads the hidden states of its target shall be made "
    "for the embedding length of the target; so shall a model whose last block "
    "is for prediction (nextn, MTP).",
    "llama.cpp copies the hidden states into rows of the draft model's width; "
    "it aborts or reads out of bounds if the widths differ.",
    "Use the draft model with the model that it was trained for, or, if it is "
    "a whole model, draft without its block for prediction: --spec-type.",
    "Not in the specification; common/speculative.cpp (it selects draft-mtp "
    "for a model with nextn.eh_proj.weight in the last block, and asserts that "
    "the output embeddings of both are equally long) and the loaders for "
    "eagle3, dflash and gemma4-assistant in llama.cpp of August 2026.",
    Since("0.2.0")};

// Returns the key with the length of the hidden states that a model reads, or
// null.
const KeyValue* WidthKey(const Model& model) {
  if (const DraftModelRow* row = RowOf(model)) return model.FindKey(row->width);
  const Hparams& hparams = model.hparams();
  const KeyValue* out = hparams.Key(Symbol::kNEmbdOut);
  return out != nullptr ? out : hparams.Key(Symbol::kNEmbd);
}

void WidthOfBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
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
       is_head
           ? "is {width}, but the output embeddings of the base have length "
             "{wanted}"
           : "is {width}, but the embedding length of the base is {wanted}",
       {{"width", *width}, {"wanted", *wanted}});
}

constexpr Rule kLayers = {
    "draft-layers-of-base",
    Severities().Upload(kError).LlamaCpp(kError),
    "The layers whose hidden states a draft model reads shall exist in its "
    "target.",
    "llama.cpp aborts if the number of such a layer exceeds the target's "
    "number of blocks.",
    "Use the draft model with the model that it was trained for.",
    "Not in the specification; llama.cpp's common/speculative.cpp: \"target "
    "layer id ... exceeds target n_layer\".",
    Since("0.2.0")};

void LayersOfBase(const Model& model, Finder& find) {
  const KeyValue* kv = model.FindKey(RowOf(model)->layers);
  if (kv == nullptr) {
    return find.CannotCheck("the file does not state which layers it reads");
  }
  const auto blocks = model.base()->blocks();
  if (!blocks) {
    return find.CannotCheck("the number of blocks of the base is unknown");
  }
  const uint64_t length = LengthOf(*kv).value_or(0);
  for (uint64_t i = 0; i < length; ++i) {
    const auto layer = IntegerOf(model.file, *kv, i);
    if (!layer || *layer <= *blocks) continue;
    find(kv->value, kv->subject().Of("value").At(i),
         "is {layer}, but the base has {blocks} blocks",
         {{"layer", *layer}, {"blocks", *blocks}});
    return;  // One finding is enough.
  }
}

constexpr Rule kVocabulary = {
    "draft-vocabulary-of-base",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "A model that drafts tokens for another shall have a compatible "
    "vocabulary: the same tokenizer model, the same BOS and EOS where they are "
    "added, a size that differs by at most 128, and the same token strings "
    "from id 5 on.",
    "llama.cpp compares the tokens that the draft model proposes with those of "
    "the target by token id, and refuses a pair of models with different "
    "tokens.",
    "Choose a draft model of the same family.",
    "Not in the specification; llama.cpp's common/speculative.cpp: \"the "
    "target and draft vocabs are not compatible\".",
    Since("0.2.0")};

constexpr uint64_t kMostDifference = 128;
constexpr uint64_t kFirstCompared = 5;

// Compares a special token that both models add, if both state it.  Reports it
// and returns false if it differs.
bool SameSpecial(const Model& model, const char* flag, const char* id,
                 Finder& find) {
  const BaseModel& base = *model.base();
  const auto differs = [&](const char* name) {
    const KeyValue* mine = model.FindKey(name);
    const KeyValue* other = base.FindKey(name);
    if (mine == nullptr || other == nullptr) return false;
    const auto value = IntegerOf(model.file, *mine);
    const auto wanted = IntegerOf(base.file(), *other);
    if (!value || !wanted || *value == *wanted) return false;
    find(mine->at_value(), "is {value}, but the base has {wanted}",
         {{"value", *value}, {"wanted", *wanted}});
    return true;
  };
  if (differs(flag)) return false;
  const KeyValue* adds = model.FindKey(flag);
  return adds == nullptr || IntegerOf(model.file, *adds) != 1 || !differs(id);
}

void VocabularyOfBase(const Model& model, Finder& find) {
  const Vocabulary& mine = model.vocabulary();
  const Vocabulary& other = model.base()->vocabulary();
  if (mine.key() == nullptr || other.key() == nullptr ||
      mine.tokenizer() == nullptr || other.tokenizer() == nullptr) {
    return find.CannotCheck(
        {"the model or the base has no known vocabulary", Reason::kNotAbout});
  }
  if (mine.tokenizer()->kind != other.tokenizer()->kind) {
    const KeyValue* kv = model.FindKey("tokenizer.ggml.model");
    return find(kv->at_value(), "is {model}, but the base has {base}",
                {{"model", mine.tokenizer()->model},
                 {"base", other.tokenizer()->model}});
  }
  if (!SameSpecial(model, "tokenizer.ggml.add_bos_token",
                   "tokenizer.ggml.bos_token_id", find) ||
      !SameSpecial(model, "tokenizer.ggml.add_eos_token",
                   "tokenizer.ggml.eos_token_id", find)) {
    return;
  }
  const uint64_t fewer = std::min(mine.size(), other.size());
  if (std::max(mine.size(), other.size()) - fewer > kMostDifference) {
    return find(mine.key()->at_value(),
                "has {size} tokens, but the base has {wanted}",
                {{"size", mine.size()}, {"wanted", other.size()}});
  }
  for (uint64_t i = kFirstCompared; i < fewer; ++i) {
    if (mine.tokens()[i] == other.tokens()[i]) continue;
    return find(mine.at(i), "is {token}, but the base has {wanted}",
                {{"token", mine.tokens()[i]}, {"wanted", other.tokens()[i]}});
  }
}

constexpr Check kChecks[] = {
    {&kWidth, Needs::kTensors, WidthOfBase, OnlyReadsStates},
    {&kLayers, Needs::kKeys, LayersOfBase, OnlyReadsLayers},
    {&kVocabulary, Needs::kKeys, VocabularyOfBase, OnlyTwoModels},
};

}  // namespace

absl::Span<const Check> DraftChecks() { return kChecks; }

}  // namespace gguf
