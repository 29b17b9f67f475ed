// Checks of the tokenizer model and of the merges that it requires.
//
// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "conformance/base/text.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

// Reports a tokenizer model that is unknown or known to `only_other` alone.
void FindModel(const Model& model, Finder& find, TokenizerKnownTo only_other,
               absl::string_view message) {
  const KeyValue* kv = model.hparams().Key(Symbol::kTokenizerModel);
  const auto name = model.hparams().Text(Symbol::kTokenizerModel);
  if (!name) return;
  const TokenizerRow* row = model.vocabulary().tokenizer();
  if (row != nullptr && row->known_to != only_other) return;
  std::vector<absl::string_view> known;
  for (const TokenizerRow& other : kTokenizers) {
    if (other.known_to != only_other) known.push_back(other.model);
  }
  find(kv->at_value(), message,
       {{"model", *name},
        {"meant", Trusted{row == nullptr ? DidYouMean(*name, known) : ""}},
        {kWrite, Trusted{row == nullptr ? ClosestWord(*name, known) : ""}}});
}

// The two parts of a merge.  The first has at least one byte, which may be a
// space.
struct Merge {
  explicit Merge(absl::string_view text)
      : space(text.find(' ', 1)),
        first(text.substr(0, space)),
        second(space == absl::string_view::npos ? absl::string_view() : text.substr(space + 1)) {}

  bool has_two_parts() const { return !second.empty(); }

  size_t space;
  absl::string_view first;
  absl::string_view second;
};

constexpr char kMerges[] = "tokenizer.ggml.merges";
constexpr Requirement kOnlyWithMerges = OnlyWithArray<kMerges, ValueType::kString>;

// Reports the first wrong merge, and how many there are.
void ReportMerges(const KeyValue& kv, const FirstString& wrong, const char* what, Finder& find) {
  if (wrong.count == 0) return;
  find(wrong.where, kv.subject().Of("value").At(wrong.element),
       wrong.count == 1 ? "is {merge}, {what}" : "is {merge}, {what}; the first of {count}",
       {{"merge", wrong.text}, {"what", Trusted{what}}, {"count", wrong.count}});
}

// Looks up the parts in batches.
class KnownPartsVisitor : public ValueVisitor {
 public:
  explicit KnownPartsVisitor(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

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

}  // namespace

constexpr RuleTable kTokenizerRules = {
    {.id = "tokenizer-model-known",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "tokenizer.ggml.model shall be a tokenizer model that llama.cpp supports.",
     .why = "llama.cpp rejects a file whose tokenizer model it does not support.",
     .repair = "Correct the spelling, or convert the vocabulary.",
     .citation = "Not in the specification; llama.cpp's loader throws \"unknown tokenizer\".",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindModel(context.model, find, TokenizerKnownTo::kSpec,
                     "is {model}, which llama.cpp does not support{meant}");
         }},
    {.id = "tokenizer-model-in-spec",
     .severities = {.spec = kWarning},
     .summary = "tokenizer.ggml.model should be a tokenizer model that the specification lists.",
     .why = "A reader that follows the specification supports only these models.",
     .repair = "No change is needed for llama.cpp.",
     .citation = "gguf.md, tokenizer.ggml.model: llama, replit, gpt2 and rwkv.",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindModel(context.model, find, TokenizerKnownTo::kLoader,
                     "is {model}, which the specification does not list{meant}");
         }},
    {.id = "merges-have-two-parts",
     .severities = Everywhere(kWarning),
     .summary = "A merge should be two tokens separated by a space.",
     .why = "Readers split a merge at the space; without one, they fail or never apply the merge.",
     .repair = "Write the two merged tokens, such as \"t he\".",
     .citation = "gguf.md, tokenizer.ggml.merges: \"the merges of the tokenizer\".",
     .requirements = {kOnlyWithMerges},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue& kv = *context.model.FindKey(kMerges);
           const FirstString wrong = FindString(context.model.file, kv, [](absl::string_view text) {
             return !Merge(text).has_two_parts();
           });
           ReportMerges(kv, wrong, "which is not two parts separated by a space", find);
         }},
    {.id = "merge-parts-known",
     .severities = {.upload = kNote, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "The two parts of a merge should be tokens.",
     .why = "A merge with a part that is not a token is never applied.",
     .repair = "Remove the merge, or add its parts to the tokens.",
     .citation = "gguf.md, tokenizer.ggml.merges: \"the merges of the tokenizer\".",
     .requirements = {kOnlyWithMerges, OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue& kv = *context.model.FindKey(kMerges);
           KnownPartsVisitor visitor(context.model.vocabulary());
           WalkValue(context.model.file, kv, &visitor);
           ReportMerges(kv, visitor.Finish(), "a part of which is not a token", find);
         }},
};

}  // namespace gguf
