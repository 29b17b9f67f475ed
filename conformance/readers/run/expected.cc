// Derives expected answers and verdicts from the documents of cases.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/base/casts.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/readers/protocol/value_words.h"
#include "conformance/readers/run/judge.h"
#include "corpus/language/assemble.h"
#include "corpus/language/contents.h"
#include "corpus/language/image.h"
#include "corpus/language/types.h"
#include "corpus/weights/weights.h"

namespace gguf::readers {
namespace {

using corpus::Contents;

// Writes the words of a value.  Stops soon after the maximum size of a line.
class ValueText {
 public:
  explicit ValueText(const Contents::Key& key)
      : text_(FindValueType(key.type)->name), index_(key.index) {
    Add(*key.value);
  }

  const std::string& text() const { return text_; }

 private:
  bool is_too_long() const { return text_.size() > kMaxLine; }

  void AddWord(absl::string_view word) {
    if (!is_too_long()) absl::StrAppend(&text_, " ", word);
  }

  void Add(const corpus::Item& value) {
    if (const auto* scalars = std::get_if<corpus::Scalars>(&value.what)) {
      const ValueType& type = *FindValueType(scalars->type->value_type);
      for (const uint64_t bits : scalars->bits) AddWord(Word(type, bits));
    } else if (const auto* string = std::get_if<corpus::String>(&value.what)) {
      AddWord(HexWord(corpus::ExpandText(string->text, index_, kMaxLine)));
    } else if (const auto* repeat = std::get_if<corpus::Repeat>(&value.what)) {
      const uint64_t outer = index_;
      for (index_ = 0; index_ < repeat->times && !is_too_long(); ++index_) {
        for (const corpus::Item& item : repeat->body) Add(item);
      }
      index_ = outer;
    } else {
      const auto& array = std::get<corpus::Array>(value.what);
      AddWord(FindValueType(array.element_type)->name);
      AddWord(absl::StrCat(corpus::CountElements(array.elements)));
      for (const corpus::Item& element : array.elements) Add(element);
    }
  }

  static std::string Word(const ValueType& type, uint64_t bits) {
    const int unused = 64 - 8 * type.size;
    switch (type.kind) {
      case ValueKind::kFloat:
        return absl::StrFormat("%0*x", 2 * type.size, bits);
      case ValueKind::kSigned:
        return absl::StrCat(static_cast<int64_t>(bits << unused) >> unused);
      default:
        return absl::StrCat(bits << unused >> unused);
    }
  }

  std::string text_;
  uint64_t index_;  // Of the innermost repetition.
};

void AddKey(const Contents::Key& key, Answer* answer) {
  Answer::KeyValue shown{key.key, ValueText(key).text()};
  if (LineSize(shown) <= kMaxLine) answer->kv.push_back(std::move(shown));
}

void AddWeights(const Contents::Info& tensor, absl::string_view data, Answer* answer) {
  const corpus::TensorType& type = *corpus::FindTensorType(tensor.type);
  if (data.size() / type.bytes * type.block > kMaxLine / 9) return;
  const auto weights = corpus::WeightsOf(tensor.type, data);
  if (!weights) return;
  Answer::Weights shown{tensor.name, {}};
  shown.bits.reserve(weights->size());
  for (const float weight : *weights) {
    shown.bits.push_back(absl::bit_cast<uint32_t>(weight));
  }
  if (LineSize(shown) <= kMaxLine) answer->weights.push_back(std::move(shown));
}

void AddTensor(const Contents& contents, const Contents::Info& tensor, const Caps& caps,
               Answer* answer) {
  if (caps.tensors) {
    answer->tensors.push_back({tensor.name, tensor.type, tensor.offset, tensor.dims});
  }
  if (!caps.data && !caps.deq) return;
  const std::optional<corpus::Image> image = contents.DataOf(tensor);
  if (!image || image->size() > kMaxLine) return;
  Answer::Data data{tensor.name, image->ToString()};
  if (caps.deq && !contents.big_endian) AddWeights(tensor, data.bytes, answer);
  if (caps.data && LineSize(data) <= kMaxLine) {
    answer->data.push_back(std::move(data));
  }
}

// Whether tensor data beyond the end of the file is the only fault: a reader of
// metadata need not know where the file ends.
bool OnlyDataIsMissing(const corpus::Case& a_case) {
  for (const corpus::Expectation& expectation : a_case.expectations) {
    if (expectation.profile != "upload" || expectation.incomplete) continue;
    bool found = false;
    for (const corpus::ExpectedFinding& finding : expectation.findings) {
      if (finding.severity != "error") continue;
      if (finding.rule != "tensor-data-in-file") return false;
      found = true;
    }
    return found;
  }
  return false;
}

}  // namespace

absl::StatusOr<Answer> ExpectedAnswer(const corpus::Document& document, const Caps& caps) {
  const absl::StatusOr<Contents> contents = corpus::ContentsOf(document);
  if (!contents.ok()) return contents.status();
  Answer answer;
  if (caps.kv) {
    for (const Contents::Key& key : contents->keys) AddKey(key, &answer);
  }
  for (const Contents::Info& tensor : contents->tensors) {
    AddTensor(*contents, tensor, caps, &answer);
  }
  answer.verdict = AnswerVerdict::kAccept;
  return answer;
}

ExpectedVerdict VerdictFor(const corpus::Case& a_case, const Caps& caps) {
  if (a_case.verdict == corpus::Verdict::kEither) return {Should::kEither, ""};
  if (absl::c_linear_search(a_case.flags, "Legacy") && !caps.legacy) {
    return {Should::kReject, ""};
  }
  if (a_case.verdict == corpus::Verdict::kValid) return {Should::kAccept, ""};
  if (a_case.scope == "model" && !caps.models) {
    return {Should::kNotTested,
            "the fault is in the model, and the reader checks only containers: it does not "
            "announce \"models\""};
  }
  if (caps.meta_only && OnlyDataIsMissing(a_case)) {
    return {Should::kNotTested,
            "tensor data is missing, and the reader reads only the metadata: it announces "
            "\"meta-only\""};
  }
  return {Should::kReject, ""};
}

}  // namespace gguf::readers
