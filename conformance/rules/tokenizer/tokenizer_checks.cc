// Checks of the tokenizer model and of what it requires: a pre-tokenizer and
// merges.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/before_nul.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/judged_vocabulary.h"
#include "conformance/rules/tables_version.h"
#include "conformance/rules/tokenizer/checks.h"

namespace gguf {
namespace {

constexpr Rule kModelKnown = {
    "tokenizer-model-known",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "tokenizer.ggml.model shall be a tokenizer model that llama.cpp supports.",
    "llama.cpp rejects a file whose tokenizer model it does not support.",
    "Correct the spelling, or convert the vocabulary.",
    "Not in the specification; llama.cpp's loader throws \"unknown "
    "tokenizer\"."};

// Reports a tokenizer model that is unknown or known to `only_other` alone.
void FindModel(const Model& model, Finder& find, TokenizerKnownTo only_other,
               absl::string_view message) {
  const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerModel);
  const auto name = model.hparams().Text(Symbol::kTokenizerModel);
  if (!name) return;
  const TokenizerRow* row = model.vocabulary().tokenizer();
  if (row != nullptr && row->known_to != only_other) return;
  find(kv->at_value(), message, {{"model", *name}});
}

void ModelKnown(const Model& model, Finder& find) {
  FindModel(model, find, TokenizerKnownTo::kSpec,
            "is {model}, which llama.cpp does not support");
}

constexpr Rule kModelInSpec = {
    "tokenizer-model-in-spec",
    Severities().Spec(kWarning),
    "tokenizer.ggml.model should be a tokenizer model that the specification "
    "lists.",
    "A reader that follows the specification supports only these models.",
    "No change is needed for llama.cpp.",
    "gguf.md, tokenizer.ggml.model: llama, replit, gpt2 and rwkv."};

void ModelInSpec(const Model& model, Finder& find) {
  FindModel(model, find, TokenizerKnownTo::kLoader,
            "is {model}, which the specification does not list");
}

// Returns whether tokenizer.ggml.pre chooses the pre-tokenizer of this file.
bool ReadsPre(const Model& model) {
  const TokenizerRow* row = model.vocabulary().tokenizer();
  return row != nullptr && row->pre == PreTokenizers::kRead;
}

constexpr Rule kPreKnown = {
    "pre-tokenizer-known",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "tokenizer.ggml.pre shall be a pre-tokenizer that llama.cpp supports.",
    "llama.cpp rejects a file whose pre-tokenizer it does not support.",
    "Write the name of the pre-tokenizer that splits text in the same way as "
    "the original model's. A newer llama.cpp may support the name: the message "
    "states the version of llama.cpp on which the tables of this ggufcheck are "
    "based.",
    "Not in the specification; llama.cpp's loader throws \"unknown "
    "pre-tokenizer type\"."};

void PreKnown(const Model& model, Finder& find) {
  const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerPre);
  const auto name = model.hparams().Text(Symbol::kTokenizerPre);
  if (!name || BeforeNul(*name).empty() || !ReadsPre(model)) return;
  if (FindPreTokenizer(model) != nullptr) return;
  find(kv->at_value(), "is {pre}, which llama.cpp {known} does not support",
       {{"pre", *name}, {"known", Word{TablesVersion()}}});
}

constexpr Rule kPrePresent = {
    "pre-tokenizer-present",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "A BPE vocabulary should name its pre-tokenizer.",
    "llama.cpp uses a default, which may split text differently from the "
    "original pre-tokenizer, so the quality of the output suffers.",
    "Set tokenizer.ggml.pre to the name of the pre-tokenizer, such as "
    "\"llama-bpe\".",
    "Not in the specification; llama.cpp warns about it."};

void PrePresent(const Model& model, Finder& find) {
  if (!ReadsPre(model)) return;
  const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerPre);
  const auto name = model.hparams().Text(Symbol::kTokenizerPre);
  if (kv == nullptr) {
    const KeyValue& asks = *model.hparams().Key(Symbol::kTokenizerModel);
    find(asks.at_value(), "is {model}, but tokenizer.ggml.pre is absent",
         {{"model", Word{model.vocabulary().tokenizer()->model}}});
  } else if (name && BeforeNul(*name).empty()) {
    find(kv->at_value(), "is empty", {});
  }
}

// The two parts of a merge.  The first has at least one byte, which may be a
// space.
struct Merge {
  explicit Merge(absl::string_view text)
      : space(text.find(' ', 1)),
        first(text.substr(0, space)),
        second(space == absl::string_view::npos ? absl::string_view()
                                                : text.substr(space + 1)) {}

  bool has_two_parts() const { return !second.empty(); }

  size_t space;
  absl::string_view first;
  absl::string_view second;
};

constexpr char kMerges[] = "tokenizer.ggml.merges";
constexpr Requirement kOnlyWithMerges =
    OnlyWithArray<kMerges, ValueType::kString>;

// Reports the first wrong merge, and how many there are.
void ReportMerges(const KeyValue& kv, const FirstString& wrong,
                  const char* what, Finder& find) {
  if (wrong.count == 0) return;
  find(wrong.where, kv.subject().Of("value").At(wrong.element),
       wrong.count == 1 ? "is {merge}, {what}"
                        : "is {merge}, {what}; the first of {count}",
       {{"merge", wrong.text}, {"what", Word{what}}, {"count", wrong.count}});
}

constexpr Rule kMergesTwoParts = {
    "merges-have-two-parts",
    Everywhere(kWarning),
    "A merge should be two tokens separated by a space.",
    "Readers split a merge at the space; without one, they fail or never apply "
    "the merge.",
    "Write the two merged tokens, such as \"t he\".",
    "gguf.md, tokenizer.ggml.merges: \"the merges of the tokenizer\"."};

void MergesTwoParts(const Model& model, Finder& find) {
  const KeyValue& kv = *model.FindKey(kMerges);
  FirstString wrong;
  ForEachString(model.file, kv,
                [&](absl::string_view text, Range where, uint64_t element) {
                  if (!Merge(text).has_two_parts())
                    wrong.Add(text, where, element);
                });
  ReportMerges(kv, wrong, "which is not two parts separated by a space", find);
}

constexpr Rule kMergePartsKnown = {
    "merge-parts-known",
    Severities().Upload(kNote).Spec(kWarning).LlamaCpp(kWarning),
    "The two parts of a merge should be tokens.",
    "A merge with a part that is not a token is never applied.",
    "Remove the merge, or add its parts to the tokens.",
    "gguf.md, tokenizer.ggml.merges: \"the merges of the tokenizer\"."};

// Looks up the parts in batches.
class KnownPartsVisitor : public ValueVisitor {
 public:
  explicit KnownPartsVisitor(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary) {}

  void String(absl::string_view text, Range where, uint64_t element) {
    const Merge merge(text);
    if (!merge.has_two_parts()) return;  // merges-have-two-parts reports it.
    merges_[size_] = {text, where, element};
    parts_[2 * size_] = merge.first;
    parts_[2 * size_ + 1] = merge.second;
    if (++size_ == kMerges) Flush();
  }

  // Returns the unknown merges.  Call it after the walk.
  const FirstString& Finish() {
    Flush();
    return wrong_;
  }

 private:
  struct Place {
    absl::string_view text;
    Range where;
    uint64_t element = 0;
  };

  void Flush() {
    const bool all_known = vocabulary_.ContainsAll({parts_, 2 * size_});
    for (size_t i = 0; i < size_ && !all_known; ++i) {
      if (vocabulary_.ContainsAll({parts_ + 2 * i, 2})) continue;
      wrong_.Add(merges_[i].text, merges_[i].where, merges_[i].element);
    }
    size_ = 0;
  }

  static constexpr size_t kMerges = TokenIndex::kBatch / 2;

  const Vocabulary& vocabulary_;
  Place merges_[kMerges];
  absl::string_view parts_[2 * kMerges];
  size_t size_ = 0;
  FirstString wrong_;
};

void MergePartsKnown(const Model& model, Finder& find) {
  const KeyValue& kv = *model.FindKey(kMerges);
  KnownPartsVisitor visitor(model.vocabulary());
  WalkValue(model.file, kv, &visitor);
  ReportMerges(kv, visitor.Finish(), "a part of which is not a token", find);
}

constexpr Check kChecks[] = {
    {&kModelKnown, Needs::kKeys, ModelKnown},
    {&kModelInSpec, Needs::kKeys, ModelInSpec},
    {&kPreKnown, Needs::kKeys, PreKnown},
    {&kPrePresent, Needs::kKeys, PrePresent, OnlyWithVocabulary, OnlyModels},
    {&kMergesTwoParts, Needs::kKeys, MergesTwoParts, kOnlyWithMerges},
    {&kMergePartsKnown, Needs::kKeys, MergePartsKnown, kOnlyWithMerges,
     OnlyWithVocabulary},
};

}  // namespace

absl::Span<const Check> TokenizerChecks() { return kChecks; }

}  // namespace gguf
