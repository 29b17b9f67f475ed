// What the tokenizer model is, and what it asks for: a pre-tokenizer and
// merges.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/first_string.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/judged_vocabulary.h"
#include "conformance/rules/tokenizer/checks.h"

namespace gguf {
namespace {

constexpr Rule kModelKnown = {
    "tokenizer-model-known",
    Severities().Upload(kWarning).LlamaCpp(kError),
    Since("0.1.0"),
    "tokenizer.ggml.model shall be one that llama.cpp knows.",
    "llama.cpp refuses the file.",
    "Correct the spelling, or convert the vocabulary.",
    "No norm: llama.cpp's loader throws \"unknown tokenizer\"."};

// Reports the tokenizer model when whoever it is does not know it.
void FindModel(const Model& model, Finder& find, TokenizerKnownTo only_other,
               absl::string_view message) {
  const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerModel);
  const auto name = model.hparams().Text(Symbol::kTokenizerModel);
  if (!name) return;
  const TokenizerRow* row = model.vocabulary().tokenizer();
  if (row != nullptr && row->known_to != only_other) return;
  find(kv->value, kv->subject().Of("value"), message, {{"model", *name}});
}

void ModelKnown(const Model& model, Finder& find) {
  FindModel(model, find, TokenizerKnownTo::kSpec,
            "is {model}, which llama.cpp does not know");
}

constexpr Rule kModelInSpec = {
    "tokenizer-model-in-spec",
    Severities().Spec(kWarning),
    Since("0.1.0"),
    "tokenizer.ggml.model should be one that the specification lists.",
    "A reader that goes by the specification does not know others.",
    "None is needed for llama.cpp.",
    "gguf.md, tokenizer.ggml.model: llama, replit, gpt2 and rwkv."};

void ModelInSpec(const Model& model, Finder& find) {
  FindModel(model, find, TokenizerKnownTo::kLoader,
            "is {model}, which the specification does not know");
}

// Whether tokenizer.ggml.pre chooses a pre-tokenizer in this file.
bool ReadsPre(const Model& model) {
  const TokenizerRow* row = model.vocabulary().tokenizer();
  return row != nullptr && row->pre == PreTokenizers::kRead;
}

constexpr Rule kPreKnown = {
    "pre-tokenizer-known",
    Severities().Upload(kWarning).LlamaCpp(kError),
    Since("0.1.0"),
    "tokenizer.ggml.pre shall be one that llama.cpp knows.",
    "llama.cpp refuses the file.",
    "Write the name of the pre-tokenizer that cuts texts as the model's own "
    "does.",
    "No norm: llama.cpp's loader throws \"unknown pre-tokenizer type\"."};

void PreKnown(const Model& model, Finder& find) {
  const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerPre);
  const auto name = model.hparams().Text(Symbol::kTokenizerPre);
  if (!name || BeforeNul(*name).empty() || !ReadsPre(model)) return;
  if (FindPreTokenizer(model) != nullptr) return;
  find(kv->value, kv->subject().Of("value"),
       "is {pre}, which llama.cpp does not know", {{"pre", *name}});
}

constexpr Rule kPrePresent = {
    "pre-tokenizer-present",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    Since("0.1.0"),
    "A BPE vocabulary should name its pre-tokenizer.",
    "llama.cpp takes one that cuts texts in other places than the model has "
    "learnt, and the quality suffers.",
    "Write tokenizer.ggml.pre, such as \"llama-bpe\".",
    "No norm: llama.cpp warns of it."};

void PrePresent(const Model& model, Finder& find) {
  if (!ReadsPre(model)) return;
  const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerPre);
  const auto name = model.hparams().Text(Symbol::kTokenizerPre);
  if (kv == nullptr) {
    const KeyValue& asks = *model.hparams().Key(Symbol::kTokenizerModel);
    find(asks.value, asks.subject().Of("value"),
         "is {model}, but tokenizer.ggml.pre is absent",
         {{"model", Word{model.vocabulary().tokenizer()->model}}});
  } else if (name && BeforeNul(*name).empty()) {
    find(kv->value, kv->subject().Of("value"), "is empty", {});
  }
}

// The two parts of a merge.  The first is one byte long at least, so that it
// may be a space.
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

// Reports the first merge that is wrong, and how many there are.
void ReportMerges(const KeyValue& kv, const FirstString& wrong,
                  const char* what, Finder& find) {
  if (wrong.count == 0) return;
  find(wrong.where, kv.subject().Of("value").At(wrong.element),
       wrong.count == 1 ? "is {merge}, {what}"
                        : "is {merge}, {what}; it is the first of {count}",
       {{"merge", wrong.text}, {"what", Word{what}}, {"count", wrong.count}});
}

constexpr Rule kMergesTwoParts = {
    "merges-have-two-parts",
    Everywhere(kWarning),
    Since("0.1.0"),
    "A merge should be two tokens with a space between them.",
    "Readers cut it at the space; without one they fail, or never apply it.",
    "Write the two tokens that are merged, such as \"t he\".",
    "gguf.md, tokenizer.ggml.merges: \"the merges of the tokenizer\"."};

struct TwoPartsVisitor : ValueVisitor {
  FirstString wrong;

  void String(absl::string_view text, Range where, uint64_t element) {
    if (!Merge(text).has_two_parts()) wrong.Add(text, where, element);
  }
};

void MergesTwoParts(const Model& model, Finder& find) {
  const KeyValue& kv = *model.FindKey(kMerges);
  TwoPartsVisitor visitor;
  WalkValue(model.file, kv, &visitor);
  ReportMerges(kv, visitor.wrong, "not two parts with a space between them",
               find);
}

constexpr Rule kMergePartsKnown = {
    "merge-parts-known",
    Severities().Upload(kNote).Spec(kWarning).LlamaCpp(kWarning),
    Since("0.1.0"),
    "The two parts of a merge should be tokens.",
    "A merge of what is no token is never applied.  Some real files have them.",
    "Leave the merge out, or add its parts to the tokens.",
    "gguf.md, tokenizer.ggml.merges: \"the merges of the tokenizer\"."};

// Looks the parts up in batches.
class KnownPartsVisitor : public ValueVisitor {
 public:
  explicit KnownPartsVisitor(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary) {}

  void String(absl::string_view text, Range where, uint64_t element) {
    const Merge merge(text);
    if (!merge.has_two_parts()) return;  // Another rule's finding.
    merges_[size_] = {text, where, element};
    parts_[2 * size_] = merge.first;
    parts_[2 * size_ + 1] = merge.second;
    if (++size_ == kMerges) Flush();
  }

  // What was found, once the walk has ended.
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
  ReportMerges(kv, visitor.Finish(), "of which a part is no token", find);
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
