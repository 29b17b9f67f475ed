// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/testing/sample_log.h"

#include "absl/strings/str_cat.h"

namespace gguf::readers {

CaseRecord SampleRecord(const std::string& id, CaseResult result) {
  CaseRecord record;
  record.id = id;
  record.section = id.substr(0, id.find('/'));
  record.title = absl::StrCat("title of ", id);
  record.result = result;
  record.expected = "accepted";
  record.levels = {LevelState::kPass, LevelState::kPass, LevelState::kFail};
  if (result == CaseResult::kUnsafe) {
    record.outcome = "crash";
    record.levels = {LevelState::kFail};
  }
  if (result == CaseResult::kFalseReject) record.outcome = "reject";
  record.seconds = 0.5;
  if (result == CaseResult::kPass) return record;
  record.why = "a reason";
  record.text = "u32 7\n";
  record.hex = "07000000";
  record.size = 4;
  record.repro = "ggufcheck readers run --repro x";
  return record;
}

NamedLog SampleLog(const std::string& reader, const std::vector<CaseRecord>& cases) {
  NamedLog log;
  log.path = reader + ".ndjson";
  log.log.header.tool = {"ggufcheck", "0.1.0"};
  log.log.header.date = "2026-11-21T20:00:00Z";
  log.log.header.reader.name = reader;
  log.log.header.reader.version = "1.0";
  log.log.header.reader.command = {"./" + reader};
  log.log.header.corpus = {cases.size(), std::string(64, 'a'), "0.1.0"};
  log.log.cases = cases;
  log.log.footer = RunFooter{true, cases.size(), 2, ""};
  return log;
}

NamedLog HostileLog() {
  const std::string hostile =
      absl::StrCat("</script><img src=x onerror=alert(1)>|\n::error::x\n\x1b[2J\u202e`*_&\"'",
                   std::string(1, '\0'), "\xff]]>{{data}}");
  CaseRecord record = SampleRecord("a/b", CaseResult::kUnsafe);
  record.id = "a/" + hostile;
  record.title = record.expected = record.text = record.repro = hostile;
  record.why = hostile;
  record.section = record.stderr_tail = hostile;
  record.flags = {hostile};
  record.verdict = "either";
  record.outcome = hostile;
  record.difference = Difference{hostile, hostile, hostile, "L2"};
  record.rejection = Rejection{hostile, hostile};
  record.known = hostile;
  record.marks = {{1, 2, hostile}};
  NamedLog log = SampleLog(hostile, {record});
  log.log.header.reader.version = hostile;
  log.log.header.reader.caps = {hostile};
  log.log.header.reader.sanitizer = hostile;
  log.log.header.date = hostile;
  log.log.header.corpus.version = hostile;
  log.log.footer = RunFooter{false, 1, 2, hostile};
  return log;
}

}  // namespace gguf::readers
