// Parses and writes lines.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/protocol/protocol.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/base/text.h"
#include "conformance/readers/protocol/value_words.h"

namespace gguf::readers {
namespace {

struct CapsRow {
  const char* name;
  bool Caps::*member;
  bool is_quirk;
};

constexpr CapsRow kRows[] = {
    {"kv", &Caps::kv, false},
    {"tensors", &Caps::tensors, false},
    {"data", &Caps::data, false},
    {"deq", &Caps::deq, false},
    {"models", &Caps::models, false},
    {"legacy", &Caps::legacy, false},
    {"untyped", &Caps::untyped, true},
    {"unordered", &Caps::unordered, true},
    {"nan-canon", &Caps::nan_canon, true},
    {"lossy-utf8", &Caps::lossy_utf8, true},
    {"meta-only", &Caps::meta_only, true},
};

std::vector<std::string> Names(const Caps& caps, bool quirks) {
  std::vector<std::string> names;
  for (const CapsRow& row : kRows) {
    if (row.is_quirk == quirks && caps.*row.member) names.push_back(row.name);
  }
  return names;
}

constexpr char kGreetingWord[] = "@gguf-testee";
constexpr char kProtocolVersion[] = "1";

absl::Status BadLine(absl::string_view line, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("the line ", Quote(line), ": ", why));
}

// Each of these functions parses the words after the first one.  It returns
// what is wrong, or an empty string.

std::string ReadKeyValue(Words words, Answer* answer) {
  Answer::KeyValue kv;
  if (!ParseHex(words.Next(), &kv.key)) return "the key is not in hex";
  kv.value = std::string(words.rest());
  ValueWords value(kv.value);
  ValueWords::Step step;
  do {
    step = value.Next();
  } while (step == ValueWords::kScalar || step == ValueWords::kArray);
  if (step == ValueWords::kBad) return value.why();
  answer->kv.push_back(std::move(kv));
  return "";
}

std::string ReadTensor(Words words, Answer* answer) {
  Answer::Tensor tensor;
  uint64_t type, n_dims, dim;
  if (!ParseHex(words.Next(), &tensor.name)) return "the name is not in hex";
  if (!ParseDecimal(words.Next(), &type) || type > std::numeric_limits<uint32_t>::max()) {
    return "the type is not a 32-bit number";
  }
  tensor.type = static_cast<uint32_t>(type);
  if (!ParseDecimal(words.Next(), &tensor.offset)) {
    return "the offset is not a 64-bit number";
  }
  if (!ParseDecimal(words.Next(), &n_dims)) {
    return "the number of dimensions is not a number";
  }
  while (!words.at_end()) {
    if (!ParseDecimal(words.Next(), &dim)) {
      return "a dimension is not a 64-bit number";
    }
    tensor.dims.push_back(dim);
  }
  if (tensor.dims.size() != n_dims) {
    return absl::StrCat("it announces ", n_dims, " dimensions and has ", tensor.dims.size());
  }
  answer->tensors.push_back(std::move(tensor));
  return "";
}

std::string ReadData(Words words, Answer* answer) {
  Answer::Data data;
  if (!ParseHex(words.Next(), &data.name)) return "the name is not in hex";
  if (!ParseHex(words.Next(), &data.bytes)) return "the data is not in hex";
  if (!words.at_end()) return "unexpected text after the data";
  answer->data.push_back(std::move(data));
  return "";
}

std::string ReadWeights(Words words, Answer* answer) {
  Answer::Weights weights;
  if (!ParseHex(words.Next(), &weights.name)) return "the name is not in hex";
  while (!words.at_end()) {
    const absl::string_view word = words.Next();
    std::string bits;
    if (word.size() != 8 || !ParseHex(word, &bits)) {
      return "a weight is not 8 lower-case hex digits";
    }
    uint32_t value = 0;
    for (const char byte : bits) value = value << 8 | static_cast<uint8_t>(byte);
    weights.bits.push_back(value);
  }
  answer->weights.push_back(std::move(weights));
  return "";
}

std::string ReadAccept(Words words, Answer* answer) {
  if (!words.at_end()) return "unexpected text after @accept";
  answer->verdict = AnswerVerdict::kAccept;
  return "";
}

std::string ReadReject(Words words, Answer* answer) {
  const absl::string_view reject_class = words.Next();
  if (reject_class.empty()) return "missing class, such as syntax";
  answer->verdict = AnswerVerdict::kReject;
  answer->reject_class = std::string(reject_class);
  answer->text = std::string(words.rest());
  return "";
}

std::string ReadSkip(Words words, Answer* answer) {
  answer->verdict = AnswerVerdict::kSkip;
  answer->text = std::string(words.rest());
  return "";
}

struct LineRow {
  const char* word;
  std::string (*read)(Words, Answer*);
};
constexpr LineRow kLines[] = {
    {"@kv", ReadKeyValue},   {"@t", ReadTensor},      {"@d", ReadData},    {"@q", ReadWeights},
    {"@accept", ReadAccept}, {"@reject", ReadReject}, {"@skip", ReadSkip},
};

// Returns the length of HexWord(bytes).
size_t HexSize(const std::string& bytes) { return bytes.empty() ? 1 : 2 * bytes.size(); }

}  // namespace

std::vector<std::string> Caps::CapNames() const { return Names(*this, false); }
std::vector<std::string> Caps::QuirkNames() const { return Names(*this, true); }

absl::StatusOr<Caps> ParseCaps(absl::string_view words) {
  Caps caps;
  if (words == "-") return caps;
  for (absl::string_view word : absl::StrSplit(words, ',')) {
    if (word == "ancestors") word = "legacy";  // Its name in 0.1.
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const CapsRow& row) { return row.name == word; });
    if (row == std::end(kRows)) {
      return absl::InvalidArgumentError(absl::StrCat(
          Quote(word), " is not a capability or quirk: expected ",
          absl::StrJoin(
              kRows, " ",
              [](std::string* out, const CapsRow& row) { absl::StrAppend(out, row.name); }),
          ", or - for none"));
    }
    caps.*row->member = true;
  }
  return caps;
}

std::string CapsWord(const Caps& caps) {
  std::vector<std::string> words = caps.CapNames();
  for (std::string& quirk : caps.QuirkNames()) words.push_back(quirk);
  return words.empty() ? "-" : absl::StrJoin(words, ",");
}

bool IsProtocolLine(absl::string_view line) { return absl::StartsWith(line, "@"); }

absl::StatusOr<Greeting> ParseGreeting(absl::string_view line) {
  Words words(line);
  if (words.Next() != kGreetingWord) {
    return BadLine(
        line, "the first line of the protocol should be @gguf-testee 1 NAME VERSION CAPABILITIES");
  }
  if (const absl::string_view version = words.Next(); version != kProtocolVersion) {
    return BadLine(line, absl::StrCat("unsupported protocol version ", Quote(version),
                                      ": expected ", kProtocolVersion));
  }
  Greeting greeting;
  greeting.name = std::string(words.Next());
  greeting.version = std::string(words.Next());
  if (greeting.name.empty() || greeting.version.empty()) {
    return BadLine(line, "expected a name and a version, without spaces");
  }
  const auto caps = ParseCaps(words.Next());
  if (!caps.ok()) return BadLine(line, caps.status().message());
  greeting.caps = *caps;
  if (!words.at_end()) {
    return BadLine(line,
                   "unexpected text after the capabilities; separate them by commas, not spaces");
  }
  return greeting;
}

absl::Status AnswerReader::Add(absl::string_view line) {
  if (!IsProtocolLine(line)) return absl::OkStatus();
  size_ += line.size() + 1;
  if (size_ > kMaxAnswer) {
    return absl::ResourceExhaustedError(
        absl::StrCat("more than ", kMaxAnswer, " bytes of lines about one file"));
  }
  if (line.size() > kMaxLine) {
    return BadLine(line, absl::StrCat("longer than ", kMaxLine, " bytes; omit such lines"));
  }
  if (done()) {
    return BadLine(line, "unexpected line after the verdict");
  }
  Words words(line);
  const absl::string_view first = words.Next();
  const auto row = std::find_if(std::begin(kLines), std::end(kLines),
                                [&](const LineRow& row) { return row.word == first; });
  if (row == std::end(kLines)) {
    return BadLine(line, "lines begin with @kv, @t, @d, @q, @accept, @reject or @skip");
  }
  const std::string why = row->read(words, &answer_);
  return why.empty() ? absl::OkStatus() : BadLine(line, why);
}

Answer AnswerReader::Take() {
  size_ = 0;
  return std::exchange(answer_, Answer());
}

std::string ToLine(const Greeting& greeting) {
  return absl::StrCat(kGreetingWord, " ", kProtocolVersion, " ", greeting.name, " ",
                      greeting.version, " ", CapsWord(greeting.caps));
}

std::string HexWord(absl::string_view bytes) {
  return bytes.empty() ? "-" : absl::BytesToHexString(bytes);
}

size_t LineSize(const Answer::KeyValue& kv) { return 4 + HexSize(kv.key) + 1 + kv.value.size(); }

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
    absl::StrAppend(&lines, "@t ", HexWord(tensor.name), " ", tensor.type, " ", tensor.offset, " ",
                    tensor.dims.size());
    for (const uint64_t dim : tensor.dims) absl::StrAppend(&lines, " ", dim);
    lines += "\n";
  }
  for (const Answer::Data& data : answer.data) {
    if (LineSize(data) > kMaxLine) continue;
    absl::StrAppend(&lines, "@d ", HexWord(data.name), " ", HexWord(data.bytes), "\n");
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
      absl::StrAppend(&lines, "@reject ", answer.reject_class, " ", answer.text, "\n");
      break;
    case AnswerVerdict::kSkip:
      absl::StrAppend(&lines, "@skip ", answer.text, "\n");
      break;
  }
  return lines;
}

}  // namespace gguf::readers
