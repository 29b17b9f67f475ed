// Checks of the pre-tokenizer: that it is named, known, and the one of the vocabulary.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/model/pre_tokenizer_fit.h"
#include "conformance/model/text_match.h"
#include "conformance/model/token_shapes.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/table.h"

namespace gguf {
namespace {

// Returns whether tokenizer.ggml.pre chooses the pre-tokenizer of this file.
bool ReadsPre(const Model& model) {
  const TokenizerRow* row = model.vocabulary().tokenizer();
  return row != nullptr && row->pre == PreTokenizers::kRead;
}

constexpr char kMerges[] = "tokenizer.ggml.merges";
constexpr Requirement kOnlyWithMerges = OnlyWithArray<kMerges, ValueType::kString>;

// A sample that takes a few milliseconds.
constexpr uint64_t kMostMerges = 32768;

// Returns the name, without quotes, if there is one only: more cut alike.
std::string OneOf(const std::vector<std::string>& names) {
  return names.size() == 1 ? names[0].substr(1, names[0].size() - 2) : "";
}

// Returns a sentence's end such as "; \"qwen2\" and \"stablelm2\" fit the merges"; empty if there
// is none to name.
std::string WhatFits(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  if (names.size() == 1) return absl::StrCat("; ", names[0], " fits the merges");
  return absl::StrCat("; ", absl::StrJoin(names.begin(), names.end() - 1, ", "), " and ",
                      names.back(), " fit the merges");
}

// Returns the pre-tokenizers, in quotes, whose tokens are written as those of the merges are and
// that fit them: one of each splitting, the finest first, and not many.
std::vector<std::string> FittingNames(const TokenShapes& tokens) {
  constexpr size_t kMost = 4;
  std::vector<std::string> names;
  const auto add = [&](absl::string_view name) {
    if (names.size() < kMost) names.push_back(absl::StrCat("\"", name, "\""));
  };
  const auto is_byte_level = tokens.is_byte_level();
  if (is_byte_level == true) {
    for (const Splitting splitting : FittingSplittings(tokens)) {
      if (splitting != Splitting::kDefault) add(WordOf(splitting));
    }
  } else if (is_byte_level == false) {
    for (const PreTokenizerRow& row : kPreTokenizers) {
      if (row.token_text == TokenText::kPlain) add(row.name);
    }
  }
  return names;
}

// Returns the same of the file's merges; none if there are none.
std::vector<std::string> FittingNames(const Model& model) {
  const KeyValue* merges = ArrayKey(model, kMerges, ValueType::kString);
  if (merges == nullptr) return {};
  return FittingNames(TokenShapes(model.file, *merges, kMostMerges));
}

// Returns "0.03": a share in percent, of two significant digits.
std::string Percent(uint64_t part, uint64_t whole) {
  return absl::StrFormat("%.2g", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void FitsVocabulary(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const PreTokenizerRow* row = FindPreTokenizer(model);
  if (!ReadsPre(model) || row == nullptr || row->splitting == Splitting::kUnknown) return;
  const TokenShapes tokens(model.file, *model.FindKey(kMerges), kMostMerges);
  const auto is_byte_level = tokens.is_byte_level();
  const auto most = MostCutByRightOne(tokens);
  if (!is_byte_level || (*is_byte_level && !most)) return;
  const Location at = model.hparams().Key(Symbol::kTokenizerPre)->at_value();
  if (*is_byte_level != (row->token_text == TokenText::kBytes)) {
    return find(at,
                *is_byte_level
                    ? "is {pre}, which takes tokens for plain text, but the merges are in "
                      "the letters of byte-level BPE{fits}"
                    : "is {pre}, which takes tokens for letters of byte-level BPE, but "
                      "the merges are plain text{fits}",
                {{"pre", absl::string_view(row->name)},
                 {"fits", Trusted{WhatFits(FittingNames(tokens))}},
                 {kWrite, Trusted{OneOf(FittingNames(tokens))}}});
  }
  if (!*is_byte_level) return;
  const bool is_default = row->splitting == Splitting::kDefault;
  const uint64_t allowed = is_default ? 0 : *most;
  const CutTokens cut = FindCutTokens(tokens, row->splitting, allowed);
  if (cut.count <= allowed) return;
  // Without one that fits, the vocabulary is of a pre-tokenizer that llama.cpp does not have.
  const std::vector<std::string> fitting = FittingNames(tokens);
  if (fitting.empty()) return;
  const CutTokens all = FindCutTokens(tokens, row->splitting);
  const std::string example = TextOfMerge(all.first->merge).value_or("");
  find(at,
       "is {pre}, which cuts {share} % of the tokens that the merges make (the right one, at most "
       "{most} %), such as {token}{fits}",
       {{"pre", absl::string_view(row->name)},
        {"share", Trusted{Percent(all.count, tokens.tokens())}},
        {"most", Trusted{Percent(allowed, tokens.tokens())}},
        {"token", absl::string_view(example)},
        {"fits", Trusted{WhatFits(fitting)}},
        {kWrite, Trusted{OneOf(fitting)}}});
}

}  // namespace

constexpr RuleTable kPreTokenizerRules = {
    {.id = "pre-tokenizer-known",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "tokenizer.ggml.pre shall be a pre-tokenizer that llama.cpp supports.",
     .why = "llama.cpp rejects a file whose pre-tokenizer it does not support.",
     .repair = "Write the name of the pre-tokenizer that splits text in the same way as the "
               "original model's. A newer llama.cpp may support the name: the message states the "
               "version of llama.cpp on which the tables of this ggufcheck are based.",
     .citation =
         "Not in the specification; llama.cpp's loader throws \"unknown pre-tokenizer type\".",
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerPre);
           const auto name = model.hparams().Text(Symbol::kTokenizerPre);
           if (!name || BeforeNul(*name).empty() || !ReadsPre(model)) return;
           if (FindPreTokenizer(model) != nullptr) return;
           find(kv->at_value(), "is {pre}, which llama.cpp {known} does not support",
                {{"pre", *name}, {"known", Trusted{TablesVersion()}}});
         }},
    {.id = "pre-tokenizer-present",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A BPE vocabulary should name its pre-tokenizer.",
     .why = "llama.cpp uses a default, which may split text differently from the original "
            "pre-tokenizer, so the quality of the output suffers.",
     .repair = "Write the name under which llama.cpp knows the original model's pre-tokenizer, "
               "which its tokenizer.json describes. The message names those that fit the merges, "
               "if there are enough of these to tell. The name of another pre-tokenizer is worse "
               "than none: it hides the fault.",
     .citation = "Not in the specification; llama.cpp warns about it.",
     .requirements = {OnlyWithVocabulary, OnlyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           if (!ReadsPre(model)) return;
           const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerPre);
           const auto name = model.hparams().Text(Symbol::kTokenizerPre);
           if (kv == nullptr) {
             const KeyValue& asks = *model.hparams().Key(Symbol::kTokenizerModel);
             find(asks.at_value(), "is {model}, but tokenizer.ggml.pre is absent{fits}",
                  {{"model", Trusted{model.vocabulary().tokenizer()->model}},
                   {"fits", Trusted{WhatFits(FittingNames(model))}},
                   {kWriteKey, Trusted{"tokenizer.ggml.pre"}},
                   {kWrite, Trusted{OneOf(FittingNames(model))}}});
           } else if (name && BeforeNul(*name).empty()) {
             find(kv->at_value(), "is empty{fits}",
                  {{"fits", Trusted{WhatFits(FittingNames(model))}},
                   {kWrite, Trusted{OneOf(FittingNames(model))}}});
           }
         }},
    {.id = "pre-tokenizer-fits-vocabulary",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A BPE vocabulary's pre-tokenizer should not cut its tokens.",
     .why =
         "Merges are learnt from words, so no token crosses the end of one. A pre-tokenizer that "
         "cuts tokens wherever they stand is not the one that the model was trained with: "
         "llama.cpp never produces these tokens, and the output is worse without any message.",
     .repair =
         "Write the name of the original model's pre-tokenizer, which its tokenizer.json "
         "describes; the message names some that cut no tokens. Two that cut alike cannot be "
         "told apart, and one that cuts less than the right one is not found. The name may be "
         "right if the original tokenizer has merges that its own pre-tokenizer never uses.",
     .citation =
         "Not in the specification; docs/pre-tokenizers.md has the shares of tokens that "
         "pre-tokenizers cut in published vocabularies: at most 0.006 % if it is the right "
         "one, 0.02 % to 27 % for most others. The limit is 0.03 %; \"default\" may not cut any.",
     .since = "0.2.0",
     .requirements = {OnlyWithVocabulary, kOnlyWithMerges},
     .check = FitsVocabulary},
};

}  // namespace gguf
