// Writes the lines of the protocol.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {
namespace {

// Returns the length of HexWord(bytes).
size_t HexSize(const std::string& bytes) {
  return bytes.empty() ? 1 : 2 * bytes.size();
}

}  // namespace

std::string ToLine(const Greeting& greeting) {
  return absl::StrCat(kGreetingWord, " ", kProtocolVersion, " ", greeting.name,
                      " ", greeting.version, " ", CapsWord(greeting.caps));
}

std::string HexWord(absl::string_view bytes) {
  return bytes.empty() ? "-" : absl::BytesToHexString(bytes);
}

size_t LineSize(const Answer::KeyValue& kv) {
  return 4 + HexSize(kv.key) + 1 + kv.value.size();
}

size_t LineSize(const Answer::Data& data) {
  return 3 + HexSize(data.name) + 1 + HexSize(data.bytes);
}

size_t LineSize(const Answer::Weights& weights) {
  return 3 + HexSize(weights.name) + 9 * weights.bits.size();
}

std::string ToLines(const Answer& answer) {
  std::string lines;
  for (const Answer::KeyValue& kv : answer.kv) {
    if (LineSize(kv) > kMaxLine) continue;
    absl::StrAppend(&lines, "@kv ", HexWord(kv.key), " ", kv.value, "\n");
  }
  for (const Answer::Tensor& tensor : answer.tensors) {
    absl::StrAppend(&lines, "@t ", HexWord(tensor.name), " ", tensor.type, " ",
                    tensor.offset, " ", tensor.dims.size());
    for (const uint64_t dim : tensor.dims) absl::StrAppend(&lines, " ", dim);
    lines += "\n";
  }
  for (const Answer::Data& data : answer.data) {
    if (LineSize(data) > kMaxLine) continue;
    absl::StrAppend(&lines, "@d ", HexWord(data.name), " ", HexWord(data.bytes),
                    "\n");
  }
  for (const Answer::Weights& weights : answer.weights) {
    if (LineSize(weights) > kMaxLine) continue;
    absl::StrAppend(&lines, "@q ", HexWord(weights.name));
    for (const uint32_t bits : weights.bits) {
      absl::StrAppend(&lines, " ", absl::Hex(bits, absl::kZeroPad8));
    }
    lines += "\n";
  }
  switch (answer.verdict) {
    case AnswerVerdict::kNone:
      break;
    case AnswerVerdict::kAccept:
      lines += "@accept\n";
      break;
    case AnswerVerdict::kReject:
      absl::StrAppend(&lines, "@reject ", answer.reject_class, " ", answer.text,
                      "\n");
      break;
    case AnswerVerdict::kSkip:
      absl::StrAppend(&lines, "@skip ", answer.text, "\n");
      break;
  }
  return lines;
}

}  // namespace gguf::readers
