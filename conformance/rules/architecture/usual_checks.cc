// Checks of what no loader demands, but every published model of an architecture
// has: without it, llama.cpp loads the file and computes something else.
//
// The keys and tensors are rows of tables/usual.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/build.h"
#include "conformance/tables/usual.h"

namespace gguf {
namespace {

// "; its converter has written the key since b4391", or nothing.
std::string SinceOf(const UsualRow& row) {
  if (row.first == kNoBuild) return "";
  return absl::StrCat("; its converter has written the key since ", BuildText(row.first));
}

void UsualKeysPresent(const CheckContext& context, Finder& find) {
  const Hparams& hparams = context.model.whole().hparams();
  for (const UsualRow& row : kUsual.Of(hparams.architecture())) {
    if (row.what != UsualWhat::kKey) continue;
    const std::string key = hparams.Expand(*row.names.begin());
    if (context.model.FindKey(key) != nullptr || !hparams.Holds(row.when)) continue;
    find(AbsentKey(context.model, key),
         "is absent, but all published models of the architecture {architecture} have it; without "
         "it, llama.cpp {without}{since}",
         {{"architecture", hparams.architecture_name()},
          {"without", Trusted{row.without}},
          {"since", Trusted{SinceOf(row)}}});
  }
}

// How many tensors of a row a model has and lacks, and the first that it lacks.
struct Search {
  uint64_t found = 0, missing = 0;
  std::string first;
};

Search SearchFor(const UsualRow& row, const Model& model) {
  const Hparams& hparams = model.hparams();
  Search search;
  const auto look = [&](int64_t block) {
    if (!hparams.Holds(row.when, block)) return;
    for (const absl::string_view pattern : row.names) {
      std::string name = hparams.Expand(pattern, block);
      if (model.FindTensor(name) != nullptr) {
        ++search.found;
      } else if (search.missing++ == 0) {
        search.first = std::move(name);
      }
    }
  };
  const bool is_in_blocks = absl::StrContains(*row.names.begin(), "%d");
  const int64_t blocks =
      std::clamp<int64_t>(hparams.Get(Symbol::kNLayerAll).value_or(0), 1, hparams.most_blocks());
  for (int64_t block = 0; block < (is_in_blocks ? blocks : 1); ++block) look(block);
  return search;
}

void UsualTensorsPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model.whole();
  const Hparams& hparams = model.hparams();
  // What all models have is a stronger reason than what other blocks have.
  bool is_reported = false;
  for (const UsualRow& row : kUsual.Of(hparams.architecture())) {
    if (row.what == UsualWhat::kKey || (row.what == UsualWhat::kEven && is_reported)) continue;
    const Search search = SearchFor(row, model);
    if (search.missing == 0 || (row.what == UsualWhat::kEven && search.found == 0)) continue;
    is_reported = true;
    const KeyValue& architecture = *hparams.architecture_key();
    find(architecture.value, architecture.subject(),
         absl::StrCat("is {architecture}, ",
                      row.what == UsualWhat::kEven
                          ? "and some blocks have such a tensor, but {tensor} is missing"
                          : "whose published models all have {tensor}, but it is missing",
                      search.missing == 1 ? "" : ", as are {others other|others}",
                      "; without it, llama.cpp {without}"),
         {{"architecture", hparams.architecture_name()},
          {"tensor", absl::string_view(search.first)},
          {"others", search.missing - 1},
          {"without", Trusted{row.without}}});
  }
}

// Returns whether the tags of a model card say that it makes an embedding of each
// text: not a ranking, not an embedding of each token, and not a sparse one.
bool IsTaggedForEmbeddings(const Model& model) {
  const KeyValue* kv = model.FindKey("general.tags");
  if (kv == nullptr) return false;
  bool makes_embeddings = false, makes_others = false;
  ForEachString(model.file, *kv, [&](absl::string_view tag, Range, uint64_t) {
    const auto is_one_of = [&](std::initializer_list<absl::string_view> tags) {
      return absl::c_any_of(tags, [&](auto one) { return absl::EqualsIgnoreCase(one, tag); });
    };
    makes_embeddings |= is_one_of({"sentence-transformers", "sentence-similarity"});
    makes_others |= is_one_of({"colbert", "pylate", "late-interaction", "multi-vector", "reranker",
                               "cross-encoder", "text-ranking", "text-classification",
                               "sparse-encoder", "splade"});
  });
  return makes_embeddings && !makes_others;
}

void PoolingTypePresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const std::string key = model.hparams().Expand("{arch}.pooling_type");
  const bool classifies =
      model.FindKey(model.hparams().Expand("{arch}.classifier.output_labels")) != nullptr ||
      model.whole().FindTensor("cls.weight") != nullptr ||
      model.whole().FindTensor("cls.output.weight") != nullptr;
  if (model.FindKey(key) != nullptr || classifies || !IsTaggedForEmbeddings(model)) return;
  find(AbsentKey(model, key),
       "is absent, but general.tags say that the model makes embeddings of texts; without it, "
       "llama.cpp returns an embedding of each token",
       {});
}

}  // namespace

// All require tokens and tensors: files without them are for tests, or hold the vocabulary alone.
constexpr RuleTable kUsualRules = {
    {.id = "usual-keys-present",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A model should have the keys that all published models of its architecture have.",
     .why = "llama.cpp does not insist on these keys and assumes a value that the model was not "
            "trained with. It loads the file, and the answers are bad, or get worse the longer the "
            "text is.",
     .repair = "Convert the model again with a current converter, or add the key with the value of "
               "the original configuration. If you trained a model of your own that really has "
               "the assumed value, write this value.",
     .citation =
         "Not in the specification; llama.cpp's converters write these keys for every model "
         "of the architecture. The rule is wrong about a model with a configuration that "
         "none of the published ones has.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithRoles, OnlyWithVocabulary},
     .check = UsualKeysPresent},
    {.id = "usual-tensors-present",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A model should have the tensors that all published models of its architecture "
                "have, and a block the biases that other blocks have.",
     .why = "llama.cpp does not insist on these tensors and computes without them. It loads the "
            "file, and the answers are bad.",
     .repair = "Convert the model again from complete weights.",
     .citation = "Not in the specification; the weights of the published models of the "
                 "architecture. The rule is wrong about a model that was trained without these "
                 "tensors.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithRoles, OnlyWithVocabulary},
     .check = UsualTensorsPresent},
    {.id = "pooling-type-present",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A model that makes embeddings of texts should state how it pools those of the "
                "tokens.",
     .why = "llama.cpp returns an embedding of each token instead of one of the text, and its "
            "server refuses requests for embeddings.",
     .repair =
         "Write pooling_type as in the original model: 1 for the mean, 2 for the first token, "
         "3 for the last one. llama.cpp's converter takes it from the folder of the pooling "
         "module, which must be next to the weights.",
     .citation = "Not in the specification; llama.cpp's converter writes the key for models of "
                 "sentence-transformers. The rule is wrong about a model with these tags that is "
                 "used without pooling.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithRoles, OnlyWithVocabulary},
     .check = PoolingTypePresent},
};

}  // namespace gguf
