// Whatever an implementation prints, reading its lines ends, and what is made
// of them is no larger than they are and, printed again, has the same lines.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/protocol/protocol.h"
#include "fuzz/target.h"

namespace gguf::readers {
namespace {

using Lines = std::vector<std::string>;

void CheckGreeting(absl::string_view line) {
  const auto greeting = ParseGreeting(line);
  if (!greeting.ok()) return;
  // The words of the capabilities may be in a different order.
  const std::string printed = ToLine(*greeting);
  const auto again = ParseGreeting(printed);
  Require(again.ok() && ToLine(*again) == printed);
}

// The size in units that each take at least a byte of a line.
size_t SizeOf(const Answer& answer) {
  size_t size = answer.reject_class.size() + answer.text.size();
  for (const auto& kv : answer.kv) size += 1 + kv.key.size() + kv.value.size();
  for (const auto& t : answer.tensors) size += 1 + t.name.size() + t.dims.size();
  for (const auto& d : answer.data) size += 1 + d.name.size() + d.bytes.size();
  for (const auto& w : answer.weights) size += 1 + w.name.size() + w.bits.size();
  return size;
}

// `read` holds the lines of the protocol, the verdict last.
void CheckAnswer(const Answer& answer, Lines read, size_t size) {
  Require(SizeOf(answer) <= size);
  Lines printed = absl::StrSplit(ToLines(answer), '\n', absl::SkipEmpty());
  Require(printed.size() == read.size());
  // The text of a verdict may be absent or empty.
  AnswerReader reader;
  Require(reader.Add(printed.back()).ok() && reader.done());
  const Answer verdict = reader.Take();
  Require(verdict.verdict == answer.verdict && verdict.text == answer.text &&
          verdict.reject_class == answer.reject_class);
  printed.pop_back();
  read.pop_back();
  // The kinds of lines may be in a different order.
  std::sort(printed.begin(), printed.end());
  std::sort(read.begin(), read.end());
  Require(printed == read);
}

}  // namespace
}  // namespace gguf::readers

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gguf::readers::AnswerReader;
  // A copy of exact size, so that ASan detects a read past its end.
  const std::string text(reinterpret_cast<const char*>(data), size);
  AnswerReader reader;
  gguf::readers::Lines read;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    gguf::readers::CheckGreeting(line);
    if (!reader.Add(line).ok()) {
      // After the verdict nothing may be added; further lines belong to another
      // answer.
      reader = AnswerReader();
      read.clear();
      continue;
    }
    if (gguf::readers::IsProtocolLine(line)) read.emplace_back(line);
    if (!reader.done()) continue;
    gguf::readers::CheckAnswer(reader.Take(), std::move(read), size);
    read.clear();
  }
  return 0;
}
