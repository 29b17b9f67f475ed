// Whatever a server answers, reading a header from it terminates, with an error
// or with bytes that were in its answers, no more than it says the file has;
// and a check of them terminates.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/input/read_header.h"
#include "conformance/rules/validate.h"
#include "fuzz/check_file.h"
#include "fuzz/target.h"

namespace gguf {
namespace {

constexpr absl::string_view kBetweenResponses = "\n==== next response ====\n";

// Sends the responses of a script in turn, then closes the connection.
class Script : public RangeSource {
 public:
  Script(absl::string_view script, size_t piece)
      : responses_(absl::StrSplit(script, kBetweenResponses)), piece_(piece) {}

  size_t sent() const { return sent_; }

 protected:
  absl::Status Get(RangeResponse* response) override {
    if (next_ == responses_.size()) return absl::UnavailableError("closed");
    absl::string_view text = responses_[next_++];
    int code = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      const absl::string_view line = text.substr(0, end);
      text.remove_prefix(end);
      if (line == "\n") break;
      if (absl::StartsWith(line, "HTTP/1.1 ")) {
        (void)absl::SimpleAtoi(line.substr(9, 3), &code);
        continue;
      }
      const std::pair<absl::string_view, absl::string_view> header =
          absl::StrSplit(line, absl::MaxSplits(':', 1));
      response->AddHeader(header.first, absl::StripAsciiWhitespace(header.second), code);
    }
    for (bool more = true; more && !text.empty();) {
      const absl::string_view part = text.substr(0, piece_);
      text.remove_prefix(part.size());
      sent_ += part.size();
      more = response->AddBody(part, code);
    }
    return response->Judge(code);
  }

 private:
  const std::vector<absl::string_view> responses_;
  const size_t piece_;
  size_t next_ = 0;
  size_t sent_ = 0;
};

}  // namespace
}  // namespace gguf

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gguf::Choice choice(data, size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  gguf::Script server(text, 1 + choice.Below(200));
  std::optional<uint64_t> stated;
  if (choice.OneIn(4)) stated = choice.Below(300);
  const gguf::Limits limits;
  const auto header = gguf::ReadHeader(&server, stated, limits, 1 + choice.Below(100));
  if (!header.ok()) return 0;
  gguf::Require(header->prefix.size() <= std::min<uint64_t>(server.sent(), header->size));
  const gguf::FileReport report = gguf::Validate(
      {gguf::AsBytes(header->prefix), header->size, "m.gguf"}, gguf::AnyProfile(&choice), {});
  gguf::RequireInside(report, header->size);
  return 0;
}
