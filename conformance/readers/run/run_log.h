// The log of one reader's run over the corpus: one JSON object per line.
//
// The first line is the header, followed by one line for each case.  The last
// line, the footer, states whether the run is complete.  A log without a footer
// is truncated.
// conformance/report/schemas/run.schema.json describes the lines.
//
// Texts in a log are untrusted, such as names and the output of readers.  They
// are stored unchanged, except that bytes that are not UTF-8 become U+FFFD.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_RUN_LOG_H_
#define GGUF_CONFORMANCE_READERS_RUN_RUN_LOG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/base/output_file.h"

namespace gguf::readers {

enum class CaseResult {  // Worst first.
  kUnsafe,
  kWrongValues,
  kFalseAccept,
  kFalseReject,
  kNonStrict,
  kXpass,
  kXfail,
  kInfo,
  kSkip,
  kNotTested,
  kPass,
};

struct CaseResultInfo {
  CaseResult result;
  const char* name;     // As in logs: "false-accept".
  const char* meaning;  // A sentence for reports.
  int rank;             // 0 is the worst; results can share a rank.
  // Whether the case counts in the reader's score, and whether it counts as
  // passed.
  bool judged;
  bool passed;
  bool unexpected;  // Whether it makes the run fail.
};

// Returns all results, in the order of the enum.
absl::Span<const CaseResultInfo> CaseResults();

const CaseResultInfo& InfoOf(CaseResult result);

// Whether this result makes the run fail.
bool IsUnexpected(CaseResult result);

enum class LevelState { kNotTested, kFail, kPass };
inline constexpr size_t kLevels = 6;  // L0 to L5.

// Return the name and the title of a level: "L0", "safe".
const char* LevelName(size_t level);
const char* LevelTitle(size_t level);

// The names in logs: "false-accept"; "pass", "fail", "not-tested".
const char* JsonName(CaseResult result);
const char* JsonName(LevelState state);
bool FromJsonName(absl::string_view name, CaseResult* result);
bool FromJsonName(absl::string_view name, LevelState* state);

// A difference between expected and observed contents.  Texts are short, and
// escaped if they come from a file.
struct Difference {
  std::string path;  // "tensor[w].offset".
  std::string expected;
  std::string observed;
  std::string level;  // "L3".
  std::string entry;  // The key or the name; not escaped, and not in logs.
};

inline constexpr char kRunSchema[] = "ggufcheck/run/1";

// The most bytes of a file that a writer of logs shows, before hex.
inline constexpr size_t kMostHex = 1024;

// The allowed words of members.
inline constexpr absl::string_view kSchemas[] = {kRunSchema};
inline constexpr absl::string_view kVerdicts[] = {"valid", "invalid", "either"};
inline constexpr absl::string_view kRequirements[] = {"must", "should", "may"};
inline constexpr absl::string_view kImportances[] = {"critical", "major", "minor"};
inline constexpr absl::string_view kModes[] = {"protocol", "bare"};

// VisitMembers() lists the members of a record and their names in the log
// (conformance/base/json.h).

struct Tool {
  std::string name;
  std::string version;
};

template <class Visitor>
void VisitMembers(Visitor& visit, Tool& tool) {
  visit("name", tool.name);
  visit("version", tool.version);
}

struct ReaderInfo {
  std::string name;
  std::string version;  // As reported by the reader.
  std::vector<std::string> command;
  std::vector<std::string> caps;    // "kv", "tensors", ...
  std::vector<std::string> quirks;  // "untyped", ...
  std::string mode = "protocol";    // Or "bare".
  std::string sanitizer = "none";   // "asan", "asan+ubsan", ...
};

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

struct CorpusInfo {
  uint64_t cases = 0;   // Selected, in all shards.
  std::string sha256;   // Of the manifest.
  std::string version;  // Of the suite.
};

template <class Visitor>
void VisitMembers(Visitor& visit, CorpusInfo& corpus) {
  visit("cases", corpus.cases);
  visit("sha256", corpus.sha256);
  visit("version", corpus.version);
}

struct ShardInfo {
  uint64_t index = 0;  // From 0.
  uint64_t count = 1;
};

template <class Visitor>
void VisitMembers(Visitor& visit, ShardInfo& shard) {
  visit("index", shard.index);
  visit("count", shard.count);
}

// The first line.
struct RunHeader {
  std::string schema = kRunSchema;
  Tool tool;
  std::string date;  // Start: "2026-11-21T20:00:00Z".
  ReaderInfo reader;
  CorpusInfo corpus;
  std::string level = "may";  // Of requirement: "must", "should" or "may".
  std::vector<std::string> selectors;
  ShardInfo shard;
};

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

// The class and text of a rejection.
struct Rejection {
  std::string type;  // "class" in the log.
  std::string text;
};

template <class Visitor>
void VisitMembers(Visitor& visit, Rejection& rejection) {
  visit("class", rejection.type);
  visit("text", rejection.text);
}

// A byte range of the file that violates a rule.
struct Mark {
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string rule;
};

template <class Visitor>
void VisitMembers(Visitor& visit, Mark& mark) {
  visit("offset", mark.offset);
  visit("length", mark.length);
  visit("rule", mark.rule);
}

// The line of a case.
struct CaseRecord {
  std::string id;  // "tensors/invalid-offset-not-aligned".
  std::string section;
  std::string title;
  std::string verdict = "valid";     // Or "invalid", "either".
  std::string level = "must";        // Or "should", "may".
  std::string importance = "major";  // Or "critical", "minor".
  std::vector<std::string> flags;

  // "accept", "reject", "skip", "memory-error", "ub", "crash", "abort", "oom",
  // "hang", "flood", "exception", "exit:N", "protocol" or "unstable".
  std::string outcome = "accept";
  CaseResult result = CaseResult::kPass;
  std::array<LevelState, kLevels> levels = {};
  std::optional<Difference> difference;
  std::optional<Rejection> rejection;
  std::string stderr_tail;  // At most 4 KiB; the end is kept.
  double seconds = 0;
  uint64_t peak_kib = 0;
  std::string expected;              // Expected behaviour, in words.
  std::optional<std::string> known;  // Reason of a known failure.

  // Only for a case that did not pass: why it matters, the case's text, bytes
  // of the file around the first mark, the marks, the size of the file and a
  // shell command that reproduces the result.
  std::string why;
  std::string text;
  std::string hex;  // Lower case, at most 2 * kMostHex digits.
  uint64_t hex_offset = 0;
  std::vector<Mark> marks;
  uint64_t size = 0;
  std::string repro;
};

template <class Visitor>
void VisitMembers(Visitor& visit, std::array<LevelState, kLevels>& levels) {
  for (size_t i = 0; i < kLevels; ++i) visit(LevelName(i), levels[i]);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Difference& difference) {
  visit("level", difference.level);
  visit("path", difference.path);
  visit("expected", difference.expected);
  visit("observed", difference.observed);
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
  visit("why", record.why);
  visit("text", record.text);
  visit("hex", record.hex);
  visit("hex_offset", record.hex_offset);
  visit("marks", record.marks);
  visit("size", record.size);
  visit("repro", record.repro);
}

// The last line.
struct RunFooter {
  bool complete = true;
  uint64_t cases = 0;  // Number of cases run.
  double seconds = 0;
  std::string why;  // Why it is incomplete.
};

template <class Visitor>
void VisitMembers(Visitor& visit, RunFooter& footer) {
  visit("complete", footer.complete);
  visit("cases", footer.cases);
  visit("seconds", footer.seconds);
  visit("why", footer.why);
}

struct RunLog {
  RunHeader header;
  std::vector<CaseRecord> cases;
  std::optional<RunFooter> footer;  // Missing if truncated.
};

// Return lines with their newline.
std::string ToLine(const RunHeader& header);
std::string ToLine(const CaseRecord& record);
std::string ToLine(const RunFooter& footer);

// Parses a whole log.  Ignores a last line without newline that is not JSON:
// the run ended while it was written.  Ignores unknown members. InvalidArgument
// names the line and states what is wrong.
absl::StatusOr<RunLog> ReadRunLog(absl::string_view text);

// LogFile: the log of a run on disk, which grows while the run lasts.
//
// Until the run is over, it has the first results of the cases, in the order in
// which they arrived, and no footer.  These are not confirmed: a second reading
// may change them.  The whole log then replaces it.  So the log of a run that
// was killed can be reported on, as a truncated one.  Pipes and devices only
// get the whole log.
class LogFile {
 public:
  // Nothing exists at the path, and an older log stays, before Begin().  Errors
  // are those of OutputFile.
  static absl::StatusOr<std::unique_ptr<LogFile>> Create(const std::string& path,
                                                         const InputFiles& inputs);

  // Begins the growing log.
  absl::Status Begin(const RunHeader& header);
  // Adds a case.  Thread-safe.  After an error, such as a full disk, the log
  // grows no more.
  void Add(const CaseRecord& record);
  // Replaces the growing log by the whole one.
  absl::Status Finish(const RunLog& log);

 private:
  LogFile(const std::string& path, const InputFiles& inputs, std::unique_ptr<OutputFile> file)
      : path_(path), inputs_(inputs), file_(std::move(file)) {}

  const std::string path_;
  const InputFiles inputs_;
  const std::unique_ptr<OutputFile> file_;
  std::mutex mutex_;  // Guards writing to file_.
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_RUN_LOG_H_
