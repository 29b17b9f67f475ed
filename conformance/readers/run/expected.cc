// Computes expected answers from the bytes of files.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/expected.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/base/casts.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "conformance/model/placement.h"
#include "kernels/dequantize.h"
#include "kernels/registry.h"
#include "parser/core/byte_order.h"
#include "parser/core/file.h"
#include "parser/core/tensor_size.h"
#include "parser/parse.h"

namespace gguf::readers {
namespace {

// Writes the words of a value.  Stops soon after the maximum size of a line.
class ValueText : public ValueVisitor {
 public:
  ValueText(Endian endian, const ValueTypeInfo& type)
      : endian_(endian), text_(type.name) {}

  void BeginArray(const ValueTypeInfo& element_type, uint64_t length, uint64_t,
                  uint64_t, Range) {
    Add(element_type.name);
    Add(absl::StrCat(length));
  }

  void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes values,
               uint64_t, uint64_t, uint64_t) {
    for (uint64_t i = 0; i < count && !is_too_long(); ++i) {
      const uint64_t bits =
          LoadUnsignedOfSize(values.data() + i * type.size, type.size, endian_);
      Add(Word(type, bits));
    }
  }

  void String(absl::string_view text, Range, uint64_t) {
    // Skip hex that would be too long.
    Add(HexWord(text.substr(0, kMaxLine)));
  }

  const std::string& text() const { return text_; }

 private:
  bool is_too_long() const { return text_.size() > kMaxLine; }

  void Add(absl::string_view word) {
    if (!is_too_long()) absl::StrAppend(&text_, " ", word);
  }

  static std::string Word(const ValueTypeInfo& type, uint64_t bits) {
    switch (type.kind) {
      case ValueKind::kFloat:
        return absl::StrFormat("%0*x", static_cast<int>(2 * type.size), bits);
      case ValueKind::kSigned: {
        const int unused = 64 - 8 * static_cast<int>(type.size);
        return absl::StrCat(static_cast<int64_t>(bits << unused) >> unused);
      }
      default:
        return absl::StrCat(bits);
    }
  }

  const Endian endian_;
  std::string text_;
};

Answer::KeyValue KeyValueOf(const File& file, const KeyValue& kv) {
  ValueText value(file.encoding.endian, *kv.type);
  WalkValue(file, kv, &value);
  return {std::string(kv.key.value), value.text()};
}

Answer::Tensor TensorOf(const File& file, const TensorInfo& tensor) {
  Answer::Tensor shown{std::string(tensor.name.value),
                       tensor.type.value,
                       tensor.offset.value,
                       {}};
  const uint32_t n_dims = tensor.n_dims.value;
  const uint64_t width = n_dims == 0 ? 0 : tensor.dims_where().size() / n_dims;
  for (uint32_t i = 0; i < n_dims; ++i) {
    shown.dims.push_back(LoadUnsignedOfSize(
        file.bytes.data() + tensor.dims_where().begin + i * width, width,
        file.encoding.endian));
  }
  return shown;
}

// Returns the tensor's bytes if they are in the file and may fit into a line.
Bytes DataOf(const File& file, const TensorInfo& tensor) {
  if (!tensor.bytes || *tensor.bytes > kMaxLine || !IsInFile(file, tensor)) {
    return Bytes();
  }
  const Range where = DataRange(file, tensor);
  return file.bytes.subspan(where.begin, where.size());
}

void AddWeights(const File& file, const TensorInfo& tensor, Bytes data,
                Answer* answer) {
  const TensorTypeInfo& info = *tensor.type_info();
  const auto type = static_cast<TensorType>(info.id);
  const size_t count = data.size() / info.block_bytes * info.block_elements;
  if (BestKernel(type) == nullptr || count > kMaxLine / 9) return;
  std::vector<float> weights(count);
  if (Dequantize(type, data, absl::MakeSpan(weights), file.encoding.endian)) {
    return;
  }
  Answer::Weights shown{std::string(tensor.name.value), {}};
  shown.bits.reserve(count);
  for (const float weight : weights) {
    shown.bits.push_back(absl::bit_cast<uint32_t>(weight));
  }
  if (LineSize(shown) <= kMaxLine) answer->weights.push_back(std::move(shown));
}

void AddTensor(const File& file, const TensorInfo& tensor, const Caps& caps,
               Answer* answer) {
  if (caps.tensors) answer->tensors.push_back(TensorOf(file, tensor));
  if (!caps.data && !caps.deq) return;
  if (!file.alignment_known || !tensor.bytes) return;
  const Bytes data = DataOf(file, tensor);
  if (data.size() != *tensor.bytes) return;
  if (caps.data) {
    Answer::Data shown{std::string(tensor.name.value),
                       std::string(AsText(data))};
    if (LineSize(shown) <= kMaxLine) answer->data.push_back(std::move(shown));
  }
  if (caps.deq) AddWeights(file, tensor, data, answer);
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

Answer ReadAnswer(Bytes bytes, const Caps& caps) {
  Diagnostics found(1);
  const File file = Parse(bytes, Limits(), &found);
  Answer answer;
  for (const KeyValue& kv : file.keys) {
    if (!caps.kv) break;
    Answer::KeyValue shown = KeyValueOf(file, kv);
    if (LineSize(shown) <= kMaxLine) answer.kv.push_back(std::move(shown));
  }
  for (const TensorInfo& tensor : file.tensors) {
    AddTensor(file, tensor, caps, &answer);
  }
  answer.verdict = AnswerVerdict::kAccept;
  if (file.stop) {
    answer.verdict = AnswerVerdict::kReject;
    answer.reject_class =
        file.stop->kind == Stop::kNotDone ? "limit" : "syntax";
    answer.text = file.stop->Why();
  }
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
            "the fault is in the model, and the reader checks only containers: "
            "it does not announce \"models\""};
  }
  if (caps.meta_only && OnlyDataIsMissing(a_case)) {
    return {Should::kNotTested,
            "tensor data is missing, and the reader reads only the metadata: "
            "it announces \"meta-only\""};
  }
  return {Should::kReject, ""};
}

}  // namespace gguf::readers
