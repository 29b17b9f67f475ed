// The lines that a testee, a reader behind its adapter, writes
// (docs/reader-protocol.md), and what they say.
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
#include "conformance/readers/protocol/caps.h"

namespace gguf::readers {

// No line of the protocol is longer, without its line break; what would be is
// left out.  All lines about a file together are no longer than the second.
constexpr size_t kMaxLine = size_t{8} << 20;
constexpr size_t kMaxAnswer = size_t{256} << 20;

// @gguf-testee 1 NAME VERSION CAPS
inline constexpr char kGreetingWord[] = "@gguf-testee";
inline constexpr char kProtocolVersion[] = "1";
struct Greeting {
  std::string name;
  std::string version;
  Caps caps;
};

// Whether a line of standard output is the protocol's; any other is log.
bool IsProtocolLine(absl::string_view line);

// InvalidArgument says what is wrong with the line and what should be there.
absl::StatusOr<Greeting> ParseGreeting(absl::string_view line);
std::string ToLine(const Greeting& greeting);

enum class AnswerVerdict { kNone, kAccept, kReject, kSkip };

// What a testee says of one file, in the order of its lines.  Keys, names and
// bytes are decoded: any bytes can stand there.
struct Answer {
  struct KeyValue {
    std::string key;
    std::string value;  // Type and value, as on the line: "arr u32 2 7 8".
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
    std::vector<uint32_t> bits;  // Of floats.
  };

  std::vector<KeyValue> kv;
  std::vector<Tensor> tensors;
  std::vector<Data> data;
  std::vector<Weights> weights;

  AnswerVerdict verdict = AnswerVerdict::kNone;
  std::string reject_class;  // Of a reject.
  std::string text;          // Of a reject or a skip.
};

// Reads the lines about one file, one at a time.
//
//   AnswerReader reader;
//   for each line of standard output until reader.done(): reader.Add(line)
//   Answer answer = reader.Take();
class AnswerReader {
 public:
  // `line` is without its line break.  Log lines are passed over.
  // InvalidArgument: the line breaks the protocol; ResourceExhausted: there
  // are more than kMaxAnswer bytes of lines.  Nothing may be added then.
  absl::Status Add(absl::string_view line);

  // Whether a verdict has been read: the testee is done with the file.  Any
  // further line of the protocol is an error.
  bool done() const { return answer_.verdict != AnswerVerdict::kNone; }

  // What has been read; the reader is as new.
  Answer Take();

 private:
  Answer answer_;
  size_t size_ = 0;  // Of all lines.
};

// The length of an entry's line, without its line break.
size_t LineSize(const Answer::KeyValue& kv);
size_t LineSize(const Answer::Data& data);
size_t LineSize(const Answer::Weights& weights);

// The lines of an answer, each with its line break; those longer than kMaxLine
// are left out.
std::string ToLines(const Answer& answer);

// Bytes as a word of a line: lower-case hex, or "-" for none.
std::string HexWord(absl::string_view bytes);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_PROTOCOL_H_
