// Parses and writes the lines of the protocol between the runner and an
// implementation under test (docs/reader-protocol.md).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROTOCOL_PROTOCOL_H_
#define GGUF_CONFORMANCE_READERS_PROTOCOL_PROTOCOL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf::readers {

// The capabilities and quirks of docs/reader-protocol.md.
struct Caps {
  bool kv = false;
  bool tensors = false;
  bool data = false;
  bool deq = false;
  bool models = false;  // Judges models, not only containers.
  bool legacy = false;  // Reads the legacy (pre-GGUF) formats.

  bool untyped = false;
  bool unordered = false;
  bool nan_canon = false;
  bool lossy_utf8 = false;
  bool meta_only = false;

  // The words of those that are set.
  std::vector<std::string> CapNames() const;
  std::vector<std::string> QuirkNames() const;
};

// Parses "kv,tensors,untyped", or "-" for none.  An unknown word is an error;
// "ancestors" is the old name of "legacy".
absl::StatusOr<Caps> ParseCaps(absl::string_view words);

// Writes what ParseCaps() parses.
std::string CapsWord(const Caps& caps);

// The maximum size of a protocol line, without its line break; longer lines are
// omitted.  kMaxAnswer limits all lines about one file together.
constexpr size_t kMaxLine = size_t{8} << 20;
constexpr size_t kMaxAnswer = size_t{256} << 20;

// @gguf-testee 1 NAME VERSION CAPS
struct Greeting {
  std::string name;
  std::string version;
  Caps caps;
};

// Whether a line of standard output belongs to the protocol; others are log.
bool IsProtocolLine(absl::string_view line);

// InvalidArgument states what is wrong with the line and what was expected.
absl::StatusOr<Greeting> ParseGreeting(absl::string_view line);
std::string ToLine(const Greeting& greeting);

enum class AnswerVerdict { kNone, kAccept, kReject, kSkip };

// An Answer holds the lines about one file, in their order.  Keys, names and
// bytes are decoded and can contain any bytes.
struct Answer {
  struct KeyValue {
    std::string key;
    std::string value;  // Type and value, as written: "arr u32 2 7 8".
  };
  struct Tensor {
    std::string name;
    uint32_t type = 0;
    uint64_t offset = 0;         // Relative to the data section.
    std::vector<uint64_t> dims;  // In file order.
  };
  struct Data {
    std::string name;
    std::string bytes;
  };
  struct Weights {
    std::string name;
    std::vector<uint32_t> bits;  // Bits of floats.
  };

  std::vector<KeyValue> kv;
  std::vector<Tensor> tensors;
  std::vector<Data> data;
  std::vector<Weights> weights;

  AnswerVerdict verdict = AnswerVerdict::kNone;
  std::string reject_class;  // Of a reject.
  std::string text;          // Of a reject or a skip.
};

// Collects the lines about one file.
//
//   AnswerReader reader;
//   for each line of standard output until reader.done(): reader.Add(line)
//   Answer answer = reader.Take();
class AnswerReader {
 public:
  // `line` has no line break.  Log lines are ignored.  InvalidArgument: the
  // line violates the protocol; ResourceExhausted: the lines exceed kMaxAnswer
  // bytes.  After an error, nothing may be added.
  absl::Status Add(absl::string_view line);

  // Whether a verdict was read.  Any further protocol line is an error.
  bool done() const { return answer_.verdict != AnswerVerdict::kNone; }

  // Returns the answer and resets the reader.
  Answer Take();

 private:
  Answer answer_;
  size_t size_ = 0;  // Total size of the lines.
};

// Return the length of an entry's line, without its line break.
size_t LineSize(const Answer::KeyValue& kv);
size_t LineSize(const Answer::Data& data);
size_t LineSize(const Answer::Weights& weights);

// Returns the lines of an answer, each with its line break, without those
// longer than kMaxLine.
std::string ToLines(const Answer& answer);

// Encodes bytes as a word: lower-case hex, or "-" for none.
std::string HexWord(absl::string_view bytes);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_PROTOCOL_H_
