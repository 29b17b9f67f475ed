// ggufcheck-adapter: ggufcheck as an implementation under test
// (docs/reader-protocol.md).
//
// It accepts a file when `ggufcheck check` does with the profiles upload and
// safety: a reader cannot accept a tensor type that it does not know, which
// upload permits.
// For files that are not models but containers to test readers with, the rules
// about models do not count.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/engine/catalogue.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "conformance/gate/gate.h"
#include "conformance/input/open.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/expected.h"
#include "conformance/report/project.h"
#include "parser/core/limits.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

using readers::Answer;
using readers::AnswerVerdict;

readers::Greeting Hello() {
  readers::Greeting hello{"ggufcheck", kToolVersion, {}};
  hello.caps.kv = hello.caps.tensors = true;
  hello.caps.data = hello.caps.deq = true;
  hello.caps.models = hello.caps.legacy = true;
  return hello;
}

// Checks a file together with the other shards of its model.
FileReport Check(const std::string& path, absl::string_view profile) {
  CheckRequest request;
  request.paths = {path};
  request.profile = *Profile::Find(profile);
  std::vector<FileReport> reports;
  GateCallbacks callbacks;
  callbacks.take = [&](FileReport report) {
    reports.push_back(std::move(report));
    return true;
  };
  Gate::Open(request)->Check(callbacks);
  const auto found = std::find_if(
      reports.begin(), reports.end(),
      [&](const FileReport& report) { return report.path == path; });
  return found != reports.end() ? *found : reports.at(0);
}

// Returns whether the rules about models do not count: true for the corpus's
// cases of scope container, which have the architecture "test" or no key at
// all.
bool IsContainer(const FileReport& report, const Answer& file) {
  if (report.format != "gguf") return false;
  for (const Answer::KeyValue& kv : file.kv) {
    if (kv.key == "general.architecture") return kv.value == "str 74657374";
  }
  return file.kv.empty();
}

void SetVerdict(const FileReport& report, Answer* answer) {
  const bool is_container = IsContainer(report, *answer);
  answer->verdict = AnswerVerdict::kAccept;
  const auto reject = [&](absl::string_view reject_class,
                          absl::string_view why) {
    answer->verdict = AnswerVerdict::kReject;
    answer->reject_class = std::string(reject_class);
    answer->text = std::string(why);
  };
  if (!report.incomplete.empty()) return reject("limit", report.incomplete);
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::kError) continue;
    const Diagnostic& diagnostic = finding.diagnostic;
    if (is_container && ScopeOf(diagnostic.rule->id) == Scope::kModel) continue;
    return reject(diagnostic.rule->id,
                  absl::StrCat(diagnostic.subject, " ", diagnostic.message));
  }
}

Answer AnswerFor(const std::string& path) {
  Answer answer;
  const auto input = Input::Open(path, Limits().stream_bytes);
  if (!input.ok()) {
    answer.verdict = AnswerVerdict::kSkip;
    answer.text = Escape(input.status().message());
    return answer;
  }
  answer = readers::ReadAnswer(input->bytes(), Hello().caps);
  for (const char* profile : {"upload", "safety"}) {
    SetVerdict(Check(path, profile), &answer);
    if (answer.verdict == AnswerVerdict::kReject) break;
  }
  return answer;
}

int AnswerAll() {
  std::cout << readers::ToLine(Hello()) << std::endl;
  for (std::string path; std::getline(std::cin, path);) {
    std::cout << readers::ToLines(AnswerFor(path)) << std::flush;
  }
  return std::cout ? 0 : 1;
}

}  // namespace
}  // namespace gguf

int main() { return gguf::AnswerAll(); }
