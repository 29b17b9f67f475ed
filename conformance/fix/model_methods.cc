// Fixes what follows from the tensors and the tokens of a model.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/fix/methods.h"
#include "conformance/model/shard_set.h"
#include "conformance/rules/causes/causes.h"
#include "conformance/tables/file_types.h"

namespace gguf {
namespace {

constexpr char kTokens[] = "tokenizer.ggml.tokens";
constexpr char kScores[] = "tokenizer.ggml.scores";
constexpr char kTypes[] = "tokenizer.ggml.token_type";

std::optional<KeyContent> ContentOf(const Model& model, absl::string_view key) {
  const KeyValue* kv = model.FindKey(key);
  return kv == nullptr ? std::nullopt : gguf::ContentOf(model.file, *kv);
}

// Returns the element of an array of numbers, the value of the finding's key, that has a byte.
std::optional<size_t> ElementAt(const Attempt& a, const KeyContent& content, uint64_t byte) {
  const auto* type = FindValueType(static_cast<uint32_t>(content.type), 3);
  if (!content.is_array || type->size == 0) return std::nullopt;
  const uint64_t begin = a.kv().value.end - content.size() * type->size;
  if (byte < begin || byte >= a.kv().value.end) return std::nullopt;
  return (byte - begin) / type->size;
}

// Adds tokens up to a number.
bool PadTokens(const Attempt& a, uint64_t wanted) {
  auto tokens = ContentOf(a.model, kTokens);
  // Padding fills the embedding to a multiple, and is far less than the vocabulary.
  if (!tokens || !tokens->is_text() || wanted <= tokens->size() ||
      wanted - tokens->size() > std::max<uint64_t>(tokens->size() / 4, 256)) {
    return false;
  }
  const uint64_t had = tokens->size();
  for (uint64_t id = had; id < wanted; ++id) tokens->texts.push_back(absl::StrCat("[PAD", id, "]"));
  for (const auto& [key, number] :
       {std::pair{kScores, Number{-1000}}, std::pair{kTypes, Number{5}}}) {
    auto content = ContentOf(a.model, key);
    if (!content) continue;
    if (content->size() != had || content->is_text()) return false;
    content->numbers.resize(wanted, number);
    a.draft.Set(key, *content);
  }
  return a.draft.Set(kTokens, *tokens);
}

// Returns the number of blocks with names such as blk.0.x, if none is missing.
std::optional<uint64_t> BlocksOf(const Model& model, absl::string_view prefix) {
  std::set<uint64_t> blocks;
  const TensorTable& tensors = model.tensors();
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    absl::string_view name = tensors[i].name.value;
    uint64_t number;
    if (!absl::ConsumePrefix(&name, prefix)) continue;
    if (absl::SimpleAtoi(name.substr(0, name.find('.')), &number)) blocks.insert(number);
  }
  if (blocks.empty() || *blocks.rbegin() + 1 != blocks.size()) return std::nullopt;
  return blocks.size();
}

}  // namespace

const MethodTable kModelMethods = {
    // Writes the one value that explains the shapes.
    {FixMethod::kHparam,
     [](const Attempt& a) {
       const auto wrong = FindWrongHparam(a.model);
       return wrong && wrong->is_certain && SetText(a, wrong->key, absl::StrCat(wrong->value));
     }},
    // Counts the blocks that have tensors.
    {FixMethod::kBlocks,
     [](const Attempt& a) {
       std::string key = absl::StrCat(a.model.hparams().architecture_name(), ".block_count");
       absl::string_view prefix = "blk.";
       if (a.key() && absl::StartsWith(a.kv().key.value, "clip.")) {
         key = std::string(a.kv().key.value);
         prefix = absl::StrContains(key, "audio") ? "a.blk." : "v.blk.";
       }
       const auto blocks = BlocksOf(a.model, prefix);
       return blocks && absl::EndsWith(key, ".block_count") &&
              SetText(a, key, absl::StrCat(*blocks));
     }},
    // Writes the type that the tensors have.
    {FixMethod::kFileType,
     [](const Attempt& a) {
       const Majority most =
           MostTensors(a.model.tensors(), uint64_t{1} << static_cast<int>(TensorType::kF32));
       if (most.type == nullptr || !a.key()) return false;
       uint64_t types = 0;
       const TensorTable& tensors = a.model.tensors();
       for (uint32_t i = 0; i < tensors.size(); ++i) {
         const TensorTypeInfo* type = tensors[i].type_info();
         if (type == nullptr) return false;
         if (type->quantized && tensors[i].rank() > 1) types |= uint64_t{1} << type->id;
       }
       std::vector<uint64_t> exact, mixes;
       for (uint64_t id = 0; id < kFileTypes.size; ++id) {
         const FileType& row = kFileTypes[id];
         if (row.status == FileTypeStatus::kRemoved || (row.types >> most.type->id & 1) == 0)
           continue;
         if (row.name == absl::string_view(most.type->name)) exact.push_back(id);
         if ((types & ~row.mix) == 0) mixes.push_back(id);
       }
       const std::vector<uint64_t>& ids = exact.empty() ? mixes : exact;
       return ids.size() == 1 && SetText(a, "general.file_type", absl::StrCat(ids[0]));
     }},
    // Counts the shards and their tensors.
    {FixMethod::kSplit,
     [](const Attempt& a) {
       if (!a.key()) return false;
       const absl::string_view key = a.kv().key.value;
       const ShardSet* set = a.model.shard_set();
       if (set == nullptr || !set->why_in_part().empty()) return false;
       const std::string wanted = key == "split.tensors.count" ? absl::StrCat(set->tensors().size())
                                  : key == "split.count"       ? absl::StrCat(set->count())
                                  : key == "split.no"
                                      ? absl::StrCat(set->ShardOf(a.model).name.number - 1)
                                      : "";
       return !wanted.empty() && SetText(a, key, wanted);
     }},
    // Pads an array with zeros, or makes one number of equal ones.
    {FixMethod::kLength,
     [](const Attempt& a) {
       auto content = a.content();
       if (!content || !content->is_array || content->is_text() || content->size() == 0)
         return false;
       uint64_t wanted;
       if (absl::SimpleAtoi(a.arg("expected"), &wanted) && wanted <= kMostBlocks) {
         // llama.cpp writes and reads zeros for what is missing; numbers are not dropped.
         if (content->size() >= wanted) return false;
         content->numbers.resize(wanted, 0);
         return a.draft.Set(*a.key(), *content);
       }
       const Number first = content->numbers[0];
       const auto is_first = [&](Number number) { return number == first; };
       return std::all_of(content->numbers.begin(), content->numbers.end(), is_first) &&
              a.draft.Set(*a.key(), KeyContent::Of(content->type, first));
     }},
    // Gives control tokens their type.
    {FixMethod::kControl,
     [](const Attempt& a) {
       // If a key of an end token names another one, tokens and types may be shifted.
       if (a.has_finding_of("end-tokens-end-text") || a.has_finding_of("token-ids-in-range")) {
         return false;
       }
       auto content = a.content();
       if (!content) return false;
       for (const Finding& finding : a.report.findings) {
         if (finding.diagnostic.rule != a.found.rule) continue;
         const auto element = ElementAt(a, *content, finding.diagnostic.where.begin);
         if (element) content->numbers[*element] = static_cast<int>(TokenType::kControl);
       }
       return a.draft.Set(*a.key(), *content);
     }},
    // Writes the number `value` for the wrong elements.
    {FixMethod::kElement,
     [](const Attempt& a) {
       auto content = a.content();
       double number;
       if (!content || content->is_text() || !absl::SimpleAtod(a.row.value, &number)) return false;
       // All that are like the first one, which the finding is about.
       const auto element = ElementAt(a, *content, a.found.where.begin);
       if (!element) return false;
       const bool is_zero = content->numbers[*element] == 0;
       for (Number& type : content->numbers) {
         if (is_zero ? type == 0 : type < 0 || type > 6) type = number;
       }
       return a.draft.Set(*a.key(), *content);
     }},
    // Names tokens that cannot be used.
    {FixMethod::kTokens,
     [](const Attempt& a) {
       auto content = ContentOf(a.model, kTokens);
       if (!content || !content->is_text()) return false;
       absl::flat_hash_set<std::string> seen(content->texts.begin(), content->texts.end());
       absl::flat_hash_set<absl::string_view> first;
       for (size_t id = 0; id < content->size(); ++id) {
         std::string& text = content->texts[id];
         const std::string name =
             text == absl::string_view("\0", 1) ? "<0x00>" : absl::StrCat("[PAD", id, "]");
         const bool is_nul = text.find('\0') != text.npos;
         // Another token that was used would lose its text.
         if (is_nul && text.size() > 1) return false;
         const bool is_used = !text.empty() && !is_nul && first.insert(text).second;
         if (is_used) continue;
         if (!seen.insert(name).second) return false;
         text = name;
       }
       return a.draft.Set(kTokens, *content);
     }},
    // Adds a token for each row of the embedding.
    {FixMethod::kPadTokens,
     [](const Attempt& a) {
       uint64_t rows;
       return absl::SimpleAtoi(a.arg("rows"), &rows) && PadTokens(a, rows);
     }},
    // Keeps as many elements as there are tokens.
    {FixMethod::kTruncate,
     [](const Attempt& a) {
       auto content = a.content();
       uint64_t tokens;
       if (!content || content->is_text() || !absl::SimpleAtoi(a.arg("tokens"), &tokens)) {
         return false;
       }
       if (tokens == 0 || content->size() <= tokens) return false;
       content->numbers.resize(tokens);
       return a.draft.Set(*a.key(), *content);
     }},
};

}  // namespace gguf
