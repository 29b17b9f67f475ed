// The members of the log's records (conformance/json/record.h).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_RUN_MEMBERS_H_
#define GGUF_CONFORMANCE_READERS_RUN_RUN_MEMBERS_H_

#include <array>
#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"
#include "conformance/readers/run/case_result.h"
#include "conformance/readers/run/level.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

inline constexpr absl::string_view kSchemas[] = {kRunSchema};
inline constexpr absl::string_view kVerdicts[] = {"valid", "invalid", "either"};
inline constexpr absl::string_view kRequirements[] = {"must", "should", "may"};
inline constexpr absl::string_view kImportances[] = {"critical", "major",
                                                     "minor"};
inline constexpr absl::string_view kModes[] = {"protocol", "bare"};

inline const char* JsonName(CaseResult result) { return InfoOf(result).name; }

inline bool FromJsonName(absl::string_view name, CaseResult* result) {
  const std::optional<CaseResult> found = FindCaseResult(name);
  *result = found.value_or(*result);
  return found.has_value();
}

inline const char* JsonName(LevelState state) { return LevelStateName(state); }

inline bool FromJsonName(absl::string_view name, LevelState* state) {
  for (const LevelState known :
       {LevelState::kNotTested, LevelState::kFail, LevelState::kPass}) {
    if (name != LevelStateName(known)) continue;
    *state = known;
    return true;
  }
  return false;
}

template <class Visitor>
void VisitMembers(Visitor& visit, std::array<LevelState, kLevels>& levels) {
  for (size_t i = 0; i < kLevels; ++i) visit(LevelName(i), levels[i]);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Tool& tool) {
  visit("name", tool.name);
  visit("version", tool.version);
}

template <class Visitor>
void VisitMembers(Visitor& visit, ReaderInfo& reader) {
  visit("name", reader.name);
  visit("version", reader.version);
  visit("command", reader.command);
  visit("caps", reader.caps);
  visit("quirks", reader.quirks);
  visit("mode", reader.mode, kModes);
  visit("sanitizer", reader.sanitizer);
}

template <class Visitor>
void VisitMembers(Visitor& visit, CorpusInfo& corpus) {
  visit("cases", corpus.cases);
  visit("sha256", corpus.sha256);
  visit("version", corpus.version);
}

template <class Visitor>
void VisitMembers(Visitor& visit, ShardInfo& shard) {
  visit("index", shard.index);
  visit("count", shard.count);
}

template <class Visitor>
void VisitMembers(Visitor& visit, RunHeader& header) {
  visit("schema", header.schema, kSchemas);
  visit("tool", header.tool);
  visit("date", header.date);
  visit("reader", header.reader);
  visit("corpus", header.corpus);
  visit("level", header.level, kRequirements);
  visit("selectors", header.selectors);
  visit("shard", header.shard);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Difference& difference) {
  visit("level", difference.level);
  visit("path", difference.path);
  visit("expected", difference.expected);
  visit("observed", difference.observed);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Rejection& rejection) {
  visit("class", rejection.type);
  visit("text", rejection.text);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Mark& mark) {
  visit("offset", mark.offset);
  visit("length", mark.length);
  visit("rule", mark.rule);
}

template <class Visitor>
void VisitMembers(Visitor& visit, CaseRecord& record) {
  visit("case", record.id);
  visit("section", record.section);
  visit("title", record.title);
  visit("verdict", record.verdict, kVerdicts);
  visit("level", record.level, kRequirements);
  visit("importance", record.importance, kImportances);
  visit("flags", record.flags);
  visit("outcome", record.outcome);
  visit("result", record.result);
  visit("levels", record.levels);
  visit("difference", record.difference);
  visit("reject", record.rejection);
  visit("stderr", record.stderr_tail);
  visit("seconds", record.seconds);
  visit("peak_kib", record.peak_kib);
  visit("expected", record.expected);
  visit("known", record.known);
  if (record.result == CaseResult::kPass) return;
  visit("text", record.text);
  visit("hex", record.hex);
  visit("hex_offset", record.hex_offset);
  visit("marks", record.marks);
  visit("size", record.size);
  visit("repro", record.repro);
}

template <class Visitor>
void VisitMembers(Visitor& visit, RunFooter& footer) {
  visit("complete", footer.complete);
  visit("cases", footer.cases);
  visit("seconds", footer.seconds);
  visit("why", footer.why);
}

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_RUN_MEMBERS_H_
