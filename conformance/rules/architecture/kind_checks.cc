// Checks of files other than language models, whatever their kind: the tensors
// are of the kind that the keys state, and the required keys are present.
//
// The keys are rows of tables/kind_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/match.h"
#include "conformance/model/reason.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/kind_keys.h"
#include "conformance/tables/required_keys.h"
#include "conformance/tables/tensors.h"

namespace gguf {
namespace {

// Returns where to report what is wrong with the kind: at the key that states it,
// or, if only the tensors show it, at the number of keys.
Location PlaceOfKind(const Model& model) {
  for (const char* key : {"general.type", "general.architecture"}) {
    const KeyValue* kv = model.FindKey(key);
    if (kv != nullptr) return {kv->value, kv->subject()};
  }
  return {model.file.key_count.where, Subject{"header"}.Of("metadata_kv_count")};
}

// Reports that a file lacks a key that its kind must have, or usually has.
void ReportMissing(const Model& model, const char* key, const char* type, KeyNeed need,
                   const char* by, GgufKind kind, Finder& find) {
  const Location stated = PlaceOfKind(model);
  const bool is_stated = stated.subject.is_entry;
  find(is_stated ? stated : AbsentKey(model, key),
       is_stated ? "is that of {kind}, but the key {key} ({type}), which {who}, is missing"
                 : "is missing, a key ({type}) of {kind} that {who}",
       {{"key", Trusted{key}},
        {"by", Trusted{by}},
        {"type", Trusted{type}},
        {"kind", Trusted{KindWords(kind)}},
        {"who",
         Trusted{need == KeyNeed::kMust ? "llama.cpp requires" : "such files usually have"}}});
}

// Reports the keys without which llama.cpp loads no projector of the type of an encoder.
void FindMissing(const Encoder& encoder, const Model& model, Finder& find) {
  for (const RequiredKey& row : kRequiredKeys.Of(encoder.hparams->architecture())) {
    if (row.by != RequiredBy::kLoader && row.by != RequiredBy::kTensors) continue;
    if (!absl::StartsWith(row.key, encoder.keys) || model.FindKey(row.key) != nullptr ||
        !encoder.hparams->Holds(row.when)) {
      continue;
    }
    ReportMissing(model, row.key, row.type, KeyNeed::kMust, WordOf(row.by), GgufKind::kProjector,
                  find);
  }
}

template <KeyNeed need>
void FindMissing(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  for (const KindKey& row : kKindKeys) {
    if (!model.kind().Is(row.kind) || row.need != need) continue;
    if (model.file.progress < Progress::kKeys) {
      return find.CannotCheck("not all keys could be read");
    }
    if (model.FindKey(row.key) != nullptr || !IsRequired(model, row.key, row.when, find)) continue;
    ReportMissing(model, row.key, row.type, need, WordOf(RequiredBy::kLoader), row.kind, find);
  }
  if (need != KeyNeed::kMust || !model.kind().Is(GgufKind::kProjector)) return;
  for (const Encoder& encoder : model.encoders()) FindMissing(encoder, model, find);
}

}  // namespace

constexpr RuleTable kKindKeyRules = {
    {.id = "kind-agrees-with-tensors",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The tensors shall be those of the kind of file that general.type or "
                "general.architecture states.",
     .why = "llama.cpp has a loader for each kind of file; none accepts the keys of one kind and "
            "the tensors of another.",
     .repair = "Correct general.type, or put the tensors into a file of their own kind.",
     .citation = "Not in the specification; llama.cpp's loaders for models, adapters, control "
                 "vectors and importance matrices.",
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           const KindFound& found = context.model.kind();
           if (!found.of_tensors) return;
           const Location place = PlaceOfKind(context.model);
           find(place, "states that the file is {stated}, but its tensors are those of {shown}",
                {{"stated", Trusted{KindWords(found.kind)}},
                 {"shown", Trusted{KindWords(*found.of_tensors)}}});
         }},
    {.id = "model-type-stated",
     .severities = {.upload = kError, .llama_cpp = kWarning},
     .summary = "general.type of a file that llama.cpp loads as a model shall not be that of "
                "another kind of file.",
     .why = "llama.cpp's model loader does not read general.type; programs that rely on this key "
            "take the model for an adapter, a projector or an importance matrix.",
     .repair = "Set general.type to model, or remove the key.",
     .citation = "Not in the specification; llama.cpp's converters write model.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           const KindFound& found = context.model.kind();
           if (!found.misstated) return;
           const Location place = PlaceOfKind(context.model);
           find(place, "states that the file is {stated}, but it is {shown}",
                {{"stated", Trusted{KindWords(*found.misstated)}},
                 {"shown", Trusted{KindWords(found.kind)}}});
         }},
    {.id = "kind-tensors-present",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A control vector and an importance matrix shall have tensors.",
     .why = "llama.cpp finds nothing to load and fails.",
     .repair = "Generate the file again.",
     .citation = "Not in the specification; llama.cpp reports \"no direction tensors found\" and "
                 "\"no data in file\".",
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           if (!model.kind().Is(GgufKind::kControlVector) &&
               !model.kind().Is(GgufKind::kImportanceMatrix)) {
             return;
           }
           const auto& count = model.file.tensor_count;
           if (model.file.progress < Progress::kHeader || count.value > 0) {
             return;
           }
           find(count.where, Subject{"header"}.Of("tensor_count"),
                "is 0, but {kind} consists of tensors",
                {{"kind", Trusted{KindWords(model.kind().kind)}}});
         }},
    {.id = "reranker-head-present",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A model with the pooling type of a reranker should have the classification head "
                "of its architecture.",
     .why = "Without the head, llama.cpp returns the first element of the embedding as the score.",
     .repair = "Convert the model again with a newer converter, or correct the pooling type.",
     .citation = "Not in the specification; llama.cpp's graph for pooling type 4 (rank).",
     .needs = Needs::kTensors,
     .requirements = {OnlyKind<GgufKind::kReranker>, OnlyWholeModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           bool has_row = false;
           for (const TensorRow& row : kTensors.Of(context.model.hparams().architecture())) {
             if (!absl::StartsWith(row.name, "cls.")) continue;
             has_row = true;
             if (context.model.FindTensor(row.name) != nullptr) return;
           }
           if (!has_row) return;  // llama.cpp has no head for the architecture.
           find(context.model.hparams().Key(Symbol::kPoolingType)->at_value(),
                "is that of a reranker, but there is no tensor cls.weight or cls.output.weight",
                {});
         }},
    {.id = "kind-keys-present",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "An adapter, an importance matrix and a projector shall have the keys without "
                "which llama.cpp does not load them.",
     .why = "llama.cpp stops at the first missing key.",
     .repair = "Convert the file again with a newer converter, or add the key.",
     .citation = "Not in the specification; the keys that the loaders for such files in llama.cpp "
                 "require.",
     .needs = Needs::kTensors,
     .check = FindMissing<KeyNeed::kMust>},
    {.id = "kind-keys-usual",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "An adapter, a control vector and an importance matrix should have the keys that "
                "state how they are meant to be used.",
     .why = "Without these keys, llama.cpp uses 1 as an adapter's scale, and nothing says which "
            "model a control vector is for.",
     .repair = "Add the key.",
     .citation = "Not in the specification; llama.cpp's programs write these keys.",
     .needs = Needs::kTensors,
     .check = FindMissing<KeyNeed::kShould>},
};

}  // namespace gguf
